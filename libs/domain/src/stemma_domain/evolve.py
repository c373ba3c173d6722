"""Fold one event into the state. Applies no rule: the event is a fact. An exception here is a bug of ours.

An event that was decided on this document fits it. One that does not was put into the log by somebody else.
"""

from collections.abc import Callable, Iterator, Set
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, assert_never, get_args

from stemma_contracts.v1 import events as e
from stemma_contracts.v1.provenance import Origin
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.staleness import UpstreamVersion
from stemma_contracts.v1.usage import MonthUsage, Usage
from stemma_contracts.v1.views import StaleView

from stemma_domain.features.inputs.feature import first_inputs
from stemma_domain.jobs import GENERATE, job_id

from .costs import with_costs
from .features.budget import Spending
from .features.cycles import Cycle
from .sections import section_applied, started
from .state import Document, Erased, HandledRequest, NoDocument, Section, State, activity_of, settled
from .table import FEATURES


def evolve(state: State, event: e.AnyEvent, at: datetime | None = None, sequence: int = 0) -> State:
    """The state after an event of this time and place in the stream; without them it is an event that could come.

    An event that does not fit the state leaves it as it is: the very same object is returned.
    """
    if isinstance(event, e.DocumentErased):
        return state if isinstance(state, Erased) else Erased(event, at, sequence)
    match state:
        case Erased():
            return state
        case NoDocument():
            before = _requested(event) if isinstance(event, e.DocumentRequested) else None
        case Document():
            before = state if not isinstance(event, e.DocumentRequested) else None
        case _:
            assert_never(state)
    return _evolved(before, event, at, sequence) if before is not None and fits(before, event) else state


def passed_over(state: State) -> State:
    """The state after an event of a type that is not known here: it counts, for ids of jobs are made of its number."""
    return replace(state, number=state.number + 1) if isinstance(state, Document) else state


def _evolved(document: Document, event: e.AnyEvent, at: datetime | None, sequence: int) -> Document:
    document = replace(document, time=at or document.time, sequence=sequence or document.sequence)
    return _timed(document, _marked(_begun(_applied(_counted(document, event), event), event), event))


def _timed(before: Document, after: Document) -> Document:
    """Since when each section has another activity than before."""
    changed = {
        name: replace(section, notes=replace(section.notes, activity_since=after.time if activity else None))
        for name, section in after.sections.items()
        if (old := before.sections.get(name)) is not section
        and (activity := activity_of(section.phase)) != (activity_of(old.phase) if old else None)
    }
    return replace(after, sections={**after.sections, **changed}) if changed else after


def _requested(event: e.DocumentRequested) -> Document:
    document = Document(
        tenant=event.tenant,
        document_id=event.document_id,
        kind=event.kind,
        title=event.title,
        brief=event.brief,
        created_at=event.created_at,
        language=event.language,
        cycle=Cycle(event.cycle) if event.cycle else None,
        sections={plan.section_id: Section(plan) for plan in event.sections},
        wordings=event.wordings,
        titled_by_file=event.titled_by_file,
        chapters_from_request=event.chapters_from_request,
        owner=event.actor or "",
        spending=Spending(event.budget) if event.budget else None,
    )
    return replace(document, inputs=first_inputs(replace(document, number=1), event))


def _counted(document: Document, event: e.AnyEvent) -> Document:
    """What every event may carry: words of a person, and the request behind it."""
    document = with_words(document, event)
    usage, costs = with_usage(document.usage, event), with_costs(document.costs, event, _waited(document, event))
    if usage is not document.usage:
        document = replace(document, month=_month_after(document, event))
    document = replace(document, number=document.number + 1, usage=usage, costs=costs)
    if event.request_id is None:
        return document
    handled = _handled(document, event, document.requests.get(event.request_id))
    return replace(document, requests=document.requests.insert(event.request_id, handled))


def _month_after(document: Document, event: e.AnyEvent) -> MonthUsage:
    month = f"{(document.time or document.created_at).astimezone(UTC):%Y-%m}"
    before = document.month.usage if document.month and document.month.month == month else NOTHING
    return MonthUsage(month=month, usage=with_usage(before, event))


def _waited(document: Document, event: e.AnyEvent) -> float | None:
    """For how many seconds an edit was made; its section is still as it was."""
    section = document.sections.get(event.section_id) if isinstance(event, e.SectionEvent) else None
    if section is None or document.time is None:
        return None
    since = section.proposal.asked_at if section.proposal else section.notes.activity_since
    return (document.time - since).total_seconds() if since else None


def _begun(document: Document, event: e.AnyEvent) -> Document:
    begun = {name: started(document, document.sections[name]) for name in event.starts}
    return replace(document, sections={**document.sections, **begun}) if begun else document


def _marked(document: Document, event: e.AnyEvent) -> Document:
    """Since when sections are stale is what the events say."""
    cause = event.section_id if isinstance(event, e.SectionEvent) else None
    since = StaleView(since=document.time, sequence=document.sequence, cause=cause)
    marks: dict[str, StaleView | None] = {mark.section_id: since for mark in event.makes_stale}
    marks |= dict.fromkeys(event.clears_stale)
    marked = {name: _with_mark(document.sections[name], mark) for name, mark in marks.items()}
    return replace(document, sections={**document.sections, **marked}) if marked else document


def _with_mark(section: Section, mark: StaleView | None) -> Section:
    return replace(section, notes=replace(section.notes, stale=mark))


def _handled(document: Document, event: e.AnyEvent, before: HandledRequest | None) -> HandledRequest:
    """What came of a request after one more of its events: one about several sections has an event for each."""
    so_far = before or HandledRequest(event.request_digest or "")
    problem = (event.problem,) if isinstance(event, e.DecisionRefused) else ()
    started = {section_id: job_id(document, GENERATE, section_id) for section_id in event.starts}
    return replace(
        so_far,
        section_ids=(*so_far.section_ids, *_sections_of(event)),
        export_id=event.export_id if isinstance(event, e.ExportRequested | e.FormExportRequested) else None,
        return_id=event.return_id if isinstance(event, e.ReturnRequested) else so_far.return_id,
        problems=(*so_far.problems, *problem),
        started=started,
        sequence=document.sequence,
    )


def _sections_of(event: e.AnyEvent) -> tuple[str, ...]:
    match event:
        case e.SectionEvent():
            return (event.section_id,)
        case e.RevisionCycleStarted():
            return event.sections
        case _:
            return ()


def _applied(document: Document, event: e.AnyEvent) -> Document:
    document = _FOLDS[type(event)](document, event)
    for after in _AFTER:
        document = after(document, event)
    return document


def _unchanged(document: Document, _event: e.AnyEvent) -> Document:
    return document


def _superseded(document: Document, event: e.OutcomeSuperseded) -> Document:
    return settled(document, event.job_id)


_FOLDS: dict[type[e.Event], Callable[[Document, Any], Document]] = {
    **dict.fromkeys(get_args(e.AnySectionEvent), section_applied),
    **{event: feature.evolve for feature in FEATURES if feature.evolve for event in feature.events},
    e.OutcomeSuperseded: _superseded,
    e.DocumentRequested: _unchanged,
    e.DecisionRefused: _unchanged,
}
_AFTER = [feature.after for feature in FEATURES if feature.after]


def fits(document: Document, event: e.AnyEvent) -> bool:
    """Whether the document has what the event names; of a ``DocumentRequested``, whether its own plan has it."""
    there: Set[str] = document.sections.keys()
    match event:
        case e.FormFieldsConfirmed():
            there |= {event.section.section_id}
        case e.RequirementsRead(sections=plans) if plans:
            there = {plan.section_id for plan in plans}
        case _:
            pass
    return there >= set(_sections_named(event)) and _has_the_rest(document, event)


def _sections_named(event: e.AnyEvent) -> Iterator[str]:
    yield from event.starts
    yield from (mark.section_id for mark in event.makes_stale)
    yield from event.clears_stale
    match event:
        case e.SectionEvent() | e.FormExportRequested():
            yield event.section_id
            yield from (upstream.section_id for upstream in _upstream_of(event))
            if isinstance(event, e.SectionApprovalWithdrawn):
                yield from event.stops
        case e.RevisionCycleStarted() | e.ReturnApplied() | e.DocumentBudgetReached():
            yield from event.sections
        case e.FormFieldsConfirmed():
            yield from event.section.depends_on
        case e.ExportRequested():
            yield from (pair.section_id for pair in event.redline)
        case e.DocumentRequested() | e.RequirementsRead():
            yield from (name for plan in event.sections for name in plan.depends_on)
        case _:
            pass


def _upstream_of(event: e.AnyEvent) -> tuple[UpstreamVersion, ...]:
    match event:
        case e.SectionDrafted() | e.SectionEdited():
            return event.upstream
        case e.SectionKept():
            return event.accepted
        case _:
            return ()


def _has_the_rest(document: Document, event: e.AnyEvent) -> bool:
    match event:
        case e.DocumentInputAdded():
            return True
        case e.DocumentThreadsErased():
            return document.erasure is not None
        case e.InputEvent() | e.FormFieldsConfirmed():
            return event.input_id in document.inputs
        case e.FormExportRequested():
            one = document.inputs.get(event.input_id)
            has_form = one is not None and one.content(event.input_version) is not None
            return has_form and _has_version(document, event.section_id, event.version)
        case e.FormExported() | e.FormExportFailed():
            return event.export_id in document.form_exports
        case e.ReturnRead() | e.ReturnUnread() | e.ReturnApplied():
            return event.return_id in document.returns
        case e.SectionRestored():
            return _has_version(document, event.section_id, event.restored_version)
        case e.SectionDrafted() | e.SectionEdited() | e.SectionKept():
            rests_on = ((upstream.section_id, upstream.version) for upstream in _upstream_of(event))
            return all(number == 0 or _has_version(document, name, number) for name, number in rests_on)
        case e.SectionRevisionRequested() | e.SectionEditRequested():
            return document.sections[event.section_id].current is not None
        case _:
            return True


def _has_version(document: Document, section_id: str, number: int) -> bool:
    return any(version.number == number for version in document.sections[section_id].versions)


MOST_SAID, MOST_INSTRUCTIONS = 150, 50
"""A job carries the latest words only; 200 references are about 50 KB."""


def with_words(document: Document, event: e.AnyEvent) -> Document:
    """The document with the words of people in an event, the latest last, the same words once."""
    asked = _instruction(event)
    words = asked or _words(event)
    if words is not None and words not in document.said:
        document = replace(document, said=(*document.said, words)[-MOST_SAID:])
    if asked is not None and asked not in document.instructions:
        document = replace(document, instructions=(*document.instructions, asked)[-MOST_INSTRUCTIONS:])
    return document


def _instruction(event: e.AnyEvent) -> ArtifactRef | None:
    match event:
        case e.SectionRegenerationRequested():
            return event.guidance
        case e.SectionRevisionRequested():
            return event.feedback
        case e.SectionEditRequested():
            return event.instruction
        case e.RevisionCycleStarted() if event.asked_by == "person":
            return event.feedback
        case _:
            return None


def _words(event: e.AnyEvent) -> ArtifactRef | None:
    match event:
        case e.SectionNeedAnswered() if event.answered_by == "person":
            return event.answer
        case e.SectionEdited() if event.origin is Origin.WRITTEN:
            return event.draft
        case _:
            return None


NOTHING = Usage()


def with_usage(so_far: Usage, event: e.AnyEvent) -> Usage:
    """The usage after an event, which may tell that of a job."""
    return so_far.plus(event.usage) if isinstance(event, e.PaidEvent) and event.usage != NOTHING else so_far


def with_usage_before(event: e.AnyEvent, so_far: Usage) -> e.AnyEvent:
    """An event that adds to the usage with what it was before: whoever sees this event alone knows both."""
    if not isinstance(event, e.PaidEvent) or event.usage == NOTHING:
        return event
    return event.model_copy(update={"usage_before": so_far})
