"""The design document: from draft to final, by the approval of a person and of nobody else."""

import domain_asking as asking
import pytest
from domain_design import DRAFTS, EVERY, Design
from domain_story import Story, evaluation, ref
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.cycles import CycleStatus, ReviewVerdict
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.review import ReviewMode, ReviewPolicy
from stemma_contracts.v1.section import SectionStatus
from stemma_domain.features.cycles import (
    can_finalize,
    human_review,
    is_ready_for_end,
    should_continue_revision,
)


@pytest.fixture
def design() -> Design:
    story = Design()
    story.begin()
    return story


@pytest.mark.req("D5")
def test_the_status_goes_from_draft_by_review_to_final(design: Design) -> None:
    assert (design.status_of_design(), design.cycle.approved) == (CycleStatus.DRAFT, None)
    design.draft_all()
    design.review(needs_revision=False)
    assert design.status_of_design() is CycleStatus.DRAFT
    assert not can_finalize(design.document)
    assert not is_ready_for_end(design.document)
    design.write("final_document")
    assert design.status_of_design() is CycleStatus.REVIEW
    assert can_finalize(design.document)
    assert is_ready_for_end(design.document)
    (approved, completed) = design.approve("final_document")
    assert (approved.overrides_review, type(completed)) == (False, e.DocumentCompleted)
    assert (design.status_of_design(), design.cycle.approved) == (CycleStatus.FINAL, True)
    assert design.document_status() == DocumentStatus.COMPLETED


@pytest.mark.req("D5")
def test_an_approval_after_a_forced_continuation_is_recorded_as_an_override(design: Design) -> None:
    for _ in range(3):
        design.draft_all()
        design.review(needs_revision=True)
    design.write("final_document")
    assert (should_continue_revision(design.document), can_finalize(design.document)) == (False, False)
    assert is_ready_for_end(design.document)
    approved, _ = design.approve("final_document")
    assert approved.overrides_review
    assert (design.cycle.needs_revision, design.cycle.forced_continuation) == (False, True)


@pytest.mark.req("D5")
def test_an_approval_of_what_nobody_could_review_is_recorded_as_an_override(design: Design) -> None:
    design.draft_all()
    design.review(needs_revision=True)
    design.draft_all()
    (unread, *_) = design.write("review_feedback")
    assert not unread.conclusion.needs_revision
    design.write("final_document")
    assert (is_ready_for_end(design.document), can_finalize(design.document)) == (True, False)
    approved, _ = design.approve("final_document")
    assert approved.overrides_review


@pytest.mark.req("D5")
def test_a_document_without_cycles_answers_no_to_all_three() -> None:
    story = Story()
    story.create()
    for question in (can_finalize, should_continue_revision, is_ready_for_end):
        assert question(story.document) is False


@pytest.mark.req("D3")
def test_an_evaluation_is_shown_and_stops_no_section_of_a_design(design: Design) -> None:
    poor = evaluation(0.1, passed=False)
    for name in DRAFTS:
        design.drafted(name, f"{name}, poor", evaluation=poor)
        (approved, *_) = design.validated(name)
        assert isinstance(approved, e.SectionApproved)
        assert design.document.sections[name].versions[-1].evaluation == poor
    design.review(needs_revision=False)
    design.drafted("final_document", "poor", evaluation=poor)
    design.validated("final_document").then_types(e.SectionReviewRequested)


@pytest.mark.req("D6")
@pytest.mark.parametrize("mode", ReviewMode)
def test_the_end_is_never_approved_by_default(mode: ReviewMode) -> None:
    design = Design()
    design.begin(ReviewPolicy(mode=mode, min_score=0))
    for name in EVERY:
        if name == "review_feedback":
            design.review(needs_revision=False)
        else:
            design.write(name)
        if mode is ReviewMode.HUMAN and name != "final_document":
            design.approve(name)
    assert design.status("final_document") == SectionStatus.AWAITING_REVIEW
    assert (design.cycle.approved, design.document_status()) == (None, DocumentStatus.RUNNING)


@pytest.mark.req("D6")
def test_a_person_may_ask_for_a_full_cycle_as_often_as_it_takes(design: Design) -> None:
    for _ in range(3):
        design.draft_all()
        design.review(needs_revision=True)
    design.write("final_document")
    for turn in range(5):
        feedback = ref(f"say more, {turn}")
        version = design.version("final_document")
        (again,) = design.when(asking.revise(design.asked(), "final_document", version, feedback, cycle=True))
        assert (again.asked_by, again.sections, again.starts) == ("person", EVERY, ("hld_draft",))
        assert (design.cycle.approved, design.cycle.human_revision_requested) == (False, True)
        assert design.job().revision_feedback == feedback
        design.draft_all()
        design.review(needs_revision=True)
        design.write("final_document")
        assert (design.cycle.approved, design.cycle.human_revision_requested) == (None, False)
    assert design.status_of_design() is CycleStatus.REVIEW


@pytest.mark.req("D1", "D6")
def test_the_review_by_a_person_waits_until_it_is_approved_or_leads_to_another_cycle(design: Design) -> None:
    routes = [human_review(design.document)]
    design.draft_all()
    design.review(needs_revision=False)
    design.write("final_document")
    routes.append(human_review(design.document))
    design.when(asking.revise(design.asked(), "final_document", 1, ref("say more"), cycle=True))
    routes.append(human_review(design.document))
    design.draft_all()
    design.review(needs_revision=False)
    design.write("final_document")
    routes.append(human_review(design.document))
    design.approve("final_document", 2)
    routes.append(human_review(design.document))
    assert routes == ["waiting", "waiting", "revise", "waiting", "approved"]


@pytest.mark.req("D6")
def test_what_a_person_said_still_counts_when_the_next_review_asks_for_more(design: Design) -> None:
    design.draft_all()
    design.review(needs_revision=False)
    design.write("final_document")
    design.when(asking.revise(design.asked(), "final_document", 1, ref("say more"), cycle=True))
    assert (design.job().guidance, design.job().revision_feedback) == (None, ref("say more"))
    design.draft_all()
    design.review(needs_revision=True, text="the review")
    assert (design.job().guidance, design.job().revision_feedback) == (ref("say more"), ref("the review"))
    previous = design.document.sections["hld_draft"].current
    assert previous is not None
    assert design.job().previous == previous.draft
    design.draft_all()
    design.review(needs_revision=False)
    design.write("final_document")
    assert (design.cycle.human_feedback, design.cycle.revision_feedback) == (None, None)


@pytest.mark.req("D6")
@pytest.mark.parametrize(("replace", "sections"), [(False, EVERY[1:]), (True, EVERY)])
def test_a_persons_cycle_takes_what_a_person_wrote_only_by_leave(
    design: Design, replace: bool, sections: tuple[str, ...]
) -> None:
    design.draft_all()
    design.review(needs_revision=False)
    design.write("final_document")
    design.when(asking.write(design.asked(), "hld_draft", 1, ref("mine")))
    (again,) = design.when(
        asking.revise(design.asked(), "final_document", 1, ref("more"), cycle=True, replace_edited=replace)
    )
    assert again.sections == sections


@pytest.mark.req("D6")
def test_only_the_final_section_can_ask_for_a_cycle(design: Design) -> None:
    story = Story()
    story.create()
    story.reviewable("research")
    (refused,) = story.when(asking.revise(story.asked(), "research", 1, ref("again"), cycle=True))
    assert refused.problem.code == "no_review_cycle"
    design.draft_all()
    design.drafted("review_feedback", review=ReviewVerdict(needs_revision=False))
    design.validated("review_feedback", passed=False)
    again = asking.revise(design.asked(), "review_feedback", 1, ref("again"), cycle=True)
    design.when(again).then_refused("no_review_cycle")
