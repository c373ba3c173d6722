"""Where a policy wants several people, each approves; once a version waits too long, its delegate is asked."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import domain_asking as asking
import pytest
from domain_story import Story, ref
from pydantic import ValidationError
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.cycles import CyclePlan
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.jobs import ConvertDocument
from stemma_contracts.v1.review import ReviewMode, ReviewPolicy
from stemma_domain.blueprints.planning import Blueprint, BlueprintSection, plan_section
from stemma_domain.commands import Elapsed, Timer
from stemma_domain.features.review import REVIEW_LATE
from stemma_domain.work import timers_of

pytestmark = pytest.mark.req("L9")
NOW = datetime(2026, 11, 1, tzinfo=UTC)
TWO = ReviewPolicy(approvals=2, within_hours=24, delegate="eve")


@pytest.fixture
def waiting(story: Story) -> Story:
    """A story whose section `research` waits for two people."""
    story.now = NOW
    story.create(review=TWO)
    story.reviewable("research")
    return story


def by(story: Story, person: str, *, verified: bool = True) -> Any:
    return {**story.asked(), "actor": person, "actor_verified": verified}


def approve(story: Story, person: str, **who: Any) -> Any:
    (event,) = story.when(asking.approve(by(story, person, **who), "research", 1)).events
    return event


def approvers(story: Story) -> list[str]:
    version = story.document.sections["research"].current
    return [one.by for one in version.approvals] if version else []


def test_the_last_of_several_approvals_settles_the_version(waiting: Story) -> None:
    first = approve(waiting, "bea")
    assert isinstance(first, e.SectionApprovalGiven)
    assert (first.approvals, first.needed) == (1, 2)
    assert waiting.status("research") == "awaiting_review"
    assert approve(waiting, "bea").problem.code == "approved_already"
    assert approve(waiting, "joe", verified=False).problem.code == "approver_unknown"
    last = approve(waiting, "joe")
    assert isinstance(last, e.SectionApproved)
    assert last.starts == ("solution",)
    assert approvers(waiting) == ["bea", "joe"]


def test_an_approval_is_withdrawn_by_its_person_and_void_for_another_text(waiting: Story) -> None:
    approve(waiting, "bea")
    refused = waiting.when(asking.withdraw_approval(by(waiting, "joe"), "research", 1)).events[0]
    assert isinstance(refused, e.DecisionRefused), "it is not approved, and that person has not approved it"
    waiting.when(asking.withdraw_approval(by(waiting, "bea"), "research", 1)).then_types(e.SectionApprovalWithdrawn)
    assert approvers(waiting) == []
    approve(waiting, "bea")
    approve(waiting, "joe")
    waiting.when(asking.withdraw_approval(by(waiting, "joe"), "research", 1))
    assert (approvers(waiting), waiting.status("research")) == (["bea"], "awaiting_review")
    waiting.when(asking.write(waiting.asked(), "research", 1, ref("Other words")))
    assert approvers(waiting) == []


def test_the_delegate_is_asked_once_a_version_waited_too_long(waiting: Story) -> None:
    late = Timer("research", REVIEW_LATE, 1, NOW + timedelta(hours=24))
    assert list(timers_of(waiting.document, timedelta())) == [late]
    assert waiting.when(Elapsed(replace(late, number=2))).events == ()
    (asked,) = waiting.when(Elapsed(late)).events
    assert isinstance(asked, e.SectionAssigned)
    assert (asked.assignee, asked.actor) == ("eve", None)
    assert waiting.when(Elapsed(late)).events == (), "that person is asked"
    approve(waiting, "eve")
    approve(waiting, "joe")
    assert list(timers_of(waiting.document, timedelta())) == []


def test_an_export_says_who_settled_what_and_what_it_may_rest_on(waiting: Story) -> None:
    approve(waiting, "bea")
    approve(waiting, "joe")
    waiting.when(asking.write(waiting.asked(), "budget", 0, ref("Ours")))
    waiting.when(asking.export(waiting.asked(), ExportFormat.DOCX))
    (job,) = (one for one in waiting.jobs(ConvertDocument) if isinstance(one, ConvertDocument))
    settled = {one.section_id: [(each.how, each.by) for each in one.settled] for one in job.sections}
    assert settled["research"] == [("approved", "bea"), ("approved", "joe")]
    assert settled["budget"] == [("written", "ada")]
    assert settled["solution"] == []


def test_a_request_does_not_do_with_fewer_people_than_the_kind_wants() -> None:
    section = BlueprintSection(id="prices", title="Prices", kind="prices", purpose="What it costs.")
    blueprint = Blueprint(kind="bid", title="Bid", sections=(section,), review=TWO)
    policies = [None, ReviewPolicy(), ReviewPolicy(mode=ReviewMode.NONE), ReviewPolicy(approvals=3)]
    assert [plan_section(blueprint, section, {}, one).review.approvals for one in policies] == [2, 2, 2, 3]
    cycle = CyclePlan(review_section="review", final_section="prices", max_revisions=1)
    ends = blueprint.model_copy(update={"cycle": cycle})
    assert plan_section(ends, section, {}, None).review == TWO, "nor does the end of a document in cycles"


@pytest.mark.parametrize("about", [{"mode": "none", "approvals": 2}, {"delegate": "eve"}, {"within_hours": 2}])
def test_a_policy_that_asks_nobody_is_refused(about: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ReviewPolicy.model_validate(about)
