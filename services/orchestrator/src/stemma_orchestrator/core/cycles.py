"""Cycles of review: when everything is written again, when it goes on, and when it may end.

The review section judges the others. If it asks for a revision, and has not done so too often, every section is
queued again; else the final section is made, in spite of it if need be, and waits for a person.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from stemma_contracts.v1 import events as e
from stemma_contracts.v1.cycles import CycleStatus
from stemma_contracts.v1.provenance import Origin
from stemma_contracts.v1.references import ArtifactRef
from stemma_document.cycle_state import Cycle
from stemma_document.evolve import evolve
from stemma_document.state import AwaitingReview, Document, Failed, Revising, Section, State, Validating
from stemma_document.versions import is_a_persons

from .commands import Revise


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


def judged(state: State, events: Sequence[e.AnyEvent]) -> list[e.AnyEvent]:
    """The events with what an approval at their end means for the cycles."""
    last = events[-1]
    if not isinstance(state, Document) or state.cycle is None or not isinstance(last, e.SectionApproved):
        return list(events)
    if last.section_id == state.cycle.plan.final_section:
        return [*events[:-1], last.model_copy(update={"overrides_review": not can_finalize(state)})]
    if last.section_id != state.cycle.plan.review_section:
        return list(events)
    return [*events[:-1], *_concluded(state, state.cycle, last)]


def _concluded(document: Document, cycle: Cycle, approved: e.SectionApproved) -> list[e.AnyEvent]:
    version = document.sections[approved.section_id].current
    if version is None or version.review is None:
        return [approved]
    needs_revision = version.review.needs_revision
    count = cycle.revision_count + needs_revision
    forced = needs_revision and count >= cycle.plan.max_revisions
    conclusion = e.ReviewConclusion(
        needs_revision=needs_revision,
        revision_count=count,
        forced_continuation=forced,
        review_feedback=version.draft if forced else None,
    )
    event = approved.model_copy(update={"conclusion": conclusion})
    after = evolve(document, event)
    if not isinstance(after, Document) or should_revise(after) == "continue":
        return [event]
    again = e.RevisionCycleStarted(
        revision_count=count, feedback=version.draft, asked_by="review", sections=_unseen_spared(after)
    )
    return [event, again]


def _machines(document: Document) -> tuple[str, ...]:
    """The sections whose current text no person made, and no person is having changed."""
    return tuple(name for name, section in document.sections.items() if not _is_in_a_persons_hand(section))


def _unseen_spared(document: Document) -> tuple[str, ...]:
    """The sections that a review may have written again: none with a revision that its reviewer has yet to see."""
    return tuple(name for name in _machines(document) if not _waits_for_its_reviewer(document.sections[name]))


def _waits_for_its_reviewer(section: Section) -> bool:
    revised = section.current is not None and section.current.origin is Origin.REVISED
    match section.phase:
        case AwaitingReview() | Validating(generating=None) | Failed(again=Validating(generating=None)):
            return revised
        case _:
            return False


def _is_in_a_persons_hand(section: Section) -> bool:
    made = section.current is not None and is_a_persons(section.current)
    return made or section.proposal is not None or isinstance(section.phase, Revising)


def revise_all(command: Revise, document: Document, asked: dict[str, Any], refusal: dict[str, Any]) -> e.AnyEvent:
    """A person has everything written again, as often as it takes; what a person made only by leave."""
    cycle = document.cycle
    if cycle is None or command.section_id != cycle.plan.final_section:
        return e.RefusedNoCycle(**refusal)
    return e.RevisionCycleStarted(
        **asked,
        revision_count=cycle.revision_count,
        feedback=command.feedback,
        asked_by="person",
        sections=tuple(document.sections) if command.replace_edited else _machines(document),
    )


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
    """What leaves as the document: the final section once it is written, else all that there is to see."""
    if document.cycle is not None and _final_document(document, document.cycle):
        return [document.sections[document.cycle.plan.final_section]]
    return list(document.sections.values())
