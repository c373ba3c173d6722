"""The rules of documents and sections, on the pure core."""

from datetime import UTC, datetime
from typing import Any

import domain_asking as asking
import pytest
from domain_story import DOCUMENT, PROVENANCE, Story, evaluation, not_judged, ref, validation
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.provenance import GenerationWarning, ProcessingMetadata
from stemma_contracts.v1.review import ReviewMode, ReviewPolicy
from stemma_contracts.v1.section import Activity, SectionStatus
from stemma_contracts.v1.usage import Usage
from stemma_contracts.v1.validation import NOT_CHECKED
from stemma_domain.state import Validating
from stemma_domain.view import summarise


@pytest.mark.req("P5", "P18")
def test_a_new_document_starts_the_sections_that_rest_on_nothing(story: Story) -> None:
    (requested,) = story.create()
    assert requested.starts == ("research",)
    assert story.status("research") == SectionStatus.GENERATING
    assert {story.status(name) for name in ("solution", "budget", "timeline")} == {SectionStatus.QUEUED}
    assert story.document.created_at == requested.created_at
    assert [type(job) for job in story.open_jobs().values()] == [j.GenerateSection]


@pytest.mark.req("T3")
def test_a_section_is_told_what_each_section_collects(story: Story) -> None:
    story.create(collects=("dates",))
    (job,) = story.open_jobs().values()
    assert isinstance(job, j.GenerateSection)
    assert {entry.section_id: entry.collects for entry in job.outline} == dict.fromkeys(
        ("research", "solution", "budget", "timeline"), ("dates",)
    )


@pytest.mark.req("P5")
def test_approving_a_section_starts_all_its_dependents_at_once(begun: Story) -> None:
    begun.settle("research")
    begun.reviewable("solution")
    (approved,) = begun.approve("solution")
    assert approved.starts == ("budget", "timeline")
    assert {job.section.section_id for job in begun.open_jobs().values()} == {"budget", "timeline"}


@pytest.mark.req("P7")
def test_every_section_waits_for_a_person_by_default(begun: Story) -> None:
    begun.drafted("research").then_types(e.SectionDrafted)
    begun.validated("research").then_types(e.SectionReviewRequested)
    assert begun.status("research") == SectionStatus.AWAITING_REVIEW
    assert begun.open_jobs() == {}


@pytest.mark.req("P7")
@pytest.mark.parametrize(
    ("policy", "score", "passed", "settled"),
    [
        (ReviewPolicy(mode=ReviewMode.NONE), 0.5, True, True),
        (ReviewPolicy(mode=ReviewMode.NONE), 0.5, False, False),
        (ReviewPolicy(mode=ReviewMode.AUTO, min_score=0.8), 0.9, True, True),
        (ReviewPolicy(mode=ReviewMode.AUTO, min_score=0.8), 0.7, True, False),
        (ReviewPolicy(mode=ReviewMode.AUTO, min_score=0.8), 0.8, True, True),
        (ReviewPolicy(mode=ReviewMode.AUTO, min_score=0.8), 0.7999, True, False),
        (ReviewPolicy(mode=ReviewMode.AUTO, min_score=1), 1, True, True),
        (ReviewPolicy(mode=ReviewMode.AUTO, min_score=0.8), 0.9, False, False),
    ],
)
def test_a_policy_settles_only_what_passed(
    story: Story, policy: ReviewPolicy, score: float, passed: bool, settled: bool
) -> None:
    story.create(review=policy)
    story.drafted("research", evaluation=evaluation(score, passed))
    (event,) = story.validated("research")
    assert isinstance(event, e.SectionApproved if settled else e.SectionReviewRequested)
    assert story.status("solution") == (SectionStatus.GENERATING if settled else SectionStatus.QUEUED)


@pytest.mark.req("T8")
@pytest.mark.parametrize(
    ("mode", "complete", "settled"),
    [
        (ReviewMode.NONE, True, True),
        (ReviewMode.NONE, False, False),
        (ReviewMode.AUTO, True, False),
        (ReviewMode.HUMAN, True, False),
    ],
)
def test_a_draft_that_nobody_judged_goes_on_only_where_nobody_has_to_and_it_is_whole(
    story: Story, mode: ReviewMode, complete: bool, settled: bool
) -> None:
    story.create(review=ReviewPolicy(mode=mode, min_score=0))
    story.drafted("research", evaluation=not_judged(complete))
    (event,) = story.validated("research")
    assert isinstance(event, e.SectionApproved if settled else e.SectionReviewRequested)


@pytest.mark.req("T8")
def test_the_view_of_a_draft_that_nobody_judged_has_no_score(begun: Story) -> None:
    begun.drafted("research", evaluation=not_judged())
    assert summarise(begun.document, last_sequence=2).sections[0].score is None


@pytest.mark.req("R9")
def test_a_partial_draft_of_any_graph_waits_for_a_person(story: Story) -> None:
    story.create(review=ReviewPolicy(mode=ReviewMode.NONE))
    story.drafted("research", partial=True, warnings=(GenerationWarning(code="failure"),), evaluation=not_judged())
    story.validated("research").then_types(e.SectionReviewRequested)


@pytest.mark.failure("lint-issues")
def test_lint_issues_go_back_to_the_generator_three_times_then_to_the_reviewer(begun: Story) -> None:
    for number in (1, 2, 3):
        begun.drafted("research", f"draft {number}")
        found = f"report {number}"
        begun.validated("research", passed=False, found=found).then_types(e.SectionLintFailed)
        (job,) = begun.open_jobs().values()
        assert isinstance(job, j.GenerateSection)
        assert (job.round, job.previous, job.report) == (
            number,
            ref(f"draft {number}"),
            validation(False, found).report,
        )
    begun.drafted("research", "draft 4")
    (requested,) = begun.validated("research", passed=False, found="report 4")
    assert isinstance(requested, e.SectionReviewRequested)
    assert requested.version == 4


@pytest.mark.req("M6")
@pytest.mark.failure("lint-issues")
def test_a_round_that_mends_nothing_is_the_last(begun: Story) -> None:
    begun.drafted("research", "draft 1")
    begun.validated("research", passed=False).then_types(e.SectionLintFailed)
    begun.drafted("research", "draft 1")
    begun.validated("research", passed=False).then_types(e.SectionReviewRequested)


@pytest.mark.req("R9", "P7")
@pytest.mark.parametrize("mode", [ReviewMode.NONE, ReviewMode.AUTO])
def test_a_text_that_lacks_a_role_goes_to_a_person_also_after_a_clean_lint_round(
    story: Story, mode: ReviewMode
) -> None:
    story.create(review=ReviewPolicy(mode=mode, min_score=0))
    lacking = (GenerationWarning(code="role_failed", detail="writer"),)
    story.drafted("research", partial=True, warnings=lacking, evaluation=not_judged(complete=False))
    story.validated("research", passed=False).then_types(e.SectionLintFailed)
    story.drafted("research", "clean", evaluation=evaluation(1) if mode is ReviewMode.AUTO else not_judged())
    story.validated("research").then_types(e.SectionReviewRequested)


@pytest.mark.req("R9", "P8")
def test_a_text_that_lacks_a_role_lacks_it_until_a_person_writes_it(begun: Story) -> None:
    lacking = GenerationWarning(code="role_timed_out", detail="writer")
    begun.drafted("research", partial=True, warnings=(lacking, GenerationWarning(code="not_evaluated")))
    begun.validated("research")
    begun.when(asking.revise(begun.asked(), "research", 1, ref("shorter")))
    begun.outcome(o.DraftRevised, "research", draft=ref("short"), summary=ref("cut"), provenance=PROVENANCE)
    begun.validated("research")
    assert list(begun.document.sections["research"].versions[-1].warnings) == [lacking]
    begun.when(asking.edit(begun.asked(), "research", 2, ref("shorter still")))
    begun.outcome(o.DraftRevised, "research", draft=ref("shorter"), summary=ref("cut"), provenance=PROVENANCE)
    assert list(begun.document.sections["research"].versions[-1].warnings) == [lacking]
    begun.when(asking.write(begun.asked(), "research", 3, ref("all of it")))
    assert not begun.document.sections["research"].versions[-1].warnings


def test_the_version_goes_on_only_for_another_text(begun: Story) -> None:
    begun.drafted("research", "same")
    begun.validated("research", passed=False)
    (drafted,) = begun.drafted("research", "same")
    assert drafted.version == 1
    assert len(begun.document.sections["research"].versions) == 1


def test_an_approval_of_an_old_version_is_refused_with_the_current_one(begun: Story) -> None:
    begun.drafted("research", "first")
    begun.validated("research", passed=False)
    begun.drafted("research", "second")
    begun.validated("research")
    (refused,) = begun.approve("research", version=1)
    assert refused.problem.code == "version_old"
    assert refused.problem.params == {"version": 1, "current_version": 2}
    assert begun.status("research") == SectionStatus.AWAITING_REVIEW


def test_a_second_approval_is_refused_by_the_status(begun: Story) -> None:
    begun.settle("research")
    (refused,) = begun.approve("research")
    assert refused.problem.code == "section_approved"


@pytest.mark.req("E3")
def test_the_same_request_id_changes_nothing_the_second_time(begun: Story) -> None:
    begun.reviewable("research")
    begun.approve("research", request_id="mine").then_types(e.SectionApproved)
    begun.approve("research", request_id="mine").then_nothing_happened()


def test_an_outcome_of_a_closed_job_is_recorded_as_superseded_once(begun: Story) -> None:
    late = {"job_id": "doc1.0.generate.research", "usage": Usage(calls=2)}
    (superseded,) = begun.drafted("research", "late text", **late)
    assert isinstance(superseded, e.OutcomeSuperseded)
    begun.drafted("research", "late text", **late).then_nothing_happened()
    assert superseded.usage.calls == 2
    assert begun.document.sections["research"].versions == ()


@pytest.mark.req("S2")
def test_an_outcome_of_a_job_to_come_is_not_recorded_and_so_does_not_close_it(begun: Story) -> None:
    begun.reviewable("research")
    to_come = f"{DOCUMENT}.{begun.document.number + 1}.generate.solution"
    begun.outcome(o.JobDead, "solution", job_id=to_come, detail="made up").then_nothing_happened()
    begun.approve("research")
    assert begun.job_of("solution") == to_come


@pytest.mark.req("P8", "T9")
def test_an_editor_gets_what_was_found_in_the_draft(begun: Story) -> None:
    begun.drafted("research")
    while isinstance(begun.document.sections["research"].phase, Validating):
        begun.validated("research", passed=False)
        if begun.status("research") == SectionStatus.GENERATING:
            begun.drafted("research")
    version = begun.document.sections["research"].current_number
    begun.when(asking.revise(begun.asked(), "research", version, ref("put it right")))
    (job,) = begun.open_jobs().values()
    assert job.report == ref("report", "application/json")


@pytest.mark.req("P8")
def test_a_revision_replaces_the_content_and_is_reviewed_anew(begun: Story) -> None:
    begun.reviewable("research")
    begun.when(asking.revise(begun.asked(), "research", 1, ref("shorter please")))
    (job,) = begun.open_jobs().values()
    assert isinstance(job, j.ReviseDraft)
    assert job.instruction == ref("shorter please")
    begun.outcome(o.DraftRevised, "research", draft=ref("short"), summary=ref("cut"), provenance=PROVENANCE)
    begun.validated("research")
    assert begun.status("research") == SectionStatus.AWAITING_REVIEW
    assert begun.document.sections["research"].current_number == 2


@pytest.mark.req("P8")
@pytest.mark.failure("refused-instruction")
def test_an_instruction_that_cannot_be_followed_leaves_the_version_in_review(begun: Story) -> None:
    begun.reviewable("research")
    begun.when(asking.revise(begun.asked(), "research", 1, ref("sing")))
    begun.outcome(o.InstructionRefused, "research", reason=ref("no such form"))
    assert begun.status("research") == SectionStatus.AWAITING_REVIEW
    assert begun.document.sections["research"].current_number == 1


def test_revisions_are_bounded(story: Story) -> None:
    story.create(max_revisions=1)
    story.reviewable("research")
    story.when(asking.revise(story.asked(), "research", 1, ref("sing")))
    story.outcome(o.InstructionRefused, "research", reason=ref("no"))
    story.when(asking.revise(story.asked(), "research", 1, ref("more")))
    story.outcome(o.DraftRevised, "research", draft=ref("more text"), summary=ref("s"), provenance=PROVENANCE)
    story.validated("research")
    story.when(asking.revise(story.asked(), "research", 2, ref("more"))).then_refused("revision_limit")


@pytest.mark.parametrize("failure", [o.ModelUnavailable, o.AnswerMalformed, o.ContextTooLong, o.JobDead])
@pytest.mark.failure("model-unavailable")
def test_a_failed_section_is_visible_and_can_be_retried(begun: Story, failure: type[o.Outcome]) -> None:
    failed, ended = begun.outcome(failure, "research", detail="Timeout")
    assert isinstance(failed, e.SectionFailure)
    assert isinstance(ended, e.DocumentFailed)
    assert begun.status("research") == SectionStatus.FAILED
    assert begun.document_status() == DocumentStatus.FAILED
    (retried,) = begun.when(asking.retry(begun.asked(), "research"))
    assert retried.starts == ("research",)
    assert begun.document_status() == DocumentStatus.RUNNING


def test_what_is_too_long_for_the_model_is_told_with_both_numbers(begun: Story) -> None:
    failed, _ = begun.outcome(o.ContextTooLong, "research", detail="too long", prompt_tokens=9000, context_tokens=8192)
    assert isinstance(failed, e.SectionContextTooLong)
    assert (failed.prompt_tokens, failed.context_tokens, failed.detail) == (9000, 8192, "too long")


@pytest.mark.req("R9")
@pytest.mark.parametrize("failure", [o.RoleAnalysisMissing, o.NoRoleLeft])
def test_how_a_run_of_roles_went_is_told_also_if_it_came_to_nothing(begun: Story, failure: type[o.Outcome]) -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    course = ProcessingMetadata(started_at=now, finished_at=now, seconds=3, timed_out=True)
    failed, _ = begun.outcome(failure, "research", processing_metadata=course)
    assert failed.processing_metadata == course


@pytest.mark.req("P7", "V2")
@pytest.mark.parametrize("mode", ReviewMode)
@pytest.mark.failure("check-given-up")
def test_what_could_not_be_checked_is_never_written_again_and_goes_to_a_person_under_every_policy(
    story: Story, mode: ReviewMode
) -> None:
    story.create({"research": (), "budget": (), "timeline": ()}, review=ReviewPolicy(mode=mode, min_score=0))
    unchecked = validation(False).model_copy(update={"rules": {NOT_CHECKED: 1}})
    for name, ended, said in (
        ("research", o.JobDead, {"detail": "Stalled"}),
        ("budget", o.DraftValidated, {"validation": unchecked.model_copy(update={"not_checked": "Stalled"})}),
        ("timeline", o.DraftValidated, {"validation": unchecked}),
    ):
        story.drafted(name)
        (requested,) = story.outcome(ended, name, **said)
        assert isinstance(requested, e.SectionReviewRequested)
        assert requested.validation is not None
        assert not requested.validation.complete
        assert story.status(name) == SectionStatus.AWAITING_REVIEW
    assert story.open_jobs() == {}


def test_a_retry_after_a_dead_validation_validates_again_and_writes_nothing_anew(begun: Story) -> None:
    begun.drafted("research")
    first = begun.job_of("research")
    begun.outcome(o.JobDead, "research")
    begun.when(asking.retry(begun.asked(), "research"))
    (job,) = begun.open_jobs().values()
    assert isinstance(job, j.ValidateDraft)
    assert job.job_id != first


@pytest.mark.req("V2")
@pytest.mark.failure("check-given-up")
def test_a_check_of_a_settled_text_that_was_given_up_can_be_made_again(begun: Story) -> None:
    begun.settle("research")
    begun.when(asking.write(begun.asked(), "research", 1, ref("mine")))
    validate, _ = begun.document.sections["research"].checks
    (given_up,) = begun.outcome(o.JobDead, "research", job_id=validate, detail="Stalled")
    assert (given_up.validation.complete, given_up.validation.not_checked) == (False, "Stalled")
    begun.when(asking.retry(begun.asked(), "research")).then_types(e.SectionCheckRequested)
    assert begun.status("research") == SectionStatus.EDITED
    (again,) = begun.jobs(j.ValidateDraft)
    assert again.draft == ref("mine")
    begun.outcome(o.DraftValidated, "research", job_id=again.job_id, validation=validation())
    begun.when(asking.retry(begun.asked(), "research")).then_refused("section_edited")


def test_a_failed_edit_leaves_the_draft_with_its_reviewer(begun: Story) -> None:
    begun.reviewable("research")
    begun.when(asking.revise(begun.asked(), "research", 1, ref("more")))
    (failed,) = begun.outcome(o.ModelUnavailable, "research")
    assert failed.activity == Activity.EDIT
    assert begun.status("research") == SectionStatus.AWAITING_REVIEW


@pytest.mark.parametrize(("ended", "fields"), [(o.ModelUnavailable, {}), (o.InstructionRefused, {"reason": ref("no")})])
def test_an_edit_without_a_result_leaves_a_regeneration_to_be_made_by_its_guidance(
    begun: Story, ended: type[o.Outcome], fields: dict[str, Any]
) -> None:
    begun.reviewable("research")
    begun.when(asking.regenerate(begun.asked(), "research", 1, ref("more figures"), replace_edited=False))
    begun.when(asking.edit(begun.asked(), "research", 1, ref("shorter")))
    (event,) = begun.outcome(ended, "research", **fields)
    assert event.starts == ("research",)
    (job,) = begun.open_jobs().values()
    assert isinstance(job, j.GenerateSection)
    assert job.guidance == ref("more figures")


def test_a_section_with_nothing_to_try_again_is_not_retried(begun: Story) -> None:
    begun.reviewable("research")
    for name in ("research", "solution"):
        begun.when(asking.retry(begun.asked(), name)).then_refused(f"section_{begun.status(name)}")


def test_a_section_whose_job_is_stuck_can_be_retried_under_another_job(begun: Story) -> None:
    stuck = begun.job_of("research")
    begun.when(asking.retry(begun.asked(), "research"))
    assert begun.job_of("research") != stuck
    begun.drafted("research", "late", job_id=stuck).then_types(e.OutcomeSuperseded)
    begun.drafted("research")
    assert begun.document.sections["research"].current_number == 1


def test_a_document_whose_sections_are_all_settled_is_completed(begun: Story) -> None:
    begun.settle("research", "solution", "budget")
    begun.reviewable("timeline")
    begun.approve("timeline").then_types(e.SectionApproved, e.DocumentCompleted)
    assert begun.document.status == DocumentStatus.COMPLETED
