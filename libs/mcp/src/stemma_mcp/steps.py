"""What makes sense next: after a request, and where a document waits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stemma_contracts.v1.answers import RequestAccepted
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.section import SectionStatus, Wait
from stemma_contracts.v1.views import DocumentView, SectionView

from .answers import Accepted, Step

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


def reading(document_id: str, section_id: str, waits: Sequence[Wait]) -> Step:
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
        yield reading(view.document_id, section.section_id, section.waits_for)
    for section in view.sections.values():
        if section.status is SectionStatus.FAILED:
            yield Step(tool="retry_section", arguments=about | {"section_id": section.section_id}, why="it failed")
    if view.is_moving:
        yield Step(tool="document_status", arguments=about, why="it is being worked on")
    if view.status is DocumentStatus.COMPLETED:
        yield Step(tool="export_document", arguments=about, why="all of its sections are settled")


def decisions_about(view: DocumentView, section: SectionView, version: int) -> list[Step]:
    """The calls by which a section is decided about that was just read in a version; first the current one is read."""
    if version == section.version:
        return list(_decisions(view, section))
    return [reading(view.document_id, section.section_id, waits)] if (waits := section.waits_for) else []


def _decisions(view: DocumentView, section: SectionView) -> Iterator[Step]:
    about: dict[str, str | int] = {"document_id": view.document_id, "section_id": section.section_id}
    read = about | {"version": section.version}
    for wait in section.waits_for:
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
