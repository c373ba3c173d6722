"""What a paused graph needs: a person answers a question, a service gets a job for the rest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal, assert_never

from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.exports import ExportSection
from stemma_contracts.v1.needs import Need
from stemma_contracts.v1.values import DocumentHead, ExportFormat, InputFile, SectionStatus

from .state import Generating, InNeed, MeetingNeed, Phase, Resuming, Section
from .tries import answered

RESUME = "resume"
_JOBS: dict[str, Literal["validate", "convert"]] = {"validation": "validate", "conversion": "convert"}

NewJob = Callable[[str], str]


def after_need_raised(phase: Phase, event: e.SectionNeedRaised, new_job: NewJob) -> Phase:
    """A section whose graph paused; ``new_job`` gives the id of a job by its name."""
    match phase:
        case Generating():
            generating = phase
        case Resuming():
            generating = phase.generating
        case _:
            return phase
    job = _JOBS.get(event.need.kind)
    if job is None or event.need.draft is None:
        return InNeed(event.thread_id, event.need, generating)
    return MeetingNeed(new_job(job), event.thread_id, event.need, generating)


def after_need_answered(phase: Phase, event: e.SectionNeedAnswered, new_job: NewJob) -> Phase:
    """A section whose graph goes on, with what it needed or without."""
    if not isinstance(phase, InNeed | MeetingNeed):
        return phase
    generating = phase.generating
    if event.answered_by == "person":
        generating = replace(generating, tries=answered(generating.tries, phase.need, event.answer))
    return Resuming(
        new_job(RESUME),
        phase.thread_id,
        phase.need.checkpoint_id,
        event.answer,
        generating,
        event.answered_by,
        event.failed,
        event.detail,
    )


def meeting_again(phase: MeetingNeed, new_job: NewJob) -> MeetingNeed:
    """The same need under another job."""
    return replace(phase, job_id=new_job(_JOBS[phase.need.kind]))


def need_met(outcome: o.Outcome, section_id: str, phase: MeetingNeed) -> e.SectionNeedAnswered | None:
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
    phase: MeetingNeed, head: DocumentHead, section: Section, images: tuple[InputFile, ...], grounds: dict[str, Any]
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
