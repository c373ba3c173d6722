"""How a section is written, checked and settled, what its jobs are grounded on, and what becomes of failures."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import domain_asking as asking
import pytest
from domain_story import DOCUMENT, PROVENANCE, Story, evaluation, not_judged, ref, validation
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.coverage import CoverageSummary
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.evaluation import Evaluation
from stemma_contracts.v1.provenance import GenerationWarning, Origin, ProcessingMetadata
from stemma_contracts.v1.review import ReviewMode, ReviewPolicy
from stemma_contracts.v1.section import Activity, SectionStatus
from stemma_contracts.v1.staleness import UpstreamVersion
from stemma_contracts.v1.validation import NOT_CHECKED
from stemma_domain.features.checks import MOST_COMPARED
from stemma_domain.jobs import grounds
from stemma_domain.view import summarise

NOBODY, HUMAN = ReviewPolicy(mode=ReviewMode.NONE, min_score=0.5), ReviewPolicy(mode=ReviewMode.HUMAN, min_score=0)
AUTO = ReviewPolicy(mode=ReviewMode.AUTO, min_score=0.8)
ALL = ("research", "solution", "budget", "timeline")


@pytest.mark.req("P5", "P18", "T3")
def test_a_new_document_starts_the_sections_that_rest_on_nothing_and_tells_them_of_all(story: Story) -> None:
    (requested,) = story.create(collects=("dates",))
    assert requested.starts == ("research",)
    assert [story.status(name) for name in ALL] == [SectionStatus.GENERATING, *[SectionStatus.QUEUED] * 3]
    assert story.document.created_at == requested.created_at
    [job] = story.open_jobs().values()
    assert isinstance(job, j.GenerateSection)
    assert {entry.section_id: entry.collects for entry in job.outline} == dict.fromkeys(ALL, ("dates",))


@pytest.mark.req("P5", "P7", "E3")
def test_a_section_waits_for_a_person_whose_approval_starts_all_its_dependents_once(begun: Story) -> None:
    begun.settle("research")
    begun.drafted("solution").then_types(e.SectionDrafted)
    begun.validated("solution").then_types(e.SectionReviewRequested)
    assert (begun.status("solution"), begun.open_jobs()) == (SectionStatus.AWAITING_REVIEW, {})
    (approved,) = begun.approve("solution", request_id="mine")
    assert approved.starts == ("budget", "timeline")
    assert {job.section.section_id for job in begun.open_jobs().values()} == {"budget", "timeline"}
    begun.approve("solution", request_id="mine").then_nothing_happened()


def covered(**counts: Any) -> dict[str, Any]:
    return {"coverage": CoverageSummary(total=9, **counts)}


COVERS, ONE = {"covers_inputs": True}, {"max_lint_rounds": 0, "max_unsupported": 2}
FEW, MANY = ({"passed": False, "rules": {"grounding/amount": count}} for count in (2, 3))
REVIEW, SETTLED, AGAIN = e.SectionReviewRequested, e.SectionApproved, e.SectionLintFailed


@pytest.mark.req("P7", "T1", "T3", "T8")
@pytest.mark.parametrize(
    ("policy", "plan", "judged", "found", "event"),
    [
        (NOBODY, {}, evaluation(0.4), {}, SETTLED),
        (NOBODY, {}, evaluation(0.9, passed=False), {}, REVIEW),
        (NOBODY, {}, not_judged(), {}, SETTLED),
        (NOBODY, {}, not_judged(complete=False), {}, REVIEW),
        (NOBODY, {}, evaluation(), {"unsupported": {"amount": 1}}, REVIEW),
        (NOBODY, {}, evaluation(), {"unsupported": {"date": 1}}, REVIEW),
        (NOBODY, {}, evaluation(), {"unsupported": {"name": 1}}, SETTLED),
        (NOBODY, COVERS, evaluation(), covered(covered=8, missing_blocks=1), REVIEW),
        (NOBODY, COVERS, evaluation(), covered(covered=8, not_comparable=1, language="de"), REVIEW),
        (NOBODY, COVERS, evaluation(), {}, REVIEW),
        (NOBODY, COVERS, evaluation(), covered(covered=7, left_out=2), SETTLED),
        (NOBODY, ONE, evaluation(), MANY, AGAIN),
        (NOBODY, {**ONE, "graph": "formatter"}, evaluation(), MANY, AGAIN),
        (NOBODY, {**ONE, "graph": "document_agent"}, evaluation(), MANY, REVIEW),
        (NOBODY, ONE, evaluation(), FEW, REVIEW),
        (AUTO, {}, evaluation(0.8), {}, SETTLED),
        (AUTO, {}, evaluation(0.7999), {}, REVIEW),
        (AUTO, {}, evaluation(0.9, passed=False), {}, REVIEW),
        (AUTO, {}, not_judged(), {}, REVIEW),
        (AUTO, {}, evaluation(), {"unsupported": {"amount": 1}}, REVIEW),
        (AUTO, COVERS, evaluation(), {}, REVIEW),
        (HUMAN, {}, not_judged(), {}, REVIEW),
        (HUMAN, {}, evaluation(1), {}, REVIEW),
    ],
)
def test_a_policy_settles_only_what_passed_lost_nothing_and_has_its_support(
    story: Story,
    policy: ReviewPolicy,
    plan: dict[str, Any],
    judged: Evaluation,
    found: dict[str, Any],
    event: type[e.AnyEvent],
) -> None:
    story.create(review=policy, **plan)
    story.drafted("research", evaluation=judged)
    checked = validation().model_copy(update=found)
    (told,) = story.outcome(o.DraftValidated, "research", validation=checked)
    assert type(told) is event
    is_settled = event is SETTLED
    assert story.status("solution") == (SectionStatus.GENERATING if is_settled else SectionStatus.QUEUED)


@pytest.mark.req("T8")
def test_the_view_of_a_draft_that_nobody_judged_has_no_score(begun: Story) -> None:
    begun.drafted("research", evaluation=not_judged())
    assert summarise(begun.document, last_sequence=2).sections[0].score is None


@pytest.mark.failure("lint-issues")
def test_lint_issues_go_back_to_the_generator_three_times_then_to_the_reviewer(begun: Story) -> None:
    for number in (1, 2, 3):
        begun.drafted("research", f"draft {number}")
        found = f"report {number}"
        begun.validated("research", passed=False, found=found).then_types(e.SectionLintFailed)
        job = begun.job(j.GenerateSection)
        assert (job.round, job.previous, job.report) == (
            number, ref(f"draft {number}"), validation(False, found).report,
        )  # fmt: skip
    begun.drafted("research", "draft 4")
    (requested,) = begun.validated("research", passed=False, found="report 4")
    assert (type(requested), requested.version) == (e.SectionReviewRequested, 4)


@pytest.mark.req("M6")
@pytest.mark.failure("lint-issues")
def test_a_round_that_mends_nothing_is_the_last(begun: Story) -> None:
    begun.drafted("research", "draft 1")
    begun.validated("research", passed=False).then_types(e.SectionLintFailed)
    begun.drafted("research", "draft 1")
    begun.validated("research", passed=False).then_types(e.SectionReviewRequested)
    assert len(begun.document.sections["research"].versions) == 1


@pytest.mark.req("T3")
def test_a_text_that_says_too_much_without_support_is_replaced_by_quotations_once_and_a_person_is_asked(
    story: Story,
) -> None:
    story.create(review=NOBODY, max_lint_rounds=1, max_unsupported=2)
    rules = {"grounding/amount": 2, "grounding/statement": 1}
    too_much = validation(passed=False).model_copy(update={"rules": rules})
    rounds = []
    for draft in ("false", "as false", "quoted"):
        story.drafted("research", draft, partial=draft == "quoted")
        done = story.outcome(o.DraftValidated, "research", validation=too_much)
        rounds += [one.quote_only for one in done if isinstance(one, e.SectionLintFailed)]
        for job in story.jobs(j.GenerateSection):
            assert job.quote_only == (draft == "as false")
            assert (job.previous is None, job.report is None) == (job.quote_only, job.quote_only)
    assert (rounds, story.status("research")) == ([False, True], SectionStatus.AWAITING_REVIEW)


@pytest.mark.req("R9", "P7")
@pytest.mark.parametrize("policy", [NOBODY, AUTO])
def test_a_text_that_lacks_a_role_goes_to_a_person_also_after_a_clean_lint_round(
    story: Story, policy: ReviewPolicy
) -> None:
    story.create(review=policy)
    lacking = (GenerationWarning(code="role_failed", detail="writer"),)
    story.drafted("research", partial=True, warnings=lacking, evaluation=not_judged(complete=False))
    story.validated("research", passed=False).then_types(e.SectionLintFailed)
    story.drafted("research", "clean", evaluation=evaluation(1) if policy is AUTO else not_judged())
    story.validated("research").then_types(e.SectionReviewRequested)


@pytest.mark.req("R9", "P8")
def test_a_text_that_lacks_a_role_lacks_it_until_a_person_writes_it(begun: Story) -> None:
    lacking = GenerationWarning(code="role_timed_out", detail="writer")
    begun.drafted("research", partial=True, warnings=(lacking, GenerationWarning(code="not_evaluated")))
    begun.validated("research")
    for number, build in enumerate((asking.revise, asking.edit), 1):
        begun.ask(build, "research", number, ref("shorter"))
        made = {"draft": ref(f"short {number}"), "summary": ref("cut"), "provenance": PROVENANCE}
        begun.outcome(o.DraftRevised, "research", **made)
        assert list(begun.current().warnings) == [lacking]
        if build is asking.revise:
            begun.validated("research")
    begun.ask(asking.write, "research", 3, ref("all of it"))
    assert not begun.current().warnings


@pytest.mark.req("S2")
def test_an_outcome_of_a_job_to_come_is_not_recorded_and_so_does_not_close_it(begun: Story) -> None:
    begun.reviewable("research")
    to_come = f"{DOCUMENT}.{begun.document.number + 1}.generate.solution"
    begun.outcome(o.JobDead, "solution", job_id=to_come, detail="made up").then_nothing_happened()
    begun.approve("research")
    assert begun.job_of("solution") == to_come


@pytest.mark.req("P8", "T9")
def test_an_editor_gets_what_was_found_in_the_draft_and_its_revision_is_reviewed_anew(begun: Story) -> None:
    for _ in range(2):
        begun.drafted("research")
        begun.validated("research", passed=False)
    begun.ask(asking.revise, "research", 1, ref("put it right"))
    job = begun.job(j.ReviseDraft)
    assert (job.instruction, job.report) == (ref("put it right"), ref("report", "application/json"))
    begun.said(job, o.DraftRevised, draft=ref("short"), summary=ref("cut"), provenance=PROVENANCE)
    assert {type(one) for one in begun.open_jobs().values()} == {j.ValidateDraft, j.EvaluateDraft}
    begun.validated("research").then_types(e.SectionReviewRequested)
    assert begun.current().number == 2


@pytest.mark.req("P8")
@pytest.mark.failure("refused-instruction")
def test_an_instruction_that_cannot_be_followed_leaves_the_version_in_review_and_revisions_are_bounded(
    story: Story,
) -> None:
    story.create(max_revisions=1)
    story.reviewable("research")
    for outcome, said in ((o.InstructionRefused, {"reason": ref("no such form")}), (o.ModelUnavailable, {})):
        story.ask(asking.revise, "research", 1, ref("sing"))
        (told,) = story.outcome(outcome, "research", **said)
        assert getattr(told, "activity", Activity.EDIT) == Activity.EDIT
        assert (story.status("research"), story.current().number) == (SectionStatus.AWAITING_REVIEW, 1)
    story.ask(asking.revise, "research", 1, ref("more"))
    story.outcome(o.DraftRevised, "research", draft=ref("more text"), summary=ref("s"), provenance=PROVENANCE)
    story.validated("research")
    story.ask(asking.revise, "research", 2, ref("more")).then_refused("revision_limit")


@pytest.mark.parametrize("failure", [o.ModelUnavailable, o.AnswerMalformed, o.ContextTooLong, o.JobDead])
@pytest.mark.failure("model-unavailable")
def test_a_failed_section_is_visible_and_is_retried_by_the_same_guidance(
    begun: Story, failure: type[o.Outcome]
) -> None:
    begun.reviewable("research")
    begun.ask(asking.regenerate, "research", 1, ref("more figures"), replace_edited=False)
    failed, ended = begun.outcome(failure, "research", detail="Timeout")
    assert isinstance(failed, e.SectionFailure)
    assert isinstance(ended, e.DocumentFailed)
    assert (begun.status("research"), begun.document_status()) == (SectionStatus.FAILED, DocumentStatus.FAILED)
    (retried,) = begun.ask(asking.retry, "research")
    assert (retried.starts, begun.document_status()) == (("research",), DocumentStatus.RUNNING)
    assert begun.job(j.GenerateSection).guidance == ref("more figures")


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
    assert story.open_jobs() == {}


@pytest.mark.req("V2")
@pytest.mark.failure("check-given-up")
def test_a_check_of_a_settled_text_that_was_given_up_can_be_made_again(begun: Story) -> None:
    begun.settle("research")
    begun.ask(asking.write, "research", 1, ref("mine"))
    (given_up,) = begun.said(begun.job(j.ValidateDraft), o.JobDead, detail="Stalled")
    assert (given_up.validation.complete, given_up.validation.not_checked) == (False, "Stalled")
    begun.ask(asking.retry, "research").then_types(e.SectionCheckRequested)
    again = begun.job(j.ValidateDraft)
    assert (begun.status("research"), again.draft) == (SectionStatus.EDITED, ref("mine"))
    begun.said(again, o.DraftValidated, validation=validation())
    begun.ask(asking.retry, "research").then_refused("section_edited")


@pytest.mark.req("T3")
def test_a_draft_is_looked_up_in_brief_inputs_and_all_that_it_rests_on_each_version_once(begun: Story) -> None:
    begun.settle("research", "solution")
    begun.drafted("budget")
    (job,) = (one for one in begun.jobs(j.ValidateDraft) if one.section.section_id == "budget")
    assert job.brief == ref("brief")
    upstream = [(one.section_id, one.draft) for one in job.upstream]
    assert upstream == [("solution", ref("text of solution")), ("research", ref("text of research"))]
    both = (UpstreamVersion(section_id="research", version=1, stale=stale) for stale in (False, True))
    found = grounds(begun.document, tuple(both))["upstream"]
    assert [(draft.section_id, draft.version) for draft in found] == [("research", 1)]


@pytest.mark.req("B8")
def test_the_sums_of_a_draft_are_held_against_the_other_sections_prices_first(story: Story) -> None:
    story.create({"plan": (), "team": (), **{f"s{number}": () for number in range(40)}, "budget": ()})
    sections = story.document.sections
    priced = replace(sections["budget"], plan=sections["budget"].plan.model_copy(update={"collects": ("amounts",)}))
    story.state = story.read = replace(story.document, sections={**sections, "budget": priced})
    for name in (*(f"s{number}" for number in range(40)), "budget", "team"):
        story.drafted(name)
    (job,) = (one for one in story.jobs(j.ValidateDraft) if one.section.section_id == "team")
    others = [(one.section_id, one.draft) for one in job.others]
    assert len(others) == MOST_COMPARED
    assert others[:2] == [("budget", ref("text of budget")), ("s0", ref("text of s0"))]


@pytest.mark.req("T3")
def test_what_people_said_and_wrote_is_a_ground_for_what_is_written_after_it(begun: Story) -> None:
    begun.reviewable("research")
    begun.ask(asking.revise, "research", 1, ref("name the price: EUR 5"))
    begun.outcome(o.DraftRevised, "research", draft=ref("two"), summary=ref("s"), provenance=PROVENANCE)
    job = begun.job(j.ValidateDraft)
    assert job.said == job.instructions == (ref("name the price: EUR 5"),)
    begun.ask(asking.write, "research", 2, ref("a person's text"))
    assert begun.current().origin is Origin.WRITTEN
    job = begun.job(j.ValidateDraft)
    assert job.said == (ref("name the price: EUR 5"), ref("a person's text"))
    assert job.instructions == (ref("name the price: EUR 5"),)


@pytest.mark.req("T3")
def test_stays_quiet_about_a_text_of_a_person(begun: Story) -> None:
    begun.settle("research")
    begun.ask(asking.write, "research", 1, ref("a person's text"))
    found = validation().model_copy(update={"unsupported": {"amount": 1}})
    begun.said(begun.job(j.ValidateDraft), o.DraftValidated, validation=found).then_types(e.SectionChecked)
    assert begun.status("research") == SectionStatus.EDITED
