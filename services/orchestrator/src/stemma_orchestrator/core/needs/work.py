"""The work of meeting a need: the job of the service that can, and the answer that its outcome is."""

from __future__ import annotations

from typing import Literal, TypedDict, assert_never

from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.exports import ExportFormat, ExportSection
from stemma_contracts.v1.needs import Need
from stemma_contracts.v1.references import ArtifactRef, InputFile
from stemma_contracts.v1.section import SectionStatus
from stemma_document.state import Document, NeedDispatched, Section

from stemma_orchestrator.core.hooks import Task
from stemma_orchestrator.core.job_parts import grounds, head_of, images_of
from stemma_orchestrator.core.outcomes import unfitting


class _Answered(TypedDict):
    section_id: str
    need_id: str
    job_id: str
    answered_by: Literal["validator", "converter"]


def _met(document: Document, section: Section, phase: NeedDispatched, outcome: o.Outcome) -> e.SectionNeedAnswered:
    need = phase.need
    answered = _Answered(
        section_id=section.plan.section_id,
        need_id=need.need_id,
        job_id=outcome.job_id,
        answered_by="validator" if need.kind == "validation" else "converter",
    )
    match outcome, need.kind:
        case o.DraftValidated(), "validation":
            if (report := outcome.validation.report) is None:
                return e.SectionNeedAnswered(**answered, answer=_draft_of(need), failed=True, detail="no report")
            return e.SectionNeedAnswered(**answered, answer=report)
        case o.DocumentConverted(), "conversion":
            return e.SectionNeedAnswered(**answered, answer=outcome.artifact)
        case o.ConversionFailed() | o.JobDead(), _:
            return e.SectionNeedAnswered(**answered, answer=_draft_of(need), failed=True, detail=outcome.detail)
        case _:
            raise unfitting(outcome)


def _job(document: Document, section: Section, phase: NeedDispatched) -> j.Job:
    need = phase.need
    match need.kind:
        case "validation":
            return _validate(document, section, phase, need)
        case "conversion":
            return _convert(document, section, phase, need)
        case "question" | "upload":
            raise AssertionError("a person's need has no job")
        case _:
            assert_never(need.kind)


def _validate(document: Document, section: Section, phase: NeedDispatched, need: Need) -> j.ValidateDraft:
    return j.ValidateDraft(
        job_id=phase.job_id,
        document=head_of(document),
        # What is being written is not expected to cover the inputs yet.
        section=section.plan.model_copy(update={"covers_inputs": False}),
        version=section.current_number,
        draft=_draft_of(need),
        assets=tuple(image.name for image in _images(document, need)),
        always_report=True,
        fix=True,
        excerpt=need.excerpt,
        session_id=phase.thread_id,
        **grounds(document, phase.generating.upstream),
    )


def _convert(document: Document, section: Section, phase: NeedDispatched, need: Need) -> j.ConvertDocument:
    """The draft by itself: no remark on its review is to become a part of it."""
    whole = ExportSection(
        section_id=section.plan.section_id,
        title=section.plan.title,
        status=SectionStatus.APPROVED,
        version=max(1, section.current_number),
        draft=_draft_of(need),
    )
    return j.ConvertDocument(
        job_id=phase.job_id,
        document=head_of(document),
        export_id=need.need_id,
        format=need.format or ExportFormat.DOCX,
        sections=(whole,),
        assets=_images(document, need),
        session_id=phase.thread_id,
    )


def _draft_of(need: Need) -> ArtifactRef:
    assert need.draft is not None, "a service is given something to work on"
    return need.draft


def _images(document: Document, need: Need) -> tuple[InputFile, ...]:
    """The images of the document, with those of the need in place of others of their names."""
    return tuple({image.name: image for image in (*images_of(document), *need.assets)}.values())


DISPATCHED = Task(_job, _met)
"""A service meets what a paused graph needs."""
