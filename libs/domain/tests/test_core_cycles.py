"""The design document: its agents in their order, cycles of review, and its end by the approval of a person alone."""

from pathlib import Path
from typing import Any

import domain_asking as asking
import pytest
from domain_design import DRAFTS, EVERY, Design
from domain_story import PROVENANCE, Story, evaluation, ref
from stemma_contracts.execution import graph_execution_id
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.cycles import CycleStatus, ReviewVerdict
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.provenance import GenerationWarning
from stemma_contracts.v1.review import ReviewMode, ReviewPolicy
from stemma_contracts.v1.section import Activity, SectionStatus
from stemma_domain.features.cycles import (
    can_finalize,
    human_review,
    is_ready_for_end,
    should_continue_revision,
    should_revise,
)
from stemma_domain.view import summarise
from stemma_orchestrator.catalog import ConfigError, load_catalog
from stemma_testkit.house import in_config, own_config


@pytest.fixture
def design() -> Design:
    story = Design()
    story.begin()
    return story


@pytest.fixture
def ended(design: Design) -> Design:
    design.ends()
    return design


def revised(design: Design, section_id: str, text: str) -> None:
    made = {"draft": ref(text), "summary": ref("s"), "provenance": PROVENANCE}
    design.outcome(o.DraftRevised, section_id, job_id=design.job(j.ReviseDraft).job_id, **made)


@pytest.mark.req("D1", "R1")
def test_the_agents_work_in_their_order_and_each_gets_what_it_rests_on(design: Design) -> None:
    started, seen = design.document.requests["create"].started, {}
    assert started == {"hld_draft": design.writing().job_id}
    assert len(graph_execution_id(started["hld_draft"])) == 36
    for name in EVERY:
        job = design.writing()
        seen[job.section.section_id] = (job.section.agent, {upstream.section_id for upstream in job.upstream})
        design.review(needs_revision=False) if name == "review_feedback" else design.write(name)
    assert seen == {
        "hld_draft": ("SystemArchitectAgent", set()),
        "lld_draft": ("APIDataAgent", {"hld_draft"}),
        "database_schema": ("DatabaseDesignerAgent", {"hld_draft", "lld_draft"}),
        "review_feedback": ("ReviewerAgent", set(DRAFTS)),
        "final_document": ("WriterFormatterAgent", {*DRAFTS, "review_feedback"}),
    }


@pytest.mark.req("D3", "D5")
def test_the_status_goes_from_draft_by_a_review_that_is_content_to_final(design: Design) -> None:
    assert (design.status_of_design(), design.cycle.approved) == (CycleStatus.DRAFT, None)
    design.draft_all()
    (approved,) = design.review(needs_revision=False)
    assert approved.conclusion == e.ReviewConclusion(needs_revision=False, revision_count=0)
    assert (approved.starts, design.status_of_design()) == (("final_document",), CycleStatus.DRAFT)
    assert (can_finalize(design.document), is_ready_for_end(design.document)) == (False, False)
    design.write("final_document")
    assert design.status_of_design() is CycleStatus.REVIEW
    assert (can_finalize(design.document), is_ready_for_end(design.document)) == (True, True)
    (approved, completed) = design.approve("final_document")
    assert (approved.overrides_review, type(completed)) == (False, e.DocumentCompleted)
    assert (design.status_of_design(), design.cycle.approved) == (CycleStatus.FINAL, True)


@pytest.mark.req("D3", "D5")
def test_three_reviews_give_two_revisions_at_most_and_the_end_is_recorded_as_an_override(design: Design) -> None:
    for revision in (1, 2):
        design.draft_all()
        approved, again = design.review(needs_revision=True)
        assert approved.conclusion == e.ReviewConclusion(needs_revision=True, revision_count=revision)
        assert (again.revision_count, again.asked_by, again.starts) == (revision, "review", ("hld_draft",))
        assert {design.status(name) for name in EVERY[1:]} == {SectionStatus.QUEUED}
    design.draft_all()
    (approved,) = design.review(needs_revision=True, text="still wrong")
    assert approved.starts == ("final_document",)
    assert approved.conclusion == e.ReviewConclusion(
        needs_revision=True, revision_count=3, forced_continuation=True, review_feedback=ref("still wrong")
    )
    assert (design.writing().unmet_review, should_revise(design.document)) == (ref("still wrong"), "continue")
    told = summarise(design.document, 1).cycle
    assert told is not None
    assert (told.forced_continuation, told.unmet_review, told.revision_count) == (True, ref("still wrong").digest, 3)
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


@pytest.mark.req("D4")
def test_a_revision_runs_every_agent_again_though_nothing_above_it_changed(design: Design) -> None:
    texts = dict(zip(DRAFTS, ("the same", "the same, too", "and this"), strict=True))
    for name, text in texts.items():
        design.write(name, text)
    design.review(needs_revision=True, text="the review")
    for name, text in texts.items():
        job = design.writing()
        assert (job.section.section_id, job.revision_feedback) == (name, ref("the review"))
        design.write(name, text)
        assert design.version(name) == 1
    assert design.writing().revision_feedback == ref("the review")
    design.review(needs_revision=False)
    design.write("final_document")
    assert design.cycle.revision_feedback is None


@pytest.mark.req("R9", "D4")
def test_a_text_that_lacks_a_role_waits_for_a_person_in_the_next_cycle_too(design: Design) -> None:
    lacking = (GenerationWarning(code="role_failed", detail="cook"),)
    design.drafted("hld_draft", partial=True, warnings=lacking)
    design.validated("hld_draft").then_types(e.SectionReviewRequested)
    design.approve("hld_draft")
    design.write("lld_draft")
    design.write("database_schema")
    design.review(needs_revision=True)
    (again,) = design.drafted("hld_draft", "another draft")
    assert (again.partial, again.warnings) == (True, lacking)
    design.validated("hld_draft").then_types(e.SectionReviewRequested)


def test_a_cycle_that_begins_while_the_document_is_paused_starts_when_it_goes_on(design: Design) -> None:
    design.draft_all()
    design.ask(asking.pause)
    _, again = design.review(needs_revision=True)
    (resumed,) = design.ask(asking.resume)
    assert (again.starts, resumed.starts) == ((), ("hld_draft",))


@pytest.mark.req("D2")
@pytest.mark.failure("inputs-missing")
def test_missing_inputs_fail_the_section_with_the_words_of_the_agent(design: Design) -> None:
    words = "project_brief is required and must not be blank"
    failed, ended = design.outcome(o.InputsMissing, "hld_draft", detail=words, missing=("project_brief",))
    assert isinstance(failed, e.SectionInputsMissing)
    assert (failed.detail, failed.missing, failed.usage.calls) == (words, ("project_brief",), 0)
    assert isinstance(ended, e.DocumentFailed)


def test_what_leaves_is_the_final_document_once_it_is_there(design: Design) -> None:
    def exported() -> list[str]:
        design.ask(asking.export, ExportFormat.DOCX)
        return [section.section_id for section in design.jobs(j.ConvertDocument)[-1].sections]

    assert exported() == list(EVERY)
    design.ends()
    assert exported() == ["final_document"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ('"review_section": "nowhere"', "cycle names the section 'nowhere'"),
        ('"review_section": "final_document"', "'final_document' must depend on 'final_document'"),
    ],
)
def test_refuses_a_blueprint_whose_cycles_cannot_be(tmp_path: Path, change: str, words: str) -> None:
    config = in_config(own_config(tmp_path))
    file = config / "blueprints/design_document.json"
    file.write_text(file.read_text().replace('"review_section": "review_feedback"', change))
    with pytest.raises(ConfigError, match=f"design_document.json: .*{words}"):
        load_catalog(config)


@pytest.mark.req("D3")
def test_an_evaluation_is_shown_and_stops_no_section_of_a_design(design: Design) -> None:
    poor = evaluation(0.1, passed=False)
    for name in DRAFTS:
        design.drafted(name, f"{name}, poor", evaluation=poor)
        (approved, *_) = design.validated(name)
        assert (type(approved), design.current(name).evaluation) == (e.SectionApproved, poor)
    design.review(needs_revision=False)
    design.drafted("final_document", "poor", evaluation=poor)
    design.validated("final_document").then_types(e.SectionReviewRequested)


@pytest.mark.req("D6")
@pytest.mark.parametrize("mode", ReviewMode)
def test_the_end_is_never_approved_by_default(mode: ReviewMode) -> None:
    design = Design()
    design.begin(ReviewPolicy(mode=mode, min_score=0))
    for name in EVERY:
        design.review(needs_revision=False) if name == "review_feedback" else design.write(name)
        if mode is ReviewMode.HUMAN and name != "final_document":
            design.approve(name)
    assert design.status("final_document") == SectionStatus.AWAITING_REVIEW
    assert (design.cycle.approved, design.document_status()) == (None, "running")


@pytest.mark.req("D6")
def test_a_person_may_ask_for_a_full_cycle_as_often_as_it_takes(design: Design) -> None:
    for _ in range(3):
        design.draft_all()
        design.review(needs_revision=True)
    design.write("final_document")
    for turn in range(2):
        again = design.cycle_again(f"say more, {turn}")
        assert (again.asked_by, again.sections, again.starts) == ("person", EVERY, ("hld_draft",))
        assert (design.cycle.approved, design.cycle.human_revision_requested) == (False, True)
        assert design.writing().revision_feedback == ref(f"say more, {turn}")
        design.draft_all()
        design.review(needs_revision=True)
        design.write("final_document")
        assert (design.cycle.approved, design.cycle.human_revision_requested) == (None, False)
    assert design.status_of_design() is CycleStatus.REVIEW


@pytest.mark.req("D1", "D6")
def test_what_a_person_says_to_the_result_leads_to_another_cycle_and_counts_until_the_next_result(
    design: Design,
) -> None:
    routes = [human_review(design.document)]
    design.ends()
    routes.append(human_review(design.document))
    design.cycle_again("say more")
    routes.append(human_review(design.document))
    assert (design.writing().guidance, design.writing().revision_feedback) == (None, ref("say more"))
    design.draft_all()
    design.review(needs_revision=True, text="the review")
    assert (design.writing().guidance, design.writing().revision_feedback) == (ref("say more"), ref("the review"))
    assert design.writing().previous == design.current("hld_draft").draft
    design.ends()
    assert (design.cycle.human_feedback, design.cycle.revision_feedback) == (None, None)
    routes.append(human_review(design.document))
    design.approve("final_document", 2)
    routes.append(human_review(design.document))
    assert routes == ["waiting", "waiting", "revise", "waiting", "approved"]


@pytest.mark.req("D6")
@pytest.mark.parametrize(("leave", "sections"), [(False, EVERY[1:]), (True, EVERY)])
def test_a_persons_cycle_takes_what_a_person_wrote_only_by_leave(
    ended: Design, leave: bool, sections: tuple[str, ...]
) -> None:
    ended.ask(asking.write, "hld_draft", 1, ref("mine"))
    assert ended.cycle_again(replace_edited=leave).sections == sections


@pytest.mark.req("D5", "D6")
def test_only_the_final_section_of_a_document_in_cycles_can_ask_for_one(design: Design) -> None:
    story = Story()
    story.create()
    assert not any(ask(story.document) for ask in (can_finalize, should_continue_revision, is_ready_for_end))
    story.reviewable("research")
    story.ask(asking.revise, "research", 1, ref("again"), cycle=True).then_refused("no_review_cycle")
    design.draft_all()
    design.drafted("review_feedback", review=ReviewVerdict(needs_revision=False))
    design.validated("review_feedback", passed=False)
    design.ask(asking.revise, "review_feedback", 1, ref("again"), cycle=True).then_refused("no_review_cycle")


@pytest.mark.req("D6")
def test_a_cycle_leaves_an_edit_that_is_made_or_waits_to_its_person(ended: Design) -> None:
    ended.ask(asking.edit, "hld_draft", 1, ref("shorter"))
    assert ended.cycle_again().sections == EVERY[1:]
    assert ended.writing().section.section_id == "lld_draft"
    revised(ended, "hld_draft", "short")
    for name in DRAFTS[1:]:
        ended.write(name)
    ended.review(needs_revision=False)
    ended.write("final_document")
    assert ended.cycle_again().sections == EVERY[1:]
    proposal = ended.document.sections["hld_draft"].proposal
    assert proposal is not None
    (accepted, *_) = ended.ask(asking.accept, "hld_draft", 1, proposal.proposal_id)
    assert (accepted.draft, ended.status("hld_draft")) == (ref("short"), SectionStatus.EDITED)


@pytest.mark.req("D6", "P9")
def test_a_cycle_leaves_what_the_editor_made_of_a_persons_words(ended: Design) -> None:
    ended.ask(asking.write, "hld_draft", 1, ref("mine"))
    ended.ask(asking.regenerate, "hld_draft", 2, None, replace_edited=True)
    ended.ask(asking.edit, "hld_draft", 2, ref("shorter"))
    revised(ended, "hld_draft", "mine, short")
    ended.validated("hld_draft")
    ended.approve("hld_draft", 3)
    assert ended.cycle_again().sections == EVERY[1:]


@pytest.mark.req("D3", "P9")
@pytest.mark.parametrize("check_failed", [False, True], ids=["being checked", "with a failed check of an older log"])
def test_a_review_leaves_a_revision_that_its_reviewer_has_not_seen(ended: Design, check_failed: bool) -> None:
    ended.cycle_again()
    ended.draft_all()
    ended.ask(asking.regenerate, "hld_draft", 2, None, replace_edited=False)
    ended.drafted("hld_draft", "anew")
    ended.ask(asking.edit, "hld_draft", 3, ref("shorter"))
    revised(ended, "hld_draft", "anew, short")
    if check_failed:
        about: dict[str, Any] = {"section_id": "hld_draft", "job_id": ended.job_of("hld_draft"), "detail": ""}
        ended.happened(e.SectionJobDead(**about, activity=Activity.VALIDATE, status=SectionStatus.FAILED))
    _, again = ended.review(needs_revision=True)
    assert again.sections == EVERY[1:]


@pytest.mark.req("D6")
def test_a_cycle_takes_the_guidance_of_a_regeneration_along(ended: Design) -> None:
    ended.ask(asking.regenerate, "hld_draft", 1, ref("more figures"), replace_edited=False)
    assert ended.cycle_again(replace_edited=True).sections == EVERY
    assert (ended.writing().guidance, ended.writing().revision_feedback) == (ref("more figures"), ref("more"))


@pytest.mark.req("D3")
def test_a_revised_review_that_a_person_approves_still_has_its_verdict(ended: Design) -> None:
    ended.cycle_again()
    ended.draft_all()
    ended.drafted("review_feedback", "a review", review=ReviewVerdict(needs_revision=True))
    ended.validated("review_feedback", passed=False)
    version = ended.version("review_feedback")
    ended.ask(asking.revise, "review_feedback", version, ref("be kind"))
    revised(ended, "review_feedback", "a kind review")
    ended.validated("review_feedback")
    approved, again = ended.approve("review_feedback", version + 1)
    assert approved.conclusion.needs_revision
    assert (again.feedback, again.sections) == (ref("a kind review"), EVERY)


@pytest.mark.req("D5")
def test_a_cycle_around_a_persons_final_document_leaves_it_final_and_comes_to_an_end(ended: Design) -> None:
    ended.ask(asking.write, "final_document", 1, ref("mine"))
    ended.ask(asking.regenerate, "review_feedback", 1, None, replace_edited=False)
    _, again = ended.review(needs_revision=True)
    assert again.sections == EVERY[:-1]
    assert (ended.status_of_design(), ended.cycle.approved) == (CycleStatus.FINAL, True)
    ended.draft_all()
    ended.review(needs_revision=False)
    ended.ask(asking.keep, "final_document", 2)
    assert ended.document_status() == "completed"


@pytest.mark.req("D5", "L9")
def test_a_final_text_of_one_person_ends_nothing_where_several_are_to_approve_it() -> None:
    design = Design()
    design.begin(ReviewPolicy(approvals=2))
    design.when(asking.write(design.asked(), "final_document", 0, ref("mine")))
    assert (design.status("final_document"), design.status_of_design()) == ("awaiting_review", CycleStatus.REVIEW)
    for person in ("bea", "joe"):
        assert design.cycle.approved is None
        who = {**design.asked(), "actor": person, "actor_verified": True}
        design.when(asking.approve(who, "final_document", 1))
    assert (design.status_of_design(), design.cycle.approved) == (CycleStatus.FINAL, True)


@pytest.mark.req("D4", "D6")
def test_a_person_who_writes_the_end_in_a_cycle_takes_no_feedback_from_the_others(ended: Design) -> None:
    ended.cycle_again()
    ended.ask(asking.write, "final_document", 1, ref("mine"))
    for name in DRAFTS:
        assert ended.writing().revision_feedback == ref("more")
        ended.write(name)
    ended.review(needs_revision=False)
    assert ended.cycle.revision_feedback is None
    ended.ask(asking.keep, "final_document", 2)
    assert ended.document_status() == "completed"
