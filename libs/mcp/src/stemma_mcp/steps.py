"""What makes sense next: after a request, and where a document waits."""

from __future__ import annotations

from collections.abc import Iterator

from stemma_contracts.v1.answers import RequestAccepted
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.section import UNDER_WAY, SectionStatus
from stemma_contracts.v1.summary import SectionSummary
from stemma_domain.views import DocumentView, SectionView

from .answers import Accepted, Step, Wait

ASK_AGAIN_AFTER_S = 2
MOST_STEPS = 5
WHY: dict[Wait, str] = {
    "review": "it waits for a review",
    "question": "it asks something before it can go on",
    "edit": "an edit of it is proposed",
    "stale": "what it rests on has changed: keep or regenerate it",
}


def accepted(answer: RequestAccepted, then: str = "document_status") -> Accepted:
    """The answer to a request, and where to see what becomes of it."""
    step = Step(tool=then, arguments={"document_id": answer.document_id}, why="what becomes of it is told there")
    return Accepted(
        request_id=answer.request_id,
        document_id=answer.document_id,
        section_id=answer.section_id or "",
        held_up_by={name: list(upstreams) for name, upstreams in answer.held_up_by.items()},
        next=[step],
    )


def waits_of(section: SectionView) -> list[Wait]:
    """What a section waits for, by the log; nothing if its form was withdrawn."""
    waits: dict[Wait, bool] = {
        "review": section.waits_for_review,
        "question": section.asks,
        "edit": section.proposes,
        "stale": section.is_to_be_kept_or_regenerated,
    }
    return [wait for wait, is_so in waits.items() if is_so and section.waits]


def waits_in(section: SectionSummary) -> list[Wait]:
    """What a section waits for, by the read model."""
    waits: dict[Wait, bool] = {
        "review": section.status is SectionStatus.AWAITING_REVIEW,
        "question": section.need_id is not None,
        "edit": section.proposal_id is not None,
        "stale": section.stale and section.status not in UNDER_WAY,
    }
    return [wait for wait, is_so in waits.items() if is_so]


def reading(document_id: str, section_id: str, waits: list[Wait]) -> Step:
    """To read a section that waits."""
    arguments: dict[str, str | int] = {"document_id": document_id, "section_id": section_id}
    return Step(tool="read_section", arguments=arguments, why="; ".join(WHY[wait] for wait in waits))


def steps_of(view: DocumentView) -> list[Step]:
    """What can be done about a document now."""
    return list(_steps(view))[:MOST_STEPS]


def _steps(view: DocumentView) -> Iterator[Step]:
    about: dict[str, str | int] = {"document_id": view.document_id}
    if view.status is DocumentStatus.CANCELLED:
        return
    if view.status is DocumentStatus.PAUSED:
        yield Step(tool="resume_document", arguments=about, why="it is paused")
    if view.lacks_brief:
        yield Step(tool="list_inputs", arguments=about, why="its brief could not be read: replace_input gives another")
    for section in view.waiting:
        yield reading(view.document_id, section.section_id, waits_of(section))
    for section in view.sections.values():
        if section.status is SectionStatus.FAILED:
            yield Step(tool="retry_section", arguments=about | {"section_id": section.section_id}, why="it failed")
    if is_at_work(view):
        yield Step(tool="document_status", arguments=about, why="it is being worked on")
    if view.status is DocumentStatus.COMPLETED:
        yield Step(tool="export_document", arguments=about, why="all of its sections are settled")


def is_at_work(view: DocumentView) -> bool:
    """Whether something moves without anybody's decision."""
    exporting = any(export.artifact is None and export.failure is None for export in view.exports.values())
    filling = any(form.artifact is None and not form.reasons for form in view.form_exports.values())
    reading = any(one.state == "reading" for one in view.input_views) or (
        view.ledger is not None and view.ledger.reading
    )
    return view.at_work or view.checking or exporting or filling or reading


def decisions_about(view: DocumentView, section: SectionView, version: int) -> list[Step]:
    """The calls by which a section is decided about that was just read in a version; first the current one is read."""
    if version == section.version:
        return list(_decisions(view, section))
    return [reading(view.document_id, section.section_id, waits)] if (waits := waits_of(section)) else []


def _decisions(view: DocumentView, section: SectionView) -> Iterator[Step]:
    about: dict[str, str | int] = {"document_id": view.document_id, "section_id": section.section_id}
    read = about | {"version": section.version}
    for wait in waits_of(section):
        match wait:
            case "review":
                yield Step(tool="approve_section", arguments=read, why="if the text is as it should be")
                yield Step(tool="revise_section", arguments=read, why="if it is not: say what to change")
            case "question" if section.need is not None:
                need = about | {"need_id": section.need.need_id}
                yield Step(tool="answer_question", arguments=need, why="it cannot go on without an answer")
            case "edit" if section.proposal is not None:
                number, proposal_id = section.proposal.version, section.proposal.proposal_id
                edit = about | {"version": number, "proposal_id": proposal_id}
                yield Step(tool="accept_edit", arguments=edit, why="if the proposed text is better")
                yield Step(tool="reject_edit", arguments=edit, why="if it is not")
            case "stale":
                yield Step(tool="keep_section", arguments=read, why="if the text still holds")
                yield Step(tool="regenerate_section", arguments=read, why="if it does not")
