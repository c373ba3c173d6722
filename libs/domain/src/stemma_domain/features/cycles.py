"""Cycles of review: when everything is written again, when it goes on, and when it may end.

The review section judges the others. If it asks for a revision, and has not done so too often, every section is
queued again; else the final section is made, in spite of it if need be, and waits for a person.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from stemma_contracts.v1 import events as e
from stemma_contracts.v1.cycles import CyclePlan, CycleStatus
from stemma_contracts.v1.provenance import Origin
from stemma_contracts.v1.references import ArtifactRef

from stemma_domain.commands import RequestMeta
from stemma_domain.hooks import Feature
from stemma_domain.sections import queued_notes
from stemma_domain.state import (
    Approved,
    AwaitingReview,
    Document,
    Edited,
    Failed,
    Lifecycle,
    Queued,
    Revising,
    Section,
    Validating,
    guidance_of,
)


@dataclass(frozen=True)
class Cycle:
    """What was reviewed, what came of it, and what a person said to the result.

    ``revision_feedback`` is what the authors answer in the cycle that is under way, ``human_feedback`` what a person
    said before it, which counts until the final section is made. ``unmet_review`` asks for a revision and was gone
    on in spite of. ``approved`` is None while no person has decided.
    """

    plan: CyclePlan
    document_status: CycleStatus = CycleStatus.DRAFT
    revision_count: int = 0
    needs_revision: bool = False
    revision_feedback: ArtifactRef | None = None
    human_feedback: ArtifactRef | None = None
    unmet_review: ArtifactRef | None = None
    approved: bool | None = None
    human_revision_requested: bool = False

    @property
    def forced_continuation(self) -> bool:
        """Whether it went on although the last review asks for a revision."""
        return self.unmet_review is not None


def evolve(document: Document, event: e.RevisionCycleStarted) -> Document:
    """Every section that is to be written again waits for its turn; a final one that is not stays what it is."""
    by_a_person = event.asked_by == "person"
    queued = {name: _queued(document.sections[name], by_a_person) for name in event.sections}
    at_its_end = document.lifecycle in (Lifecycle.COMPLETED, Lifecycle.FAILED)
    lifecycle = Lifecycle.RUNNING if at_its_end else document.lifecycle
    document = replace(document, sections={**document.sections, **queued}, lifecycle=lifecycle)
    if document.cycle is None:
        return document
    cycle = document.cycle
    if cycle.plan.final_section in event.sections:
        approved = False if by_a_person else None
        cycle = replace(cycle, document_status=CycleStatus.DRAFT, approved=approved)
    cycle = replace(
        cycle,
        revision_count=event.revision_count,
        revision_feedback=event.feedback,
        human_feedback=event.feedback if by_a_person else cycle.human_feedback,
        unmet_review=None,
        human_revision_requested=by_a_person,
    )
    return replace(document, cycle=cycle)


def _queued(section: Section, replaceable: bool) -> Section:
    """A person whose cycle includes what people wrote gave leave for that."""
    phase, notes = Queued(guidance_of(section.phase)), queued_notes(section.notes)
    return replace(section, phase=phase, checks={}, notes=notes, replaceable=replaceable)


def after(document: Document, event: e.AnyEvent) -> Document:
    if document.cycle is None or not isinstance(event, e.AnySectionEvent):
        return document
    return replace(document, cycle=_cycle_after(document, document.cycle, event))


def _cycle_after(document: Document, cycle: Cycle, event: e.AnySectionEvent) -> Cycle:
    """What was to be answered is, once all is final and settled."""
    if event.section_id == cycle.plan.review_section:
        cycle = _after_review(cycle, event)
    elif event.section_id == cycle.plan.final_section:
        cycle = _after_final(cycle, event)
    settled = all(isinstance(section.phase, Approved | Edited) for section in document.sections.values())
    over = settled and cycle.document_status is CycleStatus.FINAL
    return replace(cycle, revision_feedback=None) if over else cycle


def _after_review(cycle: Cycle, event: e.AnySectionEvent) -> Cycle:
    match event:
        case e.SectionApproved(conclusion=e.ReviewConclusion() as found):
            return replace(
                cycle,
                needs_revision=found.needs_revision,
                revision_count=found.revision_count,
                unmet_review=found.review_feedback,
            )
        case e.SectionEdited() | e.SectionRestored():
            # What a person writes as the review asks for nothing by itself.
            return replace(cycle, needs_revision=False, unmet_review=None)
        case _:
            return cycle


def _after_final(cycle: Cycle, event: e.AnySectionEvent) -> Cycle:
    match event:
        case e.SectionDrafted():
            return replace(
                cycle,
                document_status=CycleStatus.REVIEW,
                revision_feedback=None,
                human_feedback=None,
                approved=None,
                human_revision_requested=False,
            )
        case e.SectionApproved():
            return replace(_final(cycle), revision_feedback=None)
        case e.SectionEdited(awaits_review=True) | e.SectionRestored(awaits_review=True):
            return replace(cycle, document_status=CycleStatus.REVIEW, needs_revision=False, approved=None)
        case e.SectionEdited() | e.SectionRestored():
            # A text that a person gives is approved by that; others may still be answering the review.
            return _final(cycle)
        case _:
            return cycle


def _final(cycle: Cycle) -> Cycle:
    return replace(cycle, document_status=CycleStatus.FINAL, needs_revision=False, approved=True)


def can_finalize(document: Document) -> bool:
    """Whether the final section may be approved with nothing left to say against it."""
    cycle = document.cycle
    return (
        cycle is not None
        and _final_document(document, cycle)
        and cycle.document_status is CycleStatus.REVIEW
        and not cycle.needs_revision
        and _is_reviewed(document, cycle)
    )


def _is_reviewed(document: Document, cycle: Cycle) -> bool:
    """Whether there is a verdict, or a person wrote the review: a reviewer that failed found nothing, not no fault."""
    version = document.sections[cycle.plan.review_section].current
    return version is not None and (version.review is not None or version.is_a_persons)


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
    if version is None:
        return [approved]
    needs_revision = version.review is not None and version.review.needs_revision
    count = cycle.revision_count + needs_revision
    forced = needs_revision and count >= cycle.plan.max_revisions
    conclusion = e.ReviewConclusion(
        needs_revision=needs_revision,
        revision_count=count,
        forced_continuation=forced,
        review_feedback=version.draft if forced else None,
    )
    event = approved.model_copy(update={"conclusion": conclusion})
    reviewed = replace(cycle, needs_revision=needs_revision, revision_count=count)
    if should_revise(replace(document, cycle=reviewed)) == "continue":
        return [event]
    spared = {name for name, one in document.sections.items() if name != approved.section_id and _is_unseen(one)}
    again = e.RevisionCycleStarted(
        revision_count=count,
        feedback=version.draft,
        asked_by="review",
        sections=tuple(name for name in _machines(document) if name not in spared),
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


def _is_unseen(section: Section) -> bool:
    """Whether its reviewer has yet to see a revision: a review does not have such a section written again."""
    revised = section.current is not None and section.current.origin is Origin.REVISED
    match section.phase:
        case AwaitingReview() | Validating(generating=None) | Failed(again=Validating(generating=None)):
            return revised
        case _:
            return False


def _is_in_a_persons_hand(section: Section) -> bool:
    made = section.current is not None and section.current.is_a_persons
    return made or section.proposal is not None or isinstance(section.phase, Revising)


FEATURE: Feature[Any] = Feature(
    follow=follow, events=(e.RevisionCycleStarted,), evolve=evolve, after=after, may_end=is_ended
)
