"""What a paused graph needs: a person answers a question, a service gets a job for the rest."""

from __future__ import annotations

from typing import Any, Literal, assert_never

from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.document import DocumentHead
from stemma_contracts.v1.exports import ExportFormat, ExportSection
from stemma_contracts.v1.needs import Need
from stemma_contracts.v1.references import InputFile
from stemma_contracts.v1.section import SectionStatus
from stemma_document.state import NeedDispatched, Section


def need_met(outcome: o.Outcome, section_id: str, phase: NeedDispatched) -> e.SectionNeedAnswered | None:
    """What an outcome is for a graph that waits for it; none if it is the outcome of another kind of job."""
    by: Literal["validator", "converter"] = "validator" if phase.need.kind == "validation" else "converter"
    said: dict[str, Any] = {
        "section_id": section_id,
        "need_id": phase.need.need_id,
        "job_id": outcome.job_id,
        "answered_by": by,
    }
    match outcome, phase.need.kind:
        case o.DraftValidated(), "validation":
            report = outcome.validation.report
            lost = {} if report else {"failed": True, "detail": "no report"}
            return e.SectionNeedAnswered(**said, answer=report or phase.need.draft, **lost)
        case o.DocumentConverted(), "conversion":
            return e.SectionNeedAnswered(**said, answer=outcome.artifact)
        case o.ConversionFailed() | o.JobDead(), _:
            return e.SectionNeedAnswered(**said, answer=phase.need.draft, failed=True, detail=outcome.detail)
        case _:
            return None


def need_job(
    phase: NeedDispatched, head: DocumentHead, section: Section, images: tuple[InputFile, ...], grounds: dict[str, Any]
) -> j.Job:
    """The job of the service that meets a need; ``grounds`` is where the claims of a draft may stand."""
    need = phase.need
    assert need.draft is not None
    assets = _with_assets(images, need)
    match need.kind:
        case "validation":
            return j.ValidateDraft(
                job_id=phase.job_id,
                document=head,
                # What is being written is not expected to cover the inputs yet.
                section=section.plan.model_copy(update={"covers_inputs": False}),
                version=section.current_number,
                draft=need.draft,
                assets=tuple(image.name for image in assets),
                always_report=True,
                fix=True,
                excerpt=need.excerpt,
                session_id=phase.thread_id,
                **grounds,
            )
        case "conversion":
            # The draft by itself: no remark on its review is to become a part of it.
            whole = ExportSection(
                section_id=section.plan.section_id,
                title=section.plan.title,
                status=SectionStatus.APPROVED,
                version=max(1, section.current_number),
                draft=need.draft,
            )
            return j.ConvertDocument(
                job_id=phase.job_id,
                document=head,
                export_id=need.need_id,
                format=need.format or ExportFormat.DOCX,
                sections=(whole,),
                assets=assets,
                session_id=phase.thread_id,
            )
        case "question" | "upload":
            raise AssertionError("a person's need has no job")
        case _:
            assert_never(need.kind)


def _with_assets(images: tuple[InputFile, ...], need: Need) -> tuple[InputFile, ...]:
    """The images of the document, with those of the need in place of others of their names."""
    return tuple({image.name: image for image in (*images, *need.assets)}.values())
