"""Approvals: as many people as a policy wants, each withdrawn as long as nothing was written from it; and delegates."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import domain_asking as asking
import pytest
from domain_story import PROVENANCE, Story, ref
from pydantic import ValidationError
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.cycles import CyclePlan
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.needs import Need
from stemma_contracts.v1.review import ReviewMode, ReviewPolicy
from stemma_domain.blueprints.planning import Blueprint, BlueprintSection, plan_section
from stemma_domain.commands import Elapsed, Timer
from stemma_domain.features.review import REVIEW_LATE
from stemma_domain.view import view_of
from stemma_domain.work import timers_of
from stemma_testkit.deciding import Then

NOW = datetime(2026, 11, 1, tzinfo=UTC)
LATER = NOW + timedelta(hours=2)
TWO = ReviewPolicy(approvals=2, within_hours=24, delegate="eve")


def withdraw(story: Story, section_id: str = "research", version: int = 1, **who: Any) -> Then[Any, Any]:
    return story.when(asking.withdraw_approval({**story.asked(), **who}, section_id, version))


def verified(person: str) -> dict[str, Any]:
    return {"actor": person, "actor_verified": True}


@pytest.mark.req("P9", "H8")
def test_a_withdrawn_approval_waits_for_review_again_and_the_document_goes_on(begun: Story) -> None:
    begun.settle("research", "solution", "budget", "timeline")
    (event,) = withdraw(begun, "timeline").then_types(e.SectionApprovalWithdrawn)
    assert (event.version, event.stops) == (1, ())
    assert (begun.status("timeline"), begun.document_status()) == ("awaiting_review", "running")
    begun.approve("timeline")
    assert begun.document_status() == "completed"


@pytest.mark.req("P9", "H8")
def test_a_section_that_is_being_written_from_it_waits_again_and_begins_after_the_next_approval(begun: Story) -> None:
    begun.settle("research")
    late = begun.job_of("solution")
    (event,) = withdraw(begun)
    assert (event.stops, begun.status("solution")) == (("solution",), "queued")
    assert (begun.jobs(j.GenerateSection), late in begun.open_jobs()) == ([], False)
    begun.approve("research")
    assert begun.status("solution") == "generating"


@pytest.mark.req("P9", "H8")
@pytest.mark.parametrize("how", ["drafted", "asks"])
def test_it_is_refused_once_another_section_was_written_from_it_or_asks_a_person(begun: Story, how: str) -> None:
    begun.settle("research")
    if how == "drafted":
        begun.drafted("solution")
    else:
        need = Need(need_id="n1", kind="question", checkpoint_id="c", question=ref("Which?"))
        begun.outcome(o.GraphPaused, "solution", thread_id="t", need=need)
    (refusal,) = withdraw(begun)
    assert (refusal.problem.code, refusal.problem.params["sections"]) == ("approval_in_use", "solution")
    assert begun.status("research") == "approved"


@pytest.mark.req("P9", "H8")
def test_it_is_refused_for_what_is_not_approved_and_for_another_version(begun: Story) -> None:
    begun.reviewable("research")
    withdraw(begun).then_refused("section_awaiting_review")
    begun.approve("research")
    withdraw(begun, version=2).then_refused("version_old")
    withdraw(begun).then_types(e.SectionApprovalWithdrawn)
    withdraw(begun).then_refused("section_awaiting_review")


@pytest.mark.req("P9", "H8")
def test_what_was_written_from_an_earlier_version_does_not_hold_the_approval_of_a_later_one(begun: Story) -> None:
    begun.settle("research", "solution", "budget", "timeline")
    begun.ask(asking.regenerate, "research", 1)
    begun.drafted("research", "other words")
    begun.validated("research")
    begun.approve("research", 2)
    withdraw(begun, version=2).then_types(e.SectionApprovalWithdrawn)


@pytest.mark.req("L9", "H8")
def test_a_name_that_a_program_claims_takes_back_no_approval_of_somebody_whom_the_server_knew(begun: Story) -> None:
    begun.reviewable("research")
    approve(begun, "bea")
    for person in ("bea", "joe"):
        withdraw(begun, actor=person).then_refused("approval_verified")
    assert (approvers(begun), begun.status("research")) == (["bea"], "approved")
    withdraw(begun, **verified("joe")).then_types(e.SectionApprovalWithdrawn)


@pytest.fixture
def waiting(story: Story) -> Story:
    """The section `research` waits for two people."""
    story.now = NOW
    story.create(review=TWO)
    story.reviewable("research")
    return story


def approve(story: Story, person: str, version: int = 1, **who: Any) -> Then[Any, Any]:
    return story.when(asking.approve({**story.asked(), **verified(person), **who}, "research", version))


def approvers(story: Story) -> list[str]:
    return [one.by for one in story.current().approvals]


@pytest.mark.req("L9")
def test_the_last_of_several_approvals_settles_the_version(waiting: Story) -> None:
    (first,) = approve(waiting, "bea").then_types(e.SectionApprovalGiven)
    assert (first.approvals, first.needed, waiting.status("research")) == (1, 2, "awaiting_review")
    approve(waiting, "bea").then_refused("approved_already")
    approve(waiting, "joe", actor_verified=False).then_refused("approver_unknown")
    (last,) = approve(waiting, "joe").then_types(e.SectionApproved)
    assert (last.starts, approvers(waiting)) == (("solution",), ["bea", "joe"])


@pytest.mark.req("L9")
def test_an_approval_is_withdrawn_by_its_person_and_void_for_another_text(waiting: Story) -> None:
    approve(waiting, "bea")
    withdraw(waiting, **verified("joe")).then_refused("section_awaiting_review")
    withdraw(waiting, **verified("bea")).then_types(e.SectionApprovalWithdrawn)
    assert approvers(waiting) == []
    approve(waiting, "bea")
    approve(waiting, "joe")
    withdraw(waiting, **verified("joe"))
    assert (approvers(waiting), waiting.status("research")) == (["bea"], "awaiting_review")
    waiting.ask(asking.write, "research", 1, ref("Other words"))
    assert approvers(waiting) == []


@pytest.mark.req("L9")
@pytest.mark.parametrize("way", ["write", "restore", "edit"])
def test_a_text_that_one_person_gives_waits_for_as_many_as_any_other_does(waiting: Story, way: str) -> None:
    approve(waiting, "bea")
    approve(waiting, "joe")
    waiting.now = LATER
    if way == "edit":
        waiting.ask(asking.edit, "research", 1, ref("shorter"))
        made = {"draft": ref("short"), "summary": ref("cut"), "provenance": PROVENANCE}
        waiting.said(waiting.job(j.ReviseDraft), o.DraftRevised, **made)
    else:
        waiting.ask(asking.write, "research", 1, ref("mine"))
    if way == "restore":
        waiting.ask(asking.restore, "research", 2, 1)
    version = waiting.current().number
    assert waiting.status("research") == "awaiting_review"
    assert waiting.document.sections["research"].notes.waits_since == LATER
    assert view_of(waiting.document).sections["research"].entry is not None, "the approval of the text before"
    approve(waiting, "ada", version)
    assert waiting.status("research") == "awaiting_review"
    (settled,) = approve(waiting, "bea", version)
    assert isinstance(settled, e.SectionApproved)


@pytest.mark.req("L9")
def test_a_text_that_waits_for_several_people_is_no_entry_of_the_library_and_is_still_due(waiting: Story) -> None:
    waiting.when(asking.assign(waiting.asked(), "budget", "bea", NOW + timedelta(days=1), NOW))
    waiting.ask(asking.write, "budget", 0, ref("mine"))
    section = view_of(waiting.document).sections["budget"]
    assert (section.status, section.entry) == ("awaiting_review", None)
    assert section.assignment is not None
    assert section.assignment.due is not None
    waiting.ask(asking.export, ExportFormat.DOCX)
    settled = {one.section_id: one.settled for one in waiting.job(j.ConvertDocument).sections}
    assert settled["budget"] == ()


@pytest.mark.req("L9")
def test_the_delegate_is_asked_once_a_version_waited_too_long(waiting: Story) -> None:
    late = Timer("research", REVIEW_LATE, 1, NOW + timedelta(hours=24))
    assert list(timers_of(waiting.document, timedelta())) == [late]
    waiting.when(Elapsed(replace(late, number=2))).then_nothing_happened()
    (asked,) = waiting.when(Elapsed(late)).then_types(e.SectionAssigned)
    assert (asked.assignee, asked.actor) == ("eve", None)
    waiting.when(Elapsed(late)).then_nothing_happened()
    approve(waiting, "eve")
    approve(waiting, "joe")
    assert list(timers_of(waiting.document, timedelta())) == []


@pytest.mark.req("L9")
def test_an_export_says_who_settled_what_and_what_it_may_rest_on(waiting: Story) -> None:
    approve(waiting, "bea")
    approve(waiting, "joe")
    waiting.ask(asking.export, ExportFormat.DOCX)
    sections = waiting.job(j.ConvertDocument).sections
    settled = {one.section_id: [(each.how, each.by) for each in one.settled] for one in sections}
    assert (settled["research"], settled["solution"]) == ([("approved", "bea"), ("approved", "joe")], [])
    alone = Story()
    alone.create()
    alone.ask(asking.write, "budget", 0, ref("Ours"))
    alone.ask(asking.export, ExportFormat.DOCX)
    [written] = [one for one in alone.job(j.ConvertDocument).sections if one.settled]
    assert [(one.how, one.by) for one in written.settled] == [("written", "ada")]


@pytest.mark.req("L9")
def test_a_request_does_not_do_with_fewer_people_than_the_kind_wants() -> None:
    section = BlueprintSection(id="prices", title="Prices", kind="prices", purpose="What it costs.")
    blueprint = Blueprint(kind="bid", title="Bid", sections=(section,), review=TWO)
    policies = [None, ReviewPolicy(), ReviewPolicy(mode=ReviewMode.NONE), ReviewPolicy(approvals=3)]
    assert [plan_section(blueprint, section, {}, one).review.approvals for one in policies] == [2, 2, 2, 3]
    cycle = CyclePlan(review_section="review", final_section="prices", max_revisions=1)
    ends = blueprint.model_copy(update={"cycle": cycle})
    assert plan_section(ends, section, {}, None).review == TWO, "nor does the end of a document in cycles"


@pytest.mark.req("L9")
@pytest.mark.parametrize("about", [{"mode": "none", "approvals": 2}, {"delegate": "eve"}, {"within_hours": 2}])
def test_a_policy_that_asks_nobody_is_refused(about: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ReviewPolicy.model_validate(about)
