"""Fold one event into the state. Never refuses, never raises, applies no rule: the event is a fact."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar, assert_never

from stemma_contracts.v1 import events as e
from stemma_contracts.v1.values import Usage

from .cycle_folding import begun_again, cycle_after
from .cycle_state import Cycle
from .sections import CONVERT, GENERATE, cancelled, job_id, section_after, started
from .state import Document, Export, HandledRequest, Lifecycle, NoDocument, Section, State

_REOPENING = (
    e.SectionRetried,
    e.SectionEditRequested,
    e.SectionEdited,
    e.SectionRestored,
    e.SectionRegenerationRequested,
)

V = TypeVar("V")


def evolve(state: State, event: e.AnyEvent) -> State:
    """The state after an event."""
    match state:
        case NoDocument():
            return _begun(event, _requested(event)) if isinstance(event, e.DocumentRequested) else state
        case Document():
            return _begun(event, _applied(replace(state, number=state.number + 1), event))
        case _:
            assert_never(state)


def _requested(event: e.DocumentRequested) -> Document:
    return Document(
        tenant=event.tenant,
        document_id=event.document_id,
        kind=event.kind,
        title=event.title,
        brief=event.brief,
        inputs=event.inputs,
        created_at=event.created_at,
        cycle=Cycle(event.cycle) if event.cycle else None,
        sections={plan.section_id: Section(plan) for plan in event.sections},
    )


def _begun(event: e.AnyEvent, document: Document) -> Document:
    """What every event may carry: the request behind it, what it cost, and the sections that it starts."""
    if event.request_id is not None:
        document = replace(document, requests=_with(document.requests, event.request_id, _handled(document, event)))
    usage = getattr(event, "usage", None)
    if usage is not None:
        document = replace(document, usage=_added(document.usage, usage))
    for section_id in event.starts:
        section = document.sections[section_id]
        document = with_section(document, started(document, section))
    return document


def _handled(document: Document, event: e.AnyEvent) -> HandledRequest:
    return HandledRequest(
        digest=event.request_digest or "",
        section_id=getattr(event, "section_id", None),
        export_id=getattr(event, "export_id", None),
        refusal=event if isinstance(event, e.DecisionRefused) else None,
        started={section_id: job_id(document, GENERATE, section_id) for section_id in event.starts},
    )


def _applied(document: Document, event: e.AnyEvent) -> Document:
    match event:
        case e.DocumentPaused():
            return replace(document, lifecycle=Lifecycle.PAUSED)
        case e.DocumentResumed():
            return replace(document, lifecycle=Lifecycle.RUNNING)
        case e.DocumentCancelled():
            sections = {name: cancelled(section) for name, section in document.sections.items()}
            return replace(document, lifecycle=Lifecycle.CANCELLED, sections=sections)
        case e.DocumentCompleted():
            return replace(document, lifecycle=Lifecycle.COMPLETED)
        case e.DocumentFailed():
            return replace(document, lifecycle=Lifecycle.FAILED)
        case e.ExportRequested():
            export = Export(event.format, job_id(document, CONVERT, event.export_id), event.redline)
            return replace(document, exports=_with(document.exports, event.export_id, export))
        case e.DocumentExported() | e.ExportFailed() | e.ExportJobDead():
            settled = _settled(document, event.job_id)
            return replace(settled, exports=_with(settled.exports, event.export_id, Export(event.format, None)))
        case e.OutcomeSuperseded():
            return _settled(document, event.job_id)
        case e.RevisionCycleStarted():
            at_its_end = document.lifecycle in (Lifecycle.COMPLETED, Lifecycle.FAILED)
            document = begun_again(document, event)
            return replace(document, lifecycle=Lifecycle.RUNNING) if at_its_end else document
        case e.DocumentRequested() | e.DecisionRefused():
            return document
        case e.SectionEvent():
            return _section_applied(document, event)
        case _:
            assert_never(event)


def _section_applied(document: Document, event: e.AnySectionEvent) -> Document:
    closed = getattr(event, "job_id", None)
    if closed is not None:
        document = _settled(document, closed)
    section = section_after(document, document.sections[event.section_id], event)
    document = with_section(document, section)
    if document.cycle is not None:
        document = replace(document, cycle=cycle_after(document, document.cycle, event))
    at_its_end = document.lifecycle in (Lifecycle.COMPLETED, Lifecycle.FAILED)
    return replace(document, lifecycle=Lifecycle.RUNNING) if at_its_end and isinstance(event, _REOPENING) else document


def with_section(document: Document, section: Section) -> Document:
    """The document with another state of one section."""
    return replace(document, sections=_with(document.sections, section.plan.section_id, section))


def _settled(document: Document, closed_job: str) -> Document:
    return replace(document, settled_jobs=document.settled_jobs | {closed_job})


def _with(mapping: Mapping[str, V], key: str, value: V) -> Mapping[str, V]:
    return {**mapping, key: value}


def _added(total: Usage, more: Usage) -> Usage:
    return Usage(
        calls=total.calls + more.calls,
        input_tokens=total.input_tokens + more.input_tokens,
        output_tokens=total.output_tokens + more.output_tokens,
        cost=total.cost + more.cost,
    )
