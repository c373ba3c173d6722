"""What the model calls of a document cost, as its events tell it, and what more of the same would cost.

Usage is summed over the log alone, so that it is right whatever process was killed when.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from statistics import median
from typing import TYPE_CHECKING, Any, Literal

from rpds import HashTrieMap
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.section import Activity
from stemma_contracts.v1.usage import Usage

if TYPE_CHECKING:  # a document has costs
    from .state import Document

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
    runs: HashTrieMap[tuple[str, Work], tuple[Run, ...]] = field(default_factory=_map)
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
    runs = costs.runs.insert(key, _runs(costs.runs.get(key, ()), event, waited))
    return replace(costs, by_work=_plus(costs.by_work, key, event.usage), by_version=by_version, runs=runs)


def _plus(known: HashTrieMap[Any, Usage], key: object, usage: Usage) -> HashTrieMap[Any, Usage]:
    return known.insert(key, known.get(key, NOTHING).plus(usage))


def _with_run(runs: HashTrieMap[Any, tuple[Run, ...]], key: tuple[str, str]) -> HashTrieMap[Any, tuple[Run, ...]]:
    return runs.insert(key, (*runs.get(key, ()), Run())[-MOST_RUNS:])


def _runs(known: tuple[Run, ...], event: e.PaidEvent, waited: float | None) -> tuple[Run, ...]:
    """A writing goes on until the section starts again; any other work is a run of its own."""
    if work_of(event) != "writing":
        return (*known, Run(event.usage, waited if isinstance(event, _EDITING) else None))[-MOST_RUNS:]
    *before, last = known or (Run(),)
    made = event.processing_metadata if isinstance(event, e.SectionDrafted) else None
    seconds = (last.seconds or 0.0) + made.seconds if made else last.seconds
    return (*before, Run(last.usage.plus(event.usage), seconds))


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
    runs = dict[tuple[str, Work], list[Run]]()
    for kinds, costs in histories:
        for (section_id, work), found in costs.runs.items():
            if section_id in kinds:
                runs.setdefault((kinds[section_id], work), []).extend(found)
    return {key: middle for key, found in runs.items() if (middle := _middle(found)) is not None}


def expected(costs: Costs, section_id: str, kind: str, work: Work, usually: Usual) -> Run | None:
    """What more work on a section will probably take: as it did before, else as with others of its kind."""
    return _middle(costs.runs.get((section_id, work), ())) or usually.get((kind, work))


@dataclass(frozen=True)
class Estimates:
    """What work in a document will probably take, as the document itself tells."""

    document: Document

    def of(self, section_id: str, work: Work) -> Usage | None:
        """The same as before, else as with others of its kind, else the most that any took."""
        kind = self.document.sections[section_id].plan.kind
        if found := expected(self.document.costs, section_id, kind, work, self._usual):
            return found.usage
        return self._most.get(work)

    @cached_property
    def _usual(self) -> Usual:
        kinds = {name: section.plan.kind for name, section in self.document.sections.items()}
        return usual([(kinds, self.document.costs)])

    @cached_property
    def _most(self) -> Mapping[Work, Usage]:
        took = sorted(((run.usage, work) for (_, work), run in self._usual.items()), key=lambda one: _size(one[0]))
        return {work: usage for usage, work in took}


def _size(usage: Usage) -> tuple[float, int]:
    return usage.cost, usage.tokens


def _middle(runs: Iterable[Run]) -> Run | None:
    """The middle of what ended; what was begun and cost nothing yet tells nothing."""
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
