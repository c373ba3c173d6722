"""What an approval means for the cycles, and a cycle that a person asks for."""

from __future__ import annotations

from collections.abc import Sequence

from stemma_contracts.v1 import events as e
from stemma_contracts.v1.provenance import Origin
from stemma_contracts.v1.references import ArtifactRef
from stemma_document.cycle_state import Cycle
from stemma_document.evolve import evolve
from stemma_document.state import AwaitingReview, Document, Failed, Revising, Section, Validating
from stemma_document.versions import is_a_persons

from stemma_orchestrator.core.commands import RequestMeta

from .routes import can_finalize, should_revise


def follow(document: Document, events: Sequence[e.AnyEvent]) -> Sequence[e.AnyEvent]:
    """The events with what an approval at their end means for the cycles."""
    last = events[-1]
    if document.cycle is None or not isinstance(last, e.SectionApproved):
        return events
    if last.section_id == document.cycle.plan.final_section:
        return [*events[:-1], last.model_copy(update={"overrides_review": not can_finalize(document)})]
    if last.section_id != document.cycle.plan.review_section:
        return events
    return [*events[:-1], *_concluded(document, document.cycle, last)]


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


def revise_all(
    asked: RequestMeta, document: Document, cycle: Cycle, feedback: ArtifactRef, *, replace_edited: bool
) -> e.RevisionCycleStarted:
    """A person has everything written again, as often as it takes; what a person made only by leave."""
    return e.RevisionCycleStarted(
        **asked,
        revision_count=cycle.revision_count,
        feedback=feedback,
        asked_by="person",
        sections=tuple(document.sections) if replace_edited else _machines(document),
    )


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
