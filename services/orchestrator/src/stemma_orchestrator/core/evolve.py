"""Fold one event into the state. Never refuses, never raises, applies no rule: the event is a fact."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar, assert_never

from stemma_contracts.v1 import events as e
from stemma_contracts.v1.values import Activity, SectionStatus, UpstreamVersion, Usage

from .state import (
    Approved,
    AwaitingReview,
    Document,
    Export,
    Failed,
    Generating,
    HandledRequest,
    InNeed,
    Lifecycle,
    NoDocument,
    Phase,
    Queued,
    Resuming,
    Revising,
    Section,
    State,
    Validating,
    Version,
)

GENERATE = "generate"
RESUME = "resume"
REVISE = "revise"
VALIDATE = "validate"
CONVERT = "convert"

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


def job_id(document: Document, job: str, target: str) -> str:
    """The id of a job: document, number of the event that opened it, job name, section or export."""
    return f"{document.document_id}.{document.number}.{job}.{target}"


def _requested(event: e.DocumentRequested) -> Document:
    return Document(
        tenant=event.tenant,
        document_id=event.document_id,
        kind=event.kind,
        title=event.title,
        brief=event.brief,
        inputs=event.inputs,
        created_at=event.created_at,
        sections={plan.section_id: Section(plan) for plan in event.sections},
    )


def _begun(event: e.AnyEvent, document: Document) -> Document:
    """What every event may carry: the request behind it, what it cost, and the sections that it starts."""
    if event.request_id is not None:
        document = replace(document, requests=_with(document.requests, event.request_id, _handled(event)))
    usage = getattr(event, "usage", None)
    if usage is not None:
        document = replace(document, usage=_added(document.usage, usage))
    for section_id in event.starts:
        section = document.sections[section_id]
        phase = Generating(job_id(document, GENERATE, section_id), upstream_versions(document, section))
        document = _with_phase(document, section_id, phase)
    return document


def _handled(event: e.AnyEvent) -> HandledRequest:
    return HandledRequest(
        digest=event.request_digest or "",
        section_id=getattr(event, "section_id", None),
        export_id=getattr(event, "export_id", None),
        refusal=event if isinstance(event, e.DecisionRefused) else None,
    )


def _applied(document: Document, event: e.AnyEvent) -> Document:
    match event:
        case e.DocumentPaused():
            return replace(document, lifecycle=Lifecycle.PAUSED)
        case e.DocumentResumed():
            return replace(document, lifecycle=Lifecycle.RUNNING)
        case e.DocumentCancelled():
            return replace(document, lifecycle=Lifecycle.CANCELLED)
        case e.DocumentCompleted():
            return replace(document, lifecycle=Lifecycle.COMPLETED)
        case e.DocumentFailed():
            return replace(document, lifecycle=Lifecycle.FAILED)
        case e.ExportRequested():
            export = Export(event.format, job_id(document, CONVERT, event.export_id))
            return replace(document, exports=_with(document.exports, event.export_id, export))
        case e.DocumentExported() | e.ExportFailed() | e.ExportJobDead():
            settled = _settled(document, event.job_id)
            return replace(settled, exports=_with(settled.exports, event.export_id, Export(event.format, None)))
        case e.OutcomeSuperseded():
            return _settled(document, event.job_id)
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
    section = _section_after(document, document.sections[event.section_id], event)
    document = replace(document, sections=_with(document.sections, event.section_id, section))
    reopened = isinstance(event, e.SectionRetried) and document.lifecycle is Lifecycle.FAILED
    return replace(document, lifecycle=Lifecycle.RUNNING) if reopened else document


def _section_after(document: Document, section: Section, event: e.AnySectionEvent) -> Section:
    section_id = section.plan.section_id
    match event:
        case e.SectionDrafted():
            version = Version(event.version, event.draft, event.upstream, event.provenance, event.evaluation)
            validating = Validating(job_id(document, VALIDATE, section_id), _round(section.phase))
            return _with_version(replace(section, phase=validating), version)
        case e.SectionLintFailed():
            upstream = section.current.upstream if section.current else ()
            generating = Generating(
                job_id(document, GENERATE, section_id), upstream, event.round, event.validation.report
            )
            return _validated(replace(section, phase=generating), event)
        case e.SectionReviewRequested():
            return _validated(replace(section, phase=AwaitingReview()), event)
        case e.SectionApproved():
            return _validated(replace(section, phase=Approved()), event)
        case e.SectionRevisionRequested():
            revising = Revising(job_id(document, REVISE, section_id), event.feedback)
            return replace(section, phase=revising, revisions=section.revisions + 1)
        case e.SectionRevised():
            upstream = section.current.upstream if section.current else ()
            version = Version(event.version, event.draft, upstream, event.provenance, event.evaluation)
            validating = Validating(job_id(document, VALIDATE, section_id), revised=True)
            return _with_version(replace(section, phase=validating), version)
        case e.SectionRevisionRefused():
            return replace(section, phase=AwaitingReview())
        case e.SectionFailure():
            return replace(section, phase=_failed(section.phase, event))
        case e.SectionRetried():
            return replace(section, phase=_retried(document, section))
        case e.SectionNeedRaised():
            return replace(section, phase=_in_need(section.phase, event))
        case e.SectionNeedAnswered():
            return replace(section, phase=_resuming(document, section, event))
        case _:
            assert_never(event)


def _failed(phase: Phase, event: e.AnyFailure) -> Phase:
    if event.status is SectionStatus.AWAITING_REVIEW:
        return AwaitingReview()
    return Failed(event.activity, phase if isinstance(phase, Validating) else None)


def _retried(document: Document, section: Section) -> Phase:
    phase = section.phase
    if isinstance(phase, Failed) and phase.validating and phase.activity is Activity.VALIDATE:
        return replace(phase.validating, job_id=job_id(document, VALIDATE, section.plan.section_id))
    return Queued()


def _in_need(phase: Phase, event: e.SectionNeedRaised) -> Phase:
    match phase:
        case Generating():
            return InNeed(event.thread_id, event.need, phase)
        case Resuming():
            return InNeed(event.thread_id, event.need, phase.generating)
        case _:
            return phase


def _resuming(document: Document, section: Section, event: e.SectionNeedAnswered) -> Phase:
    phase = section.phase
    if not isinstance(phase, InNeed):
        return phase
    job = job_id(document, RESUME, section.plan.section_id)
    return Resuming(job, phase.thread_id, phase.need.checkpoint_id, event.answer, phase.generating)


def upstream_versions(document: Document, section: Section) -> tuple[UpstreamVersion, ...]:
    """The current versions of the direct upstreams."""
    return tuple(
        UpstreamVersion(section_id=name, version=document.sections[name].current_number)
        for name in section.plan.depends_on
    )


def _round(phase: Phase) -> int:
    match phase:
        case Generating():
            return phase.round
        case Resuming():
            return phase.generating.round
        case _:
            return 0


def _with_version(section: Section, version: Version) -> Section:
    """A draft with the digest of the current version takes its place: the number goes on only for new text."""
    kept = section.versions[:-1] if section.current_number == version.number else section.versions
    return replace(section, versions=(*kept, version))


def _validated(section: Section, event: e.SectionLintFailed | e.SectionReviewRequested | e.SectionApproved) -> Section:
    if event.validation is None or section.current is None:
        return section
    version = replace(section.current, validation=event.validation)
    return replace(section, versions=(*section.versions[:-1], version))


def _with_phase(document: Document, section_id: str, phase: Phase) -> Document:
    section = replace(document.sections[section_id], phase=phase)
    return replace(document, sections=_with(document.sections, section_id, section))


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
