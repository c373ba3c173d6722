"""The cycles of review as a reader folds them, and as the command line tells them."""

from __future__ import annotations

from typing import Any

import pytest
from stemma_client.cli.wording import conclusion_words, counted_warnings, cycle_words
from stemma_client.folding import apply
from stemma_client.views import DocumentView
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.cycles import CyclePlan, CycleStatus, CycleSummary
from stemma_contracts.v1.values import ArtifactRef, GenerationWarning, SectionStatus

REVIEW = ArtifactRef(digest="c" * 64, size=1, media_type="text/markdown", name="r.md")
PLAN = CyclePlan(review_section="research", final_section="solution", max_revisions=2)


@pytest.fixture
def begun(requested: Any) -> DocumentView:
    return apply(requested.model_copy(update={"cycle": PLAN}), DocumentView("d"))


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


def test_a_document_without_cycles_has_none(requested: Any) -> None:
    assert apply(requested, DocumentView("d")).cycle is None


@pytest.mark.req("D3", "D4")
def test_a_cycle_queues_its_sections_again(begun: DocumentView, drafted: Any) -> None:
    again = e.RevisionCycleStarted(
        revision_count=1, feedback=REVIEW, asked_by="review", sections=("research", "solution")
    )
    view = apply(again, apply(reviewed(1), apply(drafted("research"), begun)))
    assert {section.status for section in view.sections.values()} == {SectionStatus.QUEUED}
    assert (told(view).revision_count, told(view).needs_revision, told(view).approved) == (1, True, None)
    assert cycle_words(told(view)) == "DRAFT, 1 of 2 reviews asked for a revision"


@pytest.mark.req("D3", "D5")
def test_going_on_in_spite_of_a_review_is_shown_and_so_is_its_approval(begun: DocumentView, drafted: Any) -> None:
    view = apply(drafted("solution"), apply(reviewed(2, forced=True), begun))
    assert (told(view).document_status, told(view).forced_continuation) == (CycleStatus.REVIEW, True)
    assert told(view).unmet_review == REVIEW.digest
    view = apply(e.SectionApproved(section_id="solution", version=1, overrides_review=True), view)
    assert (told(view).document_status, told(view).needs_revision, told(view).approved) == (
        CycleStatus.FINAL,
        False,
        True,
    )
    assert cycle_words(told(view)).endswith("the last one was not met any more")


@pytest.mark.req("D6")
def test_a_person_who_asks_for_a_cycle_has_not_approved(begun: DocumentView) -> None:
    again = e.RevisionCycleStarted(revision_count=0, feedback=REVIEW, asked_by="person", sections=("solution",))
    view = apply(again, begun)
    assert (told(view).approved, told(view).human_revision_requested) == (False, True)


def test_a_cycle_that_leaves_the_final_section_alone_leaves_its_approval(begun: DocumentView, drafted: Any) -> None:
    approved = apply(e.SectionApproved(section_id="solution", version=1), apply(drafted("solution"), begun))
    again = e.RevisionCycleStarted(revision_count=1, feedback=REVIEW, asked_by="review", sections=("research",))
    view = apply(again, approved)
    assert (told(view).document_status, told(view).approved) == (CycleStatus.FINAL, True)


def test_what_was_missing_when_a_draft_was_made_is_told(requested: Any, drafted: Any) -> None:
    warning = GenerationWarning(code="role_timed_out", detail="cook")
    draft = drafted("research").model_copy(update={"partial": True, "warnings": (warning,)})
    view = apply(draft, apply(requested, DocumentView("d")))
    current = view.sections["research"].current
    assert current is not None
    assert counted_warnings(current.warnings) == "1 warning: role timed out 1"


def test_what_follows_from_a_review_is_told_in_words() -> None:
    words = [
        conclusion_words(e.ReviewConclusion(needs_revision=needs, revision_count=1, forced_continuation=forced))
        for needs, forced in ((False, False), (True, False), (True, True))
    ]
    assert words == ["no revision needed", "a revision is needed", "gone on in spite of the review"]
