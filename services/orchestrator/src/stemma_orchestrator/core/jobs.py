"""The jobs that a state asks for. They are derived at every handling, so that none can be lost."""

from __future__ import annotations

from typing import assert_never

from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1.values import (
    Activity,
    ArtifactRef,
    DocumentHead,
    ExportSection,
    InputFile,
    UpstreamVersion,
)

from .staleness import staleness
from .state import (
    Approved,
    AwaitingReview,
    Document,
    Edited,
    Failed,
    Generating,
    InNeed,
    Lifecycle,
    Queued,
    Resuming,
    Revising,
    Section,
    State,
    Validating,
    status_of,
)

_WORKING = frozenset({Lifecycle.RUNNING, Lifecycle.COMPLETED, Lifecycle.FAILED})


def open_jobs(state: State) -> tuple[j.Job, ...]:
    """Every job that is open: none for sections of a paused or cancelled document, exports always."""
    if not isinstance(state, Document):
        return ()
    working = state.lifecycle in _WORKING
    sections = state.sections.values() if working else ()
    writing = (_section_job(state, section) for section in sections)
    checking = (job for section in sections for job in _check_jobs(state, section))
    exports = (_export_job(state, name) for name in state.exports)
    return tuple(job for job in (*writing, *checking, *exports) if job is not None)


def _check_jobs(document: Document, section: Section) -> list[j.Job]:
    """The open jobs beside the phase."""
    make = {Activity.VALIDATE: _validate, Activity.EVALUATE: _evaluate}
    return [make[activity](document, section, job_id) for job_id, activity in section.checks.items()]


def _section_job(document: Document, section: Section) -> j.Job | None:
    match section.phase:
        case Generating():
            return _generate(document, section, section.phase)
        case Resuming():
            return _resume(document, section, section.phase)
        case Revising():
            return _revise(document, section, section.phase)
        case Validating():
            return _validate(document, section, section.phase.job_id)
        case Queued() | InNeed() | AwaitingReview() | Approved() | Edited() | Failed():
            return None
        case _:
            assert_never(section.phase)


def _generate(document: Document, section: Section, phase: Generating) -> j.GenerateSection:
    lint_round = phase.round > 0 and section.current is not None
    return j.GenerateSection(
        job_id=phase.job_id,
        document=_head(document),
        section=section.plan,
        brief=document.brief,
        inputs=document.inputs,
        outline=_outline(document),
        upstream=_upstream(document, phase.upstream),
        guidance=phase.guidance,
        previous=section.current.draft if lint_round and section.current else None,
        report=phase.report,
        round=phase.round,
        thread_id=phase.job_id,
    )


def _resume(document: Document, section: Section, phase: Resuming) -> j.ResumeGraph:
    return j.ResumeGraph(
        job_id=phase.job_id,
        document=_head(document),
        section=section.plan,
        thread_id=phase.thread_id,
        checkpoint_id=phase.checkpoint_id,
        answer=phase.answer,
    )


def _revise(document: Document, section: Section, phase: Revising) -> j.ReviseDraft:
    return j.ReviseDraft(
        job_id=phase.job_id,
        document=_head(document),
        section=section.plan,
        version=section.current_number,
        draft=_current_draft(section),
        instruction=phase.instruction,
        brief=document.brief,
        upstream=_written(document, section.current.upstream if section.current else ()),
    )


def _validate(document: Document, section: Section, job_id: str) -> j.ValidateDraft:
    return j.ValidateDraft(
        job_id=job_id,
        document=_head(document),
        section=section.plan,
        version=section.current_number,
        draft=_current_draft(section),
        assets=tuple(image.name for image in _images(document)),
    )


def _evaluate(document: Document, section: Section, job_id: str) -> j.EvaluateDraft:
    return j.EvaluateDraft(
        job_id=job_id,
        document=_head(document),
        section=section.plan,
        version=section.current_number,
        draft=_current_draft(section),
        brief=document.brief,
        inputs=document.inputs,
        outline=_outline(document),
        upstream=_written(document, section.current.upstream if section.current else ()),
    )


def _export_job(document: Document, export_id: str) -> j.ConvertDocument | None:
    export = document.exports[export_id]
    if export.job_id is None:
        return None
    stale = staleness(document)
    return j.ConvertDocument(
        job_id=export.job_id,
        document=_head(document),
        export_id=export_id,
        format=export.format,
        sections=tuple(_export_section(section, name in stale) for name, section in document.sections.items()),
        assets=_images(document),
        generator=_generator(document),
    )


def _head(document: Document) -> DocumentHead:
    return DocumentHead(
        document_id=document.document_id,
        tenant=document.tenant,
        kind=document.kind,
        title=document.title,
        created_at=document.created_at,
    )


def _outline(document: Document) -> tuple[j.OutlineEntry, ...]:
    plans = (section.plan for section in document.sections.values())
    return tuple(
        j.OutlineEntry(section_id=plan.section_id, title=plan.title, kind=plan.kind, purpose=plan.purpose)
        for plan in plans
    )


def _upstream(document: Document, versions: tuple[UpstreamVersion, ...]) -> tuple[j.UpstreamDraft, ...]:
    return tuple(
        j.UpstreamDraft(
            section_id=upstream.section_id,
            title=document.sections[upstream.section_id].plan.title,
            version=upstream.version,
            draft=_draft_of(document.sections[upstream.section_id], upstream.version),
        )
        for upstream in versions
    )


def _written(document: Document, versions: tuple[UpstreamVersion, ...]) -> tuple[j.UpstreamDraft, ...]:
    """Upstreams that a person's text rests on: some may not be written yet."""
    return _upstream(document, tuple(upstream for upstream in versions if upstream.version > 0))


def _draft_of(section: Section, number: int) -> ArtifactRef:
    return next(version.draft for version in section.versions if version.number == number)


def _current_draft(section: Section) -> ArtifactRef:
    return section.versions[-1].draft


def _export_section(section: Section, stale: bool) -> ExportSection:
    return ExportSection(
        section_id=section.plan.section_id,
        title=section.plan.title,
        status=status_of(section.phase),
        stale=stale,
        version=section.current_number,
        draft=section.current.draft if section.current else None,
    )


def _images(document: Document) -> tuple[InputFile, ...]:
    return tuple(item for item in document.inputs if item.artifact.media_type.startswith("image/"))


def _generator(document: Document) -> str:
    versions = (version for section in document.sections.values() for version in section.versions)
    return ", ".join(sorted({version.provenance.model for version in versions if version.provenance}))[:200]
