"""Fold an event into the cycles of a document. The event is a fact: no rule is applied here."""

from __future__ import annotations

from dataclasses import replace

from stemma_contracts.v1 import events as e
from stemma_contracts.v1.cycles import CycleStatus

from . import notes
from .cycle_state import Cycle
from .guidance import guidance_of
from .state import Approved, Document, Edited, Queued, Section


def begun_again(document: Document, event: e.RevisionCycleStarted) -> Document:
    """Every section that is to be written again waits for its turn; a final one that is not stays what it is."""
    queued = {name: _queued(document.sections[name]) for name in event.sections}
    document = replace(document, sections={**document.sections, **queued})
    if document.cycle is None:
        return document
    by_a_person = event.asked_by == "person"
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


def _queued(section: Section) -> Section:
    return replace(section, phase=Queued(guidance_of(section.phase)), checks={}, notes=notes.queued(section.notes))


def cycle_after(document: Document, cycle: Cycle, event: e.AnySectionEvent) -> Cycle:
    """The cycles after an event about a section; what was to be answered is, once all is final and settled."""
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
        case e.SectionEdited() | e.SectionRestored():
            # A text that a person gives is approved by that; others may still be answering the review.
            return _final(cycle)
        case _:
            return cycle


def _final(cycle: Cycle) -> Cycle:
    return replace(cycle, document_status=CycleStatus.FINAL, needs_revision=False, approved=True)
