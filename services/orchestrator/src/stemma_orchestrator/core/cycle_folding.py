"""Fold an event into the cycles of a document. The event is a fact: no rule is applied here."""

from __future__ import annotations

from dataclasses import replace

from stemma_contracts.v1 import events as e
from stemma_contracts.v1.cycles import CycleStatus

from .cycle_state import Cycle
from .state import Document, Queued


def begun_again(document: Document, event: e.RevisionCycleStarted) -> Document:
    """Every section that is to be written again waits for its turn."""
    queued = {name: replace(document.sections[name], phase=Queued(), checks={}) for name in event.sections}
    document = replace(document, sections={**document.sections, **queued})
    if document.cycle is None:
        return document
    by_a_person = event.asked_by == "person"
    cycle = replace(
        document.cycle,
        document_status=CycleStatus.DRAFT,
        revision_count=event.revision_count,
        revision_feedback=event.feedback,
        human_feedback=event.feedback if by_a_person else document.cycle.human_feedback,
        unmet_review=None,
        approved=False if by_a_person else None,
        human_revision_requested=by_a_person,
    )
    return replace(document, cycle=cycle)


def cycle_after(cycle: Cycle, event: e.AnySectionEvent) -> Cycle:
    """The cycles after an event about the review or the final section."""
    if event.section_id == cycle.plan.review_section:
        return _after_review(cycle, event)
    return _after_final(cycle, event) if event.section_id == cycle.plan.final_section else cycle


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
        case e.SectionApproved() | e.SectionEdited() | e.SectionRestored():
            # A text that a person gives is approved by that.
            return replace(
                cycle, document_status=CycleStatus.FINAL, needs_revision=False, revision_feedback=None, approved=True
            )
        case _:
            return cycle
