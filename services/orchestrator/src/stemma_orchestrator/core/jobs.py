"""The jobs that a state asks for. They are derived at every handling, so that none can be lost."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, assert_never

from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1.coverage import CoverageSummary
from stemma_contracts.v1.document import DocumentHead
from stemma_contracts.v1.exports import ExportSection
from stemma_contracts.v1.references import ArtifactRef, InputFile
from stemma_contracts.v1.section import Activity
from stemma_contracts.v1.staleness import UpstreamVersion
from stemma_document.proposal_state import Proposed, Proposing
from stemma_document.staleness import staleness
from stemma_document.state import (
    Document,
    Export,
    Generating,
    Lifecycle,
    NeedDispatched,
    Resuming,
    Revising,
    Section,
    State,
    Validating,
    Working,
    open_job_id,
    status_of,
)
from stemma_document.tries import Tries

from .cycles import exported, human_feedback
from .grounds import grounds, upstream_drafts
from .needs import need_job
from .redlines import compared_assets, compared_sections

_WORKING = frozenset({Lifecycle.RUNNING, Lifecycle.COMPLETED, Lifecycle.FAILED})


def open_jobs(state: State) -> tuple[j.Job, ...]:
    """Every job that is open: none for sections of a paused or cancelled document, exports always."""
    return tuple(make() for make in openings(state).values())


def openings(state: State) -> dict[str, Callable[[], j.Job]]:
    """How to make each open job, by its id: most of them were published before and need not be made again."""
    if not isinstance(state, Document):
        return {}
    makers: dict[str, Callable[[], j.Job]] = {}
    sections = state.sections.values() if state.lifecycle in _WORKING else ()
    for section in sections:
        if isinstance(section.phase, Working):
            makers[section.phase.job_id] = partial(_section_job, state, section, section.phase)
        if isinstance(section.proposal, Proposing):
            makers[section.proposal.job_id] = partial(_propose, state, section, section.proposal)
        if isinstance(section.proposal, Proposed) and section.proposal.check is not None:
            proposed, check = section.proposal.draft, section.proposal.check
            makers[check] = partial(_validate_proposed, state, section, proposed, check)
    for section in sections:
        for job_id, activity in section.checks.items():
            makers[job_id] = partial(_CHECKS[activity], state, section, job_id)
    for export_id, export in state.exports.items():
        if export.job_id is not None:
            makers[export.job_id] = partial(_export_job, state, export_id, export, export.job_id)
    return makers


def closed_jobs(before: State, after: State) -> frozenset[str]:
    """The jobs about sections that nobody waits for any more; what a paused document has begun is waited for."""
    return _awaited(before) - _awaited(after)


def _awaited(state: State) -> frozenset[str]:
    sections = state.sections.values() if isinstance(state, Document) else ()
    at_work = (open_job_id(section.phase) for section in sections)
    checks = (job_id for section in sections for job_id in section.checks)
    proposing = (s.proposal.job_id for s in sections if isinstance(s.proposal, Proposing))
    proposed = (s.proposal.check for s in sections if isinstance(s.proposal, Proposed))
    return frozenset(job_id for job_id in (*at_work, *checks, *proposing, *proposed) if job_id is not None)


def _section_job(document: Document, section: Section, phase: Working) -> j.Job:
    match phase:
        case Generating():
            return _generate(document, section, phase)
        case NeedDispatched():
            return need_job(
                phase, head_of(document), section, _images(document), grounds(document, phase.generating.upstream)
            )
        case Resuming():
            return _resume(document, section, phase)
        case Revising():
            return _revise(document, section, phase.job_id, phase.instruction, phase.tries)
        case Validating():
            return _validate(document, section, phase.job_id)
        case _:
            assert_never(phase)


def _generate(document: Document, section: Section, phase: Generating) -> j.GenerateSection:
    in_cycle = document.cycle is not None and document.cycle.revision_feedback is not None
    again = phase.round > 0 or in_cycle
    return j.GenerateSection(
        job_id=phase.job_id,
        document=head_of(document),
        section=section.plan,
        brief=document.brief,
        inputs=document.inputs,
        outline=_outline(document),
        upstream=upstream_drafts(document, phase.upstream),
        guidance=phase.guidance or human_feedback(document),
        previous=section.current.draft if again and section.current else None,
        report=phase.report,
        round=phase.round,
        revision_feedback=document.cycle.revision_feedback if document.cycle else None,
        unmet_review=document.cycle.unmet_review if document.cycle else None,
        thread_id=phase.job_id,
        **_tried(phase.tries),
        answered_before=phase.tries.answers,
    )


def _resume(document: Document, section: Section, phase: Resuming) -> j.ResumeGraph:
    return j.ResumeGraph(
        job_id=phase.job_id,
        document=head_of(document),
        section=section.plan,
        thread_id=phase.thread_id,
        checkpoint_id=phase.checkpoint_id,
        answer=phase.answer,
        answered_by=phase.answered_by,
        failed=phase.failed,
        detail=phase.detail,
        **_tried(phase.generating.tries),
        answered_before=phase.generating.tries.answers,
    )


def _tried(tries: Tries) -> dict[str, Any]:
    return {"recorded_as": tries.recorded_as, "recorded_before": tries.before}


def _propose(document: Document, section: Section, proposal: Proposing) -> j.ReviseDraft:
    return _revise(document, section, proposal.job_id, proposal.instruction, Tries())


def _revise(document: Document, section: Section, job_id: str, instruction: ArtifactRef, tries: Tries) -> j.ReviseDraft:
    return j.ReviseDraft(
        job_id=job_id,
        document=head_of(document),
        section=section.plan,
        version=section.current_number,
        draft=_current_draft(section),
        instruction=instruction,
        brief=document.brief,
        upstream=upstream_drafts(document, _rests_on(section)),
        report=section.current.validation.report if section.current and section.current.validation else None,
        **_tried(tries),
    )


def _validate(document: Document, section: Section, job_id: str) -> j.ValidateDraft:
    return j.ValidateDraft(
        job_id=job_id,
        document=head_of(document),
        section=section.plan,
        version=section.current_number,
        draft=_current_draft(section),
        assets=tuple(image.name for image in _images(document)),
        history=_draft_history(section),
        left_out=section.current.left_out if section.current else None,
        **grounds(document, _rests_on(section)),
    )


def _draft_history(section: Section) -> j.DraftHistory:
    """What the blocks of the current version take their ids from: the drafts since the last that has blocks."""
    earlier = section.versions[:-1]
    known = max((place for place, version in enumerate(earlier) if version.blocks), default=0)
    since = earlier[known:]
    return j.DraftHistory(
        blocks=since[0].blocks if since else None,
        drafts=tuple(version.draft for version in since),
    )


def _validate_proposed(document: Document, section: Section, proposed: ArtifactRef, job_id: str) -> j.ValidateDraft:
    """The check that the text would have as a version; ids of blocks are given to versions alone."""
    check = _validate(document, section, job_id)
    return check.model_copy(update={"draft": proposed, "history": None})


def _evaluate(document: Document, section: Section, job_id: str) -> j.EvaluateDraft:
    return j.EvaluateDraft(
        job_id=job_id,
        document=head_of(document),
        section=section.plan,
        version=section.current_number,
        draft=_current_draft(section),
        brief=document.brief,
        inputs=document.inputs,
        outline=_outline(document),
        upstream=upstream_drafts(document, _rests_on(section)),
    )


_CHECKS: dict[Activity, Callable[[Document, Section, str], j.Job]] = {
    Activity.VALIDATE: _validate,
    Activity.EVALUATE: _evaluate,
}


def _export_job(document: Document, export_id: str, export: Export, job_id: str) -> j.ConvertDocument:
    return j.ConvertDocument(
        job_id=job_id,
        document=head_of(document),
        export_id=export_id,
        format=export.format,
        sections=compared_sections(export.redline, document) if export.redline else _export_sections(document),
        assets=_images(document, compared_assets(export.redline, document)),
        generator=_generator(document),
        redline=bool(export.redline),
    )


def head_of(document: Document) -> DocumentHead:
    """What every job says of its document."""
    return DocumentHead(
        document_id=document.document_id,
        tenant=document.tenant,
        kind=document.kind,
        title=document.title,
        created_at=document.created_at,
        language=document.language,
    )


def _outline(document: Document) -> tuple[j.OutlineEntry, ...]:
    plans = (section.plan for section in document.sections.values())
    return tuple(
        j.OutlineEntry(
            section_id=plan.section_id, title=plan.title, kind=plan.kind, purpose=plan.purpose, collects=plan.collects
        )
        for plan in plans
    )


def _rests_on(section: Section) -> tuple[UpstreamVersion, ...]:
    return section.current.upstream if section.current else ()


def _current_draft(section: Section) -> ArtifactRef:
    return section.versions[-1].draft


def _export_sections(document: Document) -> tuple[ExportSection, ...]:
    stale = staleness(document)
    return tuple(_export_section(section, section.plan.section_id in stale) for section in exported(document))


def _export_section(section: Section, stale: bool) -> ExportSection:
    return ExportSection(
        section_id=section.plan.section_id,
        title=section.plan.title,
        status=status_of(section.phase),
        stale=stale,
        version=section.current_number,
        draft=section.current.draft if section.current else None,
        max_pages=section.plan.max_pages,
        covers_inputs=section.plan.covers_inputs,
        coverage=_coverage(section),
    )


def _coverage(section: Section) -> CoverageSummary | None:
    return section.current.validation.coverage if section.current and section.current.validation else None


def _images(document: Document, compared: tuple[InputFile, ...] = ()) -> tuple[InputFile, ...]:
    """The images among the inputs, and those that came with a section's draft: they go first.

    Those that came with ``compared`` versions go before all.
    """
    inputs = (item for item in document.inputs if item.artifact.media_type.startswith("image/"))
    drafts = (asset for section in document.sections.values() if section.current for asset in section.current.assets)
    return tuple({image.name: image for image in (*inputs, *drafts, *compared)}.values())


def _generator(document: Document) -> str:
    versions = (version for section in document.sections.values() for version in section.versions)
    return ", ".join(sorted({version.provenance.model for version in versions if version.provenance}))[:200]
