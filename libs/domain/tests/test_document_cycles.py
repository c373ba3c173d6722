"""The cycles of review as a reader sees them."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.cycles import CyclePlan, CycleStatus, CycleSummary
from stemma_contracts.v1.provenance import GenerationWarning
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.section import SectionStatus
from stemma_contracts.v1.views import DocumentView

REVIEW = ArtifactRef(digest="c" * 64, size=1, media_type="text/markdown", name="r.md")
PLAN = CyclePlan(review_section="research", final_section="solution", max_revisions=2)


@pytest.fixture
def begun(requested: Any) -> Any:
    return requested.model_copy(update={"cycle": PLAN})


def told(view: DocumentView) -> CycleSummary:
    assert view.cycle is not None
    return view.cycle


def reviewed(count: int, *, forced: bool = False) -> e.SectionApproved:
    conclusion = e.ReviewConclusion(
        needs_revision=True,
        revision_count=count,
        forced_continuation=forced,
        review_feedback=REVIEW if forced else None,
    )
    return e.SectionApproved(section_id="research", version=1, conclusion=conclusion)


def cycle_started(asked_by: Literal["review", "person"], count: int, *sections: str) -> e.RevisionCycleStarted:
    return e.RevisionCycleStarted(revision_count=count, feedback=REVIEW, asked_by=asked_by, sections=sections)


def test_a_document_without_cycles_has_none(after: Any) -> None:
    assert after().cycle is None


@pytest.mark.req("D3", "D4")
def test_a_cycle_queues_its_sections_again(after: Any, begun: Any, drafted: Any) -> None:
    again = cycle_started("review", 1, "research", "solution")
    view = after(begun, drafted("research"), reviewed(1), again)
    assert {section.status for section in view.sections.values()} == {SectionStatus.QUEUED}
    assert (told(view).revision_count, told(view).needs_revision, told(view).approved) == (1, True, None)
    assert told(view).document_status is CycleStatus.DRAFT


@pytest.mark.req("D3", "D5")
def test_going_on_in_spite_of_a_review_is_shown_and_so_is_its_approval(after: Any, begun: Any, drafted: Any) -> None:
    gone_on = (begun, drafted("research"), reviewed(2, forced=True), drafted("solution"))
    view = after(*gone_on)
    assert (told(view).document_status, told(view).forced_continuation) == (CycleStatus.REVIEW, True)
    assert told(view).unmet_review == REVIEW.digest
    view = after(*gone_on, e.SectionApproved(section_id="solution", version=1, overrides_review=True))
    assert (told(view).document_status, told(view).needs_revision, told(view).approved) == (
        CycleStatus.FINAL,
        False,
        True,
    )
    assert told(view).forced_continuation


@pytest.mark.req("D6")
def test_a_person_who_asks_for_a_cycle_has_not_approved(after: Any, begun: Any) -> None:
    view = after(begun, cycle_started("person", 0, "solution"))
    assert (told(view).approved, told(view).human_revision_requested) == (False, True)


def test_a_cycle_that_leaves_the_final_section_alone_leaves_its_approval(after: Any, begun: Any, drafted: Any) -> None:
    approved = e.SectionApproved(section_id="solution", version=1)
    view = after(begun, drafted("solution"), approved, cycle_started("review", 1, "research"))
    assert (told(view).document_status, told(view).approved) == (CycleStatus.FINAL, True)


def test_what_was_missing_when_a_draft_was_made_is_told(after: Any, drafted: Any) -> None:
    warning = GenerationWarning(code="role_timed_out", detail="cook")
    draft = drafted("research").model_copy(update={"partial": True, "warnings": (warning,)})
    current = after(draft).sections["research"].current
    assert current is not None
    assert current.warnings == (warning,)
