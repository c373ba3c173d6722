"""What a draft may be grounded on, and what of a validation keeps a policy from settling it."""

from dataclasses import replace

import domain_asking as asking
import pytest
from domain_story import DECIDER, DOCUMENT, TENANT, Story, ref, validation
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.coverage import CoverageSummary
from stemma_contracts.v1.provenance import Origin
from stemma_contracts.v1.review import ReviewMode, ReviewPolicy
from stemma_contracts.v1.staleness import UpstreamVersion
from stemma_contracts.v1.validation import ValidationSummary
from stemma_domain.commands import Record
from stemma_domain.features.checks import MOST_COMPARED
from stemma_domain.jobs import grounds
from stemma_domain.state import State
from stemma_testkit.deciding import Then, given

pytestmark = pytest.mark.req("T3")


def validation_job(story: Story, section_id: str) -> j.ValidateDraft:
    (job,) = (
        job
        for job in story.open_jobs().values()
        if isinstance(job, j.ValidateDraft) and job.section.section_id == section_id
    )
    return job


def generation_job(story: Story, section_id: str) -> j.GenerateSection:
    (job,) = (job for job in story.open_jobs().values() if isinstance(job, j.GenerateSection))
    assert job.section.section_id == section_id
    return job


def unsupported(**counts: int) -> ValidationSummary:
    return validation().model_copy(update={"unsupported": counts})


def validated(story: Story, summary: ValidationSummary) -> Record:
    job = story.job_of("research")
    return Record(
        o.DraftValidated(tenant=TENANT, document_id=DOCUMENT, section_id="research", job_id=job, validation=summary)
    )


def test_a_draft_is_looked_up_in_brief_inputs_and_all_that_it_rests_on(begun: Story) -> None:
    begun.settle("research", "solution")
    begun.drafted("budget")
    job = validation_job(begun, "budget")
    assert job.brief == ref("brief")
    assert [draft.section_id for draft in job.upstream] == ["solution", "research"]
    assert job.upstream[1].draft == ref("text of research")


@pytest.mark.req("B8")
def test_the_sums_of_a_draft_are_held_against_the_other_sections_prices_first(story: Story) -> None:
    story.create({"plan": (), "team": (), **{f"s{number}": () for number in range(40)}, "budget": ()})
    sections = story.document.sections
    priced = replace(sections["budget"], plan=sections["budget"].plan.model_copy(update={"collects": ("amounts",)}))
    story.state = story.read = replace(story.document, sections={**sections, "budget": priced})
    for name in (*(f"s{number}" for number in range(40)), "budget", "team"):
        story.drafted(name)
    others = [(one.section_id, one.draft) for one in validation_job(story, "team").others]
    assert len(others) == MOST_COMPARED
    assert others[:2] == [("budget", ref("text of budget")), ("s0", ref("text of s0"))]


def test_a_version_that_one_rests_on_while_it_is_stale_and_another_does_not_is_named_once(begun: Story) -> None:
    fresh, stale = (UpstreamVersion(section_id="research", version=1, stale=stale) for stale in (False, True))
    begun.settle("research", "solution")
    upstream = grounds(begun.document, (fresh, stale))["upstream"]
    assert [(draft.section_id, draft.version) for draft in upstream] == [("research", 1)]


def test_what_people_said_is_a_ground_for_what_is_written_after_it(begun: Story) -> None:
    begun.reviewable("research")
    begun.when(asking.revise(begun.asked(), "research", 1, ref("name the price: EUR 5")))
    begun.outcome(o.DraftRevised, "research", draft=ref("two"), summary=ref("s"), provenance={"model": "offline"})
    job = validation_job(begun, "research")
    assert job.said == job.instructions == (ref("name the price: EUR 5"),)


def test_a_text_that_a_person_gives_is_said_by_that_person(begun: Story) -> None:
    begun.settle("research")
    begun.when(asking.write(begun.asked(), "research", 1, ref("a person's text")))
    assert begun.document.sections["research"].versions[-1].origin is Origin.WRITTEN
    job = validation_job(begun, "research")
    assert (job.said, job.instructions) == ((ref("a person's text"),), ())


@pytest.mark.parametrize("mode", [ReviewMode.AUTO, ReviewMode.NONE])
@pytest.mark.parametrize("kind", ["amount", "date"])
def test_an_unsupported_amount_or_date_waits_for_a_person_under_every_policy(
    story: Story, mode: ReviewMode, kind: str
) -> None:
    story.create(review=ReviewPolicy(mode=mode, min_score=0.5))
    story.drafted("research")
    done = given(DECIDER, *story.history).when(validated(story, unsupported(**{kind: 1})))
    done.then_types(e.SectionReviewRequested)


@pytest.mark.parametrize("mode", [ReviewMode.AUTO, ReviewMode.NONE])
def test_a_draft_of_which_everything_is_supported_is_settled_by_its_policy(story: Story, mode: ReviewMode) -> None:
    story.create(review=ReviewPolicy(mode=mode, min_score=0.5))
    story.drafted("research")
    given(DECIDER, *story.history).when(validated(story, unsupported())).then_types(e.SectionApproved)


def test_a_draft_with_unsupported_claims_goes_back_at_most_as_often_and_then_waits(story: Story) -> None:
    story.create(review=ReviewPolicy(mode=ReviewMode.NONE), max_lint_rounds=1)
    story.drafted("research")
    invented = validation(passed=False).model_copy(update={"unsupported": {"amount": 1}})
    done = given(DECIDER, *story.history).when(validated(story, invented))
    done.then_types(e.SectionLintFailed)
    story.when(validated(story, invented))
    story.drafted("research", "the same again")
    given(DECIDER, *story.history).when(validated(story, invented)).then_types(e.SectionReviewRequested)


@pytest.mark.parametrize("mode", [ReviewMode.AUTO, ReviewMode.NONE])
def test_a_text_that_says_too_much_without_support_is_replaced_by_quotations_once_and_a_person_is_asked(
    story: Story, mode: ReviewMode
) -> None:
    story.create(review=ReviewPolicy(mode=mode, min_score=0.5), max_lint_rounds=1, max_unsupported=2)
    too_much = validation(passed=False).model_copy(update={"rules": {"grounding/amount": 2, "grounding/statement": 1}})
    rounds = []
    for draft in ("false", "as false", "quoted"):
        story.drafted("research", draft, partial=draft == "quoted")
        done = story.when(validated(story, too_much))
        rounds += [one.quote_only for one in done.events if isinstance(one, e.SectionLintFailed)]
        if story.status("research") == "generating":
            job = generation_job(story, "research")
            assert job.quote_only == (draft == "as false")
            assert (job.previous is None, job.report is None) == (job.quote_only, job.quote_only)
    assert rounds == [False, True]
    assert story.status("research") == "awaiting_review"


def test_as_much_without_support_as_its_kind_allows_goes_to_a_person_as_it_is(story: Story) -> None:
    story.create(max_lint_rounds=0, max_unsupported=2)
    story.drafted("research")
    invented = validation(passed=False).model_copy(update={"rules": {"grounding/amount": 2}})
    given(DECIDER, *story.history).when(validated(story, invented)).then_types(e.SectionReviewRequested)


@pytest.mark.parametrize(("graph", "is_quoted"), [("roles", True), ("formatter", True), ("document_agent", False)])
def test_graphs_that_can_do_without_their_model_quote_instead(story: Story, graph: str, is_quoted: bool) -> None:
    story.create(max_lint_rounds=0, max_unsupported=2, graph=graph)
    story.drafted("research")
    too_much = validation(passed=False).model_copy(update={"rules": {"grounding/amount": 3}})
    expected = e.SectionLintFailed if is_quoted else e.SectionReviewRequested
    given(DECIDER, *story.history).when(validated(story, too_much)).then_types(expected)


def test_stays_quiet_about_a_text_of_a_person(begun: Story) -> None:
    begun.settle("research")
    begun.when(asking.write(begun.asked(), "research", 1, ref("a person's text")))
    job = next(name for name, kind in begun.document.sections["research"].checks.items() if kind == "validate")
    begun.outcome(o.DraftValidated, "research", job_id=job, validation=unsupported(amount=1)).then_types(
        e.SectionChecked
    )
    assert begun.status("research") == "edited"


@pytest.mark.req("T1")
@pytest.mark.parametrize("mode", [ReviewMode.AUTO, ReviewMode.NONE])
@pytest.mark.parametrize(
    "coverage",
    [
        CoverageSummary(total=9, covered=8, missing_blocks=1),
        CoverageSummary(total=9, covered=0, not_comparable=9, language="de"),
        CoverageSummary(total=9, covered=8, not_comparable=1, language="de"),
        None,
    ],
    ids=["something is lost", "all is in another language", "some is in another language", "nobody could find out"],
)
def test_a_text_that_may_have_lost_some_of_the_inputs_waits_for_a_person_under_every_policy(
    story: Story, mode: ReviewMode, coverage: CoverageSummary | None
) -> None:
    covering(story, mode, coverage).then_types(e.SectionReviewRequested)


@pytest.mark.req("T1")
@pytest.mark.parametrize("mode", [ReviewMode.AUTO, ReviewMode.NONE])
def test_a_text_that_covers_the_inputs_is_settled_by_its_policy(story: Story, mode: ReviewMode) -> None:
    covering(story, mode, CoverageSummary(total=9, covered=7, left_out=2)).then_types(e.SectionApproved)


def covering(story: Story, mode: ReviewMode, coverage: CoverageSummary | None) -> Then[State, e.AnyEvent]:
    """What comes of a draft whose section is to hold all that the inputs say."""
    story.create(
        {"research": (), "solution": ("research",)}, ReviewPolicy(mode=mode, min_score=0.5), covers_inputs=True
    )
    story.drafted("research")
    summary = validation().model_copy(update={"coverage": coverage})
    return given(DECIDER, *story.history).when(validated(story, summary))
