"""From events to the cycles of review that a document goes through."""

from __future__ import annotations

from dataclasses import replace

from stemma_contracts.v1 import events as e
from stemma_contracts.v1.cycles import CyclePlan, CycleStatus, CycleSummary
from stemma_contracts.v1.values import SectionStatus

from .views import DocumentView, SectionView


def begun(event: e.DocumentRequested) -> CycleSummary | None:
    """The cycles of a document that nobody has reviewed yet."""
    return CycleSummary(max_revisions=event.cycle.max_revisions) if event.cycle else None


def begun_again(event: e.RevisionCycleStarted, view: DocumentView) -> DocumentView:
    """Sections are queued again, to answer a review or a person."""
    queued = {name: _queued(view.sections[name]) for name in event.sections if name in view.sections}
    view = replace(view, sections={**view.sections, **queued})
    if view.cycle is None:
        return view
    by_a_person = event.asked_by == "person"
    changes: dict[str, object] = {
        "revision_count": event.revision_count,
        "forced_continuation": False,
        "unmet_review": None,
        "human_revision_requested": by_a_person,
    }
    if view.cycle_plan is not None and view.cycle_plan.final_section in event.sections:
        changes |= {"document_status": CycleStatus.DRAFT, "approved": False if by_a_person else None}
    return replace(view, cycle=view.cycle.model_copy(update=changes))


def _queued(section: SectionView) -> SectionView:
    return replace(
        section,
        status=SectionStatus.QUEUED,
        activity=None,
        checks=frozenset(),
        need=None,
        refusal=None,
        failure=None,
        failed_at=None,
        missing=None,
    )


def cycle_after(view: DocumentView, event: e.SectionEvent) -> DocumentView:
    """The cycles after an event about the section that reviews, or about the one that is made last."""
    if view.cycle is None or view.cycle_plan is None:
        return view
    return replace(view, cycle=view.cycle.model_copy(update=_changes(view.cycle_plan, event)))


def _changes(plan: CyclePlan, event: e.SectionEvent) -> dict[str, object]:
    of_review, of_final = event.section_id == plan.review_section, event.section_id == plan.final_section
    match event:
        case e.SectionApproved(conclusion=e.ReviewConclusion() as found) if of_review:
            unmet = found.review_feedback.digest if found.review_feedback else None
            return {
                "needs_revision": found.needs_revision,
                "revision_count": found.revision_count,
                "forced_continuation": found.forced_continuation,
                "unmet_review": unmet,
            }
        case e.SectionEdited() | e.SectionRestored() if of_review:
            return {"needs_revision": False, "forced_continuation": False, "unmet_review": None}
        case e.SectionDrafted() if of_final:
            return {"document_status": CycleStatus.REVIEW, "approved": None, "human_revision_requested": False}
        case e.SectionApproved() | e.SectionEdited() | e.SectionRestored() if of_final:
            return {"document_status": CycleStatus.FINAL, "needs_revision": False, "approved": True}
        case _:
            return {}
