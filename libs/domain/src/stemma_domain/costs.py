"""What the model calls of a document cost, as its events tell it, and what more of the same would cost.

Usage is summed over the log alone, so that it is right whatever process was killed when.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from itertools import chain
from statistics import median
from typing import Any, Literal

from rpds import HashTrieMap
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.section import Activity
from stemma_contracts.v1.usage import Usage

Work = Literal["writing", "editing", "checking"]
WORKS: tuple[Work, ...] = ("writing", "editing", "checking")
NOTHING = Usage()
MOST_RUNS = 8
"""Of one kind of work on one section that are remembered: the last ones."""
_EDITING = (e.SectionRevised, e.SectionRevisionRefused, e.SectionEditProposed, e.SectionEdited)
_CHECKING = (e.SectionChecked, e.SectionEditChecked)
_WORK_OF: Mapping[Activity, Work] = {Activity.EDIT: "editing", Activity.GENERATE: "writing"}


@dataclass(frozen=True)
class Run:
    """A piece of work on a section, from its beginning to its end: a writing with all of its rounds, an edit, a look.

    Without ``seconds`` nobody knows how long it took.
    """

    usage: Usage = NOTHING
    seconds: float | None = None


@dataclass(frozen=True)
class Runs:
    """The last pieces of one kind of work on a section; each decision asks for what they tell, which is found once."""

    all: tuple[Run, ...] = ()

    @cached_property
    def middle(self) -> Run | None:
        """The middle of what ended; what was begun and cost nothing yet tells nothing."""
        return _middle(self.all)

    @cached_property
    def before(self) -> Runs:
        """Those before the last one."""
        return Runs(self.all[:-1])

    def and_one(self, run: Run) -> Runs:
        """With one more, as many as are remembered."""
        return Runs((*self.all, run)[-MOST_RUNS:])


def _map() -> HashTrieMap[Any, Any]:
    return HashTrieMap()


@dataclass(frozen=True)
class Costs:
    """``by_work`` has a section, empty where an event names none, and what was done; ``by_version`` its versions.

    What an edit cost that a person accepted is of the version that it became, and that of others of none. ``runs`` are
    the last pieces of each kind of work on a section, ``proposed`` what edits cost that wait.
    """

    by_work: HashTrieMap[tuple[str, Work], Usage] = field(default_factory=_map)
    by_version: HashTrieMap[tuple[str, int], Usage] = field(default_factory=_map)
    runs: HashTrieMap[tuple[str, Work], Runs] = field(default_factory=_map)
    proposed: HashTrieMap[str, Usage] = field(default_factory=_map)

    def of_section(self, section_id: str) -> Usage:
        """All that was spent on a section."""
        spent = [self.by_work[key] for work in WORKS if (key := (section_id, work)) in self.by_work]
        return reduce(Usage.plus, spent, NOTHING)


def with_costs(costs: Costs, event: e.AnyEvent, waited: float | None = None) -> Costs:
    """The costs after an event, for which its section ``waited`` so many seconds."""
    match event:
        case e.SectionEdited(proposal_id=str(proposal_id)) if proposal_id in costs.proposed:
            spent = costs.proposed[proposal_id]
            costs = replace(costs, by_version=_plus(costs.by_version, (event.section_id, event.version), spent))
        case e.SectionEditProposed() | e.SectionEditChecked():
            costs = replace(costs, proposed=_plus(costs.proposed, event.proposal_id, event.usage))
    if isinstance(event, e.PaidEvent) and event.usage != NOTHING:
        costs = _paid(costs, event, waited)
    begun = ((name, "writing") for name in event.starts)
    return replace(costs, runs=reduce(_with_run, begun, costs.runs)) if event.starts else costs


def _paid(costs: Costs, event: e.PaidEvent, waited: float | None) -> Costs:
    key, by_version = (getattr(event, "section_id", ""), work_of(event)), costs.by_version
    if isinstance(event, e.SectionDrafted | e.SectionRevised | e.SectionEdited | e.SectionChecked):
        by_version = _plus(by_version, (event.section_id, event.version), event.usage)
    runs = costs.runs.insert(key, _runs(costs.runs.get(key, Runs()), event, waited))
    return replace(costs, by_work=_plus(costs.by_work, key, event.usage), by_version=by_version, runs=runs)


def _plus(known: HashTrieMap[Any, Usage], key: object, usage: Usage) -> HashTrieMap[Any, Usage]:
    return known.insert(key, known.get(key, NOTHING).plus(usage))


def _with_run(runs: HashTrieMap[Any, Runs], key: tuple[str, str]) -> HashTrieMap[Any, Runs]:
    return runs.insert(key, runs.get(key, Runs()).and_one(Run()))


def _runs(known: Runs, event: e.PaidEvent, waited: float | None) -> Runs:
    """A writing goes on until the section starts again; any other work is a run of its own."""
    if work_of(event) != "writing":
        return known.and_one(Run(event.usage, waited if isinstance(event, _EDITING) else None))
    last = known.all[-1] if known.all else Run()
    made = event.processing_metadata if isinstance(event, e.SectionDrafted) else None
    seconds = (last.seconds or 0.0) + made.seconds if made else last.seconds
    return known.before.and_one(Run(last.usage.plus(event.usage), seconds))


def work_of(event: e.PaidEvent) -> Work:
    """What the model calls of an event were made for."""
    if isinstance(event, e.SectionFailure):
        return _WORK_OF.get(event.activity, "checking")
    if isinstance(event, _EDITING):
        return "editing"
    return "checking" if isinstance(event, _CHECKING) else "writing"


Usual = Mapping[tuple[str, Work], Run]
"""What work on sections of a kind takes in general."""


def usual(histories: Iterable[tuple[Mapping[str, str], Costs]]) -> Usual:
    """What work took in documents, of each of which the kinds of its sections are told."""
    runs = dict[tuple[str, Work], list[Runs]]()
    for kinds, costs in histories:
        for (section_id, work), found in costs.runs.items():
            if section_id in kinds:
                runs.setdefault((kinds[section_id], work), []).append(found)
    middles = ((key, _middle_of_all(found)) for key, found in runs.items())
    return {key: middle for key, middle in middles if middle is not None}


def _middle_of_all(found: Sequence[Runs]) -> Run | None:
    return found[0].middle if len(found) == 1 else _middle(chain.from_iterable(one.all for one in found))


def expected(costs: Costs, section_id: str, kind: str, work: Work, usually: Usual) -> Run | None:
    """What more work on a section will probably take: as it did before, else as with others of its kind."""
    return costs.runs.get((section_id, work), Runs()).middle or usually.get((kind, work))


def _middle(runs: Iterable[Run]) -> Run | None:
    paid = [run for run in runs if run.usage != NOTHING]
    if not paid:
        return None
    took = [run.seconds for run in paid if run.seconds is not None]
    figures = {name: _of(paid, name) for name in ("calls", "input_tokens", "cached_tokens", "output_tokens", "cost")}
    whole = {name: figure if name == "cost" else round(figure) for name, figure in figures.items()}
    return Run(Usage.model_validate(whole), median(took) if took else None)


def _of(runs: list[Run], name: str) -> float:
    figure: Callable[[Run], float] = lambda run: getattr(run.usage, name)  # noqa: E731
    return median(map(figure, runs))
