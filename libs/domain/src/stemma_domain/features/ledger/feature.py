"""The demands of the sources are read and decided about: all decisions of a request are made, or none."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import TypedDict, assert_never, get_args

from stemma_contracts import subjects
from stemma_contracts.base import filled_from
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.inputs import BRIEF
from stemma_contracts.v1.ledger import (
    MOST_ROWS,
    LedgerRow,
    LedgerRows,
    LedgerSummary,
    RequirementDecision,
    RowCuts,
    RowParts,
    SecondOpinion,
)
from stemma_contracts.v1.references import ArtifactRef, InputFile
from stemma_contracts.v1.views import LedgerView

from stemma_domain.commands import Asked, of_document, refused
from stemma_domain.features.inputs.material import Input, brief_file, requests_of
from stemma_domain.features.ledger.answering import open_mandatory, row_of, sought_again, texts
from stemma_domain.features.ledger.chapters import awaits_chapters, outlined, planned_chapters
from stemma_domain.features.ledger.state import Ledger, Standing, Wordings
from stemma_domain.hooks import Feature, Task, Work
from stemma_domain.jobs import EXTRACT, PROPOSE, head_of, job_id, unfitting
from stemma_domain.staleness import Staleness
from stemma_domain.state import MOST_NAMES, Document, Lifecycle, Section, settled

Texts = Mapping[str, str]
"""The digests of what is written, by section."""
JobOf = Callable[[str], str]


def ledger_after(ledger: Ledger | None, event: e.AnyLedgerEvent, job_of: JobOf, texts: Texts) -> Ledger:
    ledger = ledger or Ledger()
    match event:
        case e.RequirementsRequested():
            return replace(
                ledger,
                sources=event.sources,
                brief=not event.without_brief,
                job_id=job_of(EXTRACT),
                failure="",
                wants_opinion=event.second_opinion,
                opinion_job_id=None,
            )
        case e.RequirementsRead():
            return _after_read(ledger, event, job_of)
        case e.RequirementsUnread():
            return replace(ledger, job_id=None, failure=event.detail or "failed")
        case e.RequirementsDecided():
            closed = tuple(dict.fromkeys((*ledger.closed, *event.closed)))
            return replace(_after_decided(ledger, event.decisions, texts), closed=closed)
        case e.RequirementsSplit():
            return _after_split(ledger, event, job_of)
        case e.RequirementsAdded():
            return _added(ledger, event)
        case _:
            assert_never(event)


def _reworded(ledger: Ledger, summary: LedgerSummary) -> Wordings:
    return {**ledger.wordings, **{name: ledger.wording(name) + 1 for name in summary.changed}}


def _after_read(ledger: Ledger, event: e.RequirementsRead, job_of: JobOf) -> Ledger:
    ledger = replace(
        ledger,
        job_id=None,
        rows=event.rows,
        difference=event.difference,
        summary=event.summary,
        failure="",
        wordings=_reworded(ledger, event.summary),
        opinion=None,
    )
    return _asked(ledger, job_of) if ledger.wants_opinion else ledger


def _asked(ledger: Ledger, job_of: JobOf) -> Ledger:
    job_id = job_of(PROPOSE)
    return replace(ledger, opinion_job_id=job_id, asked_before=(job_id, *ledger.asked_before)[:MOST_NAMES])


def _added(ledger: Ledger, event: e.RequirementsAdded) -> Ledger:
    summary, opinion = ledger.summary, event.opinion
    new = {"mandatory": (*summary.mandatory, *opinion.mandatory), "others": (*summary.others, *opinion.others)}
    return replace(
        ledger,
        rows=event.rows or ledger.rows,
        summary=summary.model_copy(update=new if event.rows else {}),
        opinion_job_id=None,
        opinion=opinion,
    )


def _after_split(ledger: Ledger, event: e.RequirementsSplit, job_of: JobOf) -> Ledger:
    """Parts stand as the whole did, without an answer; a job that is under way begins again, from these rows."""
    standings, summary = dict(ledger.standings), ledger.summary
    for split in event.splits:
        unsaid = {"said": None, "said_of": "", "said_wording": 0, "looked": None, "looked_of": ""}
        unanswered = ledger.standing(split.requirement_id).model_copy(update=unsaid)
        standings |= dict.fromkeys((split.requirement_id, *split.parts), unanswered)
        summary = summary.model_copy(
            update={
                "mandatory": _with_parts(summary.mandatory, split),
                "others": _with_parts(summary.others, split),
            }
        )
    reading = job_of(EXTRACT) if ledger.job_id is not None else None
    ledger = replace(ledger, job_id=reading, rows=event.rows, summary=summary, standings=standings)
    return _asked(ledger, job_of) if ledger.opinion_job_id is not None else ledger


def _with_parts(names: tuple[str, ...], split: RowParts) -> tuple[str, ...]:
    return tuple(part for name in names for part in ((name, *split.parts) if name == split.requirement_id else (name,)))


def _after_decided(ledger: Ledger, decisions: Iterable[RequirementDecision], texts: Texts) -> Ledger:
    standings = dict(ledger.standings)
    for decision in decisions:
        after = _stands(standings.get(decision.requirement_id, Standing()), decision)
        text, wording = texts.get(after.section_id, ""), ledger.wording(decision.requirement_id)
        if decision.status is not None:
            said = {"said": decision.status, "said_of": text, "said_wording": wording}
            after = after.model_copy(update=said)
        after = after.model_copy(update=_looked(decision, text, wording))
        standings[decision.requirement_id] = after
    return replace(ledger, standings=standings)


def _looked(decision: RequirementDecision, text: str, wording: int) -> dict[str, object]:
    """What whoever decides has looked at: the row, unless it is about its owner, and the text, unless that is apart."""
    both = decision.looked or decision.status is not None or decision.section_id is not None
    read = {"looked": wording} if both or decision.confirmed else {}
    return {**read, **({"looked_of": text} if both else {})}


def _stands(before: Standing, decision: RequirementDecision) -> Standing:
    """A row that is confirmed is not dropped, and one that is taken back stands by itself again."""
    given = decision.model_dump(exclude_none=True, exclude={"requirement_id", "status", "looked"})
    if decision.confirmed:
        given |= {"dropped": False, "merged_into": ""}
    elif decision.dropped is False:
        given |= {"merged_into": ""}
    return before.model_copy(update=given)


def evolve(document: Document, event: e.AnyLedgerEvent) -> Document:
    read = texts(document, event.shown if isinstance(event, e.RequirementsDecided) else None)
    ledger = ledger_after(document.ledger, event, partial(job_id, document, target="ledger"), read)
    if isinstance(event, e.RequirementsRequested):
        now = _digests(document)
        closed = tuple(one for one in ledger.closed if ledger.read.get(one.source) == now.get(one.source))
        ledger = replace(ledger, read=now, closed=closed)
    if isinstance(event, e.RequirementsRead | e.RequirementsUnread | e.RequirementsAdded):
        document = settled(document, event.job_id)
    if isinstance(event, e.RequirementsRead) and event.sections:
        document = outlined(document, event)
    return replace(document, ledger=ledger)


def _digests(document: Document) -> dict[str, str]:
    return {item.name: item.artifact.digest for item in requests_of(document)}


def due(document: Document) -> Sequence[e.AnyEvent]:
    """The reading of the requests of the buyer, once all inputs are read and one of them is not as it was read last."""
    ledger, now = document.ledger, _digests(document)
    if document.lifecycle is Lifecycle.CANCELLED or any(one.is_awaited for one in document.inputs.values()):
        return []
    if now == (ledger.read if ledger else {}):
        return []
    if ledger is None:
        return [e.RequirementsRequested(without_brief=True)]
    opinion = ledger.opinion_job_id is not None or (ledger.job_id is not None and ledger.wants_opinion)
    return [e.RequirementsRequested(without_brief=not ledger.brief, second_opinion=opinion)]


def may_start(document: Document, _section: Section, _stale: Staleness) -> bool:
    return not awaits_chapters(document)


class WrongCutError(ValueError):
    """A cut that cannot be made; ``problem`` names its field in the request."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def split_rows(ledger: LedgerRows, splits: Sequence[RowCuts]) -> tuple[LedgerRows, tuple[RowParts, ...]]:
    """The ledger with rows cut, and the ids of their new parts.

    A part of a row is numbered after all that the row ever had, so that no id is given twice, and parts of parts are
    parts of the row. Raises `WrongCutError` for a row that is not there, for a cut that is not before a word, and if
    the ledger would have too many rows.
    """
    known = {row.requirement_id: row for row in ledger.rows}
    for position, split in enumerate(splits):
        _check_cuts(split, known, f"splits.{position}")
    if len(ledger.rows) + sum(len(split.cuts) for split in splits) > MOST_ROWS:
        raise WrongCutError(Problem.of("rows_too_many", "splits", max_rows=MOST_ROWS))
    parts, given = _numbered(splits, known)
    cuts = {split.requirement_id: split.cuts for split in splits}
    rows = (part for row in ledger.rows for part in _parts_of(row, cuts, parts, given))
    told = tuple(RowParts(requirement_id=name, parts=ids) for name, ids in parts.items())
    return ledger.model_copy(update={"rows": tuple(rows)}), told


def _check_cuts(split: RowCuts, known: Mapping[str, LedgerRow], field: str) -> None:
    row = known.get(split.requirement_id)
    if row is None:
        about = {"requirement_id": split.requirement_id}
        raise WrongCutError(Problem.of("row_unknown", f"{field}.requirement_id", **about))
    for number, cut in enumerate(split.cuts):
        if cut >= len(row.quote) or row.quote[cut - 1] != " ":
            where, name = f"{field}.cuts.{number}", row.requirement_id
            raise WrongCutError(Problem.of("cut_within_word", where, requirement_id=name, position=cut))


def _numbered(
    splits: Sequence[RowCuts], known: Mapping[str, LedgerRow]
) -> tuple[dict[str, tuple[str, ...]], dict[str, int]]:
    """The ids of the new parts of each row, and the highest number of each row that has parts now."""
    parts, given = dict[str, tuple[str, ...]](), dict[str, int]()
    for split in splits:
        row = known[split.requirement_id]
        whole = _whole(row)
        first = given.get(whole, max(1, row.parts_given)) + 1
        given[whole] = first + len(split.cuts) - 1
        parts[row.requirement_id] = tuple(f"{whole}-{number}" for number in range(first, given[whole] + 1))
    return parts, given


def _parts_of(
    row: LedgerRow,
    cuts: Mapping[str, Sequence[int]],
    parts: Mapping[str, Sequence[str]],
    given: Mapping[str, int],
) -> Iterator[LedgerRow]:
    """The row with its new parts; one that others of its whole were cut from knows of the ids that they got."""
    whole = _whole(row)
    if whole not in given:
        yield row
        return
    edges = (0, *cuts.get(row.requirement_id, ()), len(row.quote) + 1)
    names = (row.requirement_id, *parts.get(row.requirement_id, ()))
    for name, (start, end) in zip(names, pairwise(edges), strict=True):
        about = {"requirement_id": name, "quote": row.quote[start : end - 1]}
        yield row.model_copy(update=about | {"part_of": whole, "parts_given": given[whole]})


def _whole(row: LedgerRow) -> str:
    return row.part_of or row.requirement_id


@dataclass(frozen=True, kw_only=True)
class Cut(Asked[r.SplitRequirements]):
    """Rows are to be cut, and what comes of it: these rows, with these parts; no rows where they are not known."""

    rows: ArtifactRef | None = None
    parts: tuple[RowParts, ...] = ()


LedgerCommand = Cut | Asked[r.ReadRequirements | r.DecideRequirements]


def decide(command: LedgerCommand, document: Document) -> Sequence[e.AnyEvent]:
    if document.lifecycle is Lifecycle.CANCELLED:
        return [refused(command, of_document(document))]
    if isinstance(command, Cut):
        return [_cut(command, document.ledger or Ledger())]
    match command.request:
        case r.ReadRequirements() as request:
            return [_requested(command, request)]
        case r.DecideRequirements() as request:
            refusals = list(_refusals(command, request, document))
            return refusals or [filled_from(e.RequirementsDecided, request, **command.asked)]
        case _:
            assert_never(command.request)


def _requested(command: LedgerCommand, request: r.ReadRequirements) -> e.RequirementsRequested:
    return e.RequirementsRequested(
        **command.asked,
        sources=tuple(dict.fromkeys(request.sources)),
        without_brief=request.without_brief,
        second_opinion=request.second_opinion,
    )


def _cut(command: Cut, ledger: Ledger) -> e.AnyEvent:
    """Cuts are places in words: those that count must be the ones that were cut."""
    digest = command.request.rows_digest
    if command.rows is None or ledger.rows is None or ledger.rows.digest != digest:
        return refused(command, Problem.of("rows_changed", "rows_digest"))
    return e.RequirementsSplit(**command.asked, splits=command.parts, rows=command.rows)


def _refusals(command: LedgerCommand, request: r.DecideRequirements, document: Document) -> Iterator[e.DecisionRefused]:
    """What keeps each decision from being made: rows, sections and warnings that are not there."""
    rows = (document.ledger or Ledger()).row_ids
    for position, decision in enumerate(request.decisions):
        named = [name for name in (decision.requirement_id, decision.merged_into) if name]
        unknown = next((name for name in named if name not in rows), None)
        if unknown is not None:
            field = f"decisions.{position}.requirement_id"
            yield refused(command, Problem.of("row_unknown", field, requirement_id=unknown))
        elif (name := decision.section_id) and name not in document.sections:
            field = f"decisions.{position}.section_id"
            yield refused(command, Problem.of("section_unknown", field, section_id=name), name)
    warnings = (document.ledger or Ledger()).summary.warnings
    for position, warning in enumerate(request.closed):
        if warning not in warnings:
            about = {"code": warning.code, "source": warning.source}
            yield refused(command, Problem.of("warning_unknown", f"closed.{position}", **about))


MOST_NAME = 500


class _Given(TypedDict, total=False):
    version: int
    file: str


def work(document: Document) -> Iterator[Work]:
    """The reading that is open, and the model that is asked, also while the document is paused."""
    ledger = document.ledger
    if ledger is not None and ledger.job_id is not None:
        yield ledger.job_id, _READING, (document, ledger)
    if ledger is not None and ledger.opinion_job_id is not None:
        yield ledger.opinion_job_id, _OPINION, (document, ledger)


def _extract(document: Document, ledger: Ledger) -> j.ExtractRequirements:
    assert ledger.job_id is not None
    return j.ExtractRequirements(
        job_id=ledger.job_id, document=head_of(document), sources=_sources(document, ledger), previous=ledger.rows
    )


def _propose(document: Document, ledger: Ledger) -> j.ProposeRequirements:
    assert ledger.opinion_job_id is not None
    assert ledger.rows is not None
    return j.ProposeRequirements(
        job_id=ledger.opinion_job_id,
        document=head_of(document),
        sources=_sources(document, ledger),
        rows=ledger.rows,
        recorded_before=ledger.asked_before[1:],
    )


def _sources(document: Document, ledger: Ledger) -> tuple[j.LedgerSource, ...]:
    inputs = {item.name: _source(item, document) for item in requests_of(document)}
    return tuple(({BRIEF: _brief(document), **inputs} if ledger.brief else inputs).values())


def _brief(document: Document) -> j.LedgerSource:
    file = brief_file(document)
    given = _given(document.inputs.get(BRIEF))
    return j.LedgerSource(name=BRIEF, artifact=document.brief, anchors=file.anchors if file else None, **given)


def _source(item: InputFile, document: Document) -> j.LedgerSource:
    given = _given(document.inputs.get(item.input_id or ""))
    return j.LedgerSource(name=item.name, artifact=item.artifact, anchors=item.anchors, **given)


def _given(one: Input | None) -> _Given:
    """The version of an input that counts, and its file."""
    return (
        _Given(version=one.version, file=(one.contents[-1].file.name or "")[:MOST_NAME]) if one and one.contents else {}
    )


def _extracted(document: Document, ledger: Ledger, outcome: o.Outcome) -> e.AnyLedgerEvent:
    match outcome:
        case o.RequirementsExtracted():
            plans = planned_chapters(document, outcome.chapters)
            return filled_from(
                e.RequirementsRead,
                outcome,
                outlined_by=outcome.chapters.source if outcome.chapters and plans else "",
                sections=plans,
            )
        case o.ExtractionFailed() | o.JobDead():
            return e.RequirementsUnread(job_id=outcome.job_id, detail=outcome.detail)
        case _:
            raise unfitting(outcome)


def _proposed(document: Document, ledger: Ledger, outcome: o.Outcome) -> e.AnyLedgerEvent:
    """A model that fails leaves the ledger as it is."""
    match outcome:
        case o.RequirementsProposed():
            opinion, rows = outcome.opinion, outcome.rows
        case o.JobDead():
            opinion, rows = SecondOpinion(failure=outcome.detail or "failed"), None
        case _:
            raise unfitting(outcome)
    return e.RequirementsAdded(job_id=outcome.job_id, opinion=opinion, rows=rows, usage=outcome.usage)


_READING = Task(_extract, _extracted, of_section=False)
_OPINION = Task(_propose, _proposed, of_section=False)


def ledger_view(document: Document, ledger: Ledger) -> LedgerView:
    return filled_from(
        LedgerView,
        ledger,
        warnings=ledger.warnings,
        standings={name: row_of(document, name) for name in ledger.standings},
        open_mandatory=open_mandatory(document),
        reading=ledger.job_id is not None,
        asking=ledger.opinion_job_id is not None,
    )


FEATURE = Feature[LedgerCommand](
    requests=(r.ReadRequirements, r.DecideRequirements, r.SplitRequirements),
    decide=decide,
    events=get_args(e.AnyLedgerEvent),
    evolve=evolve,
    after=sought_again,
    work=work,
    may_start=may_start,
    due=due,
    job_owners={EXTRACT: subjects.VALIDATOR, PROPOSE: subjects.GENERATION},
)
