"""What a paused graph needs: a person answers a question, a service gets a job for the rest."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Literal, TypedDict, assert_never

from stemma_contracts.media import SHOWN
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.exports import ExportFormat, ExportSection
from stemma_contracts.v1.jobs import DropThreads
from stemma_contracts.v1.needs import SKIP, Need, answer_form
from stemma_contracts.v1.references import ArtifactRef, InputFile, UploadRef
from stemma_contracts.v1.section import SectionStatus

from stemma_domain.commands import Asked, refused_section
from stemma_domain.features.editing import change
from stemma_domain.features.inputs.feature import ONE_BYTES, next_ids, room
from stemma_domain.features.inputs.material import evidence_of
from stemma_domain.hooks import Feature, Task
from stemma_domain.jobs import RESUME, grounds, head_of, images_of, unfitting
from stemma_domain.state import (
    AwaitingAnswer,
    Document,
    Failed,
    Generating,
    NeedDispatched,
    Phase,
    Resuming,
    Section,
    answered,
    has_open_heading,
)

MAX_NAMED = 10

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
        return AwaitingAnswer(event.thread_id, event.need, generating)
    return NeedDispatched(new_job(job), event.thread_id, event.need, generating)


def after_need_answered(phase: Phase, event: e.SectionNeedAnswered, new_job: NewJob) -> Phase:
    """A section whose graph goes on, with what it needed or without."""
    if not isinstance(phase, AwaitingAnswer | NeedDispatched):
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


def dispatched_again(phase: NeedDispatched, new_job: NewJob) -> NeedDispatched:
    """The same need under another job."""
    return replace(phase, job_id=new_job(_JOBS[phase.need.kind]))


def decide(command: Asked[r.AnswerNeed], document: Document) -> Sequence[e.AnyEvent]:
    """The answer to what a section waits for: one that its question can have; else the refusal, with those that are."""
    request = command.request
    if request.heading:
        return _gap_filled(command, document)
    phase = document.sections[request.section_id].phase
    if not isinstance(phase, AwaitingAnswer) or phase.need.need_id != request.need_id:
        return [refused_section(command, Problem.of("question_closed", "need_id"))]
    if not _is_understood(request, phase.need, document):
        return [refused_section(command, _not_understood(phase.need))]
    answer = command.stored["answer"]
    return [
        e.SectionNeedAnswered(**command.asked, section_id=request.section_id, need_id=request.need_id, answer=answer)
    ]


def _gap_filled(command: Asked[r.AnswerNeed], document: Document) -> Sequence[e.AnyEvent]:
    """The answer as one more evidence, and the section written anew from it."""
    section = document.sections[command.request.section_id]
    if not has_open_heading(section):
        return [refused_section(command, Problem.of("question_closed", "heading"))]
    if room(document) < ONE_BYTES:
        return [refused_section(command, Problem.of("inputs_too_many", "answer"))]
    about = {"document_id": document.document_id, "section_id": command.request.section_id}
    again = r.RegenerateSection.model_validate({**about, "version": section.current_number})
    written = change(Asked(again, command.asked, command.time), document)
    if isinstance(written, e.DecisionRefused):
        return [written]
    input_id = next(next_ids(document))
    file = InputFile(name=f"{input_id}-answer.md", artifact=command.stored["answer"])
    return [e.DocumentInputAdded(**command.asked, input_id=input_id, file=file, to_read=False), written]


def _not_understood(need: Need) -> Problem:
    forms = ", ".join(f"`{form}`" for form in need.forms)
    references = ", ".join(f"`{entry.reference}`" for entry in need.references[:MAX_NAMED])
    if forms and references:
        return Problem.of("answer_form_or_decision_needed", "decisions", forms=forms, references=references)
    if references:
        return Problem.of("answer_decision_needed", "decisions", references=references)
    return (
        Problem.of("answer_form_needed", "answer", forms=forms)
        if forms
        else Problem.of("answer_words_needed", "answer")
    )


def _is_understood(request: r.AnswerNeed, need: Need, document: Document) -> bool:
    """Whether the words are a form of the need, if it has any, and every decision is about one of its references."""
    if not request.decisions:
        return not need.forms or answer_form(request.answer) in need.forms
    asked = {entry.reference for entry in need.references}
    images = {item.name for item in evidence_of(document) if item.artifact.media_type in SHOWN}
    return all(
        reference in asked and (isinstance(decision, UploadRef) or decision in {SKIP, *images})
        for reference, decision in request.decisions.items()
    )


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
    return tuple({image.name: image for image in (*images_of(document), *need.assets)}.values())


DISPATCHED = Task(_job, _met)
"""A service meets what a paused graph needs."""

DROP = "drop"


def drop_threads(document: Document, held: Iterable[str]) -> DropThreads | None:
    needed = {_thread_of(section.phase) for section in document.sections.values()}
    dropped = tuple(sorted(set(held) - needed))
    if not dropped:
        return None
    job_id = f"{document.document_id}.{document.number}.{DROP}.threads"
    return DropThreads(job_id=job_id, document=head_of(document), threads=dropped)


def _thread_of(phase: Phase) -> str | None:
    match phase:
        case Generating():
            return phase.job_id
        case AwaitingAnswer() | NeedDispatched() | Resuming():
            return phase.thread_id
        case Failed(again=Resuming(thread_id=thread_id)):
            return thread_id
        case _:
            return None


FEATURE = Feature[Asked[r.AnswerNeed]](requests=(r.AnswerNeed,), decide=decide, phases={NeedDispatched: DISPATCHED})
