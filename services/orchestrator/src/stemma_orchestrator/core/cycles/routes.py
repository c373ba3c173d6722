"""Where the cycles of a document lead: what is asked of its state, and answered by it."""

from __future__ import annotations

from typing import Literal

from stemma_contracts.v1.cycles import CycleStatus
from stemma_contracts.v1.references import ArtifactRef
from stemma_document.cycle_state import Cycle
from stemma_document.state import Document, Section


def can_finalize(document: Document) -> bool:
    """Whether the final section may be approved with nothing left to say against it."""
    cycle = document.cycle
    return (
        cycle is not None
        and _final_document(document, cycle)
        and cycle.document_status is CycleStatus.REVIEW
        and not cycle.needs_revision
    )


def should_revise(document: Document) -> Literal["revise", "continue"]:
    """Where the last review leads: all drafts again, or on to the final section."""
    return "revise" if should_continue_revision(document) else "continue"


def should_continue_revision(document: Document) -> bool:
    """Whether the last review is answered by another cycle."""
    cycle = document.cycle
    return cycle is not None and cycle.needs_revision and cycle.revision_count < cycle.plan.max_revisions


def is_ready_for_end(document: Document) -> bool:
    """Whether only the approval of a person is missing."""
    cycle = document.cycle
    return (
        cycle is not None
        and _final_document(document, cycle)
        and cycle.document_status is CycleStatus.REVIEW
        and (not cycle.needs_revision or cycle.revision_count >= cycle.plan.max_revisions)
    )


def _final_document(document: Document, cycle: Cycle) -> bool:
    return document.sections[cycle.plan.final_section].current is not None


def human_feedback(document: Document) -> ArtifactRef | None:
    """What a person said before the cycle that is under way, if that one answers a review."""
    cycle = document.cycle
    if cycle is None or cycle.human_feedback == cycle.revision_feedback:
        return None
    return cycle.human_feedback


def may_be_approved(document: Document, section_id: str) -> bool:
    """Whether an approval of this section ends nothing too early."""
    cycle = document.cycle
    return cycle is None or section_id != cycle.plan.final_section or is_ready_for_end(document)


def human_review(document: Document) -> Literal["approved", "revise", "waiting"]:
    """Where the review of the final section by a person leads: to the end, to all drafts again, or it is to come."""
    cycle = document.cycle
    if cycle is not None and cycle.approved and cycle.document_status is CycleStatus.FINAL:
        return "approved"
    return "revise" if cycle is not None and cycle.human_revision_requested else "waiting"


def is_ended(document: Document) -> bool:
    """Whether the cycles leave nothing open: there are none, or a person approved their result."""
    return document.cycle is None or human_review(document) == "approved"


def exported(document: Document) -> list[Section]:
    """What leaves as the document: the final section once it is written, else all but the answers of a form."""
    if document.cycle is not None and _final_document(document, document.cycle):
        return [document.sections[document.cycle.plan.final_section]]
    return [section for section in document.sections.values() if section.plan.form is None]
