"""A section is assigned to a person, until a time, with reminders: that locks nothing, and what is settled is done."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import domain_asking as asking
import pytest
from domain_story import Story, ref
from pydantic import ValidationError
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.views import AssignmentView
from stemma_domain.commands import Elapsed, Timer
from stemma_domain.features.assignment import DUE_SOON, OVERDUE
from stemma_domain.staleness import staleness
from stemma_domain.view import bounded_view, summarise, view_of
from stemma_domain.work import timers_of

pytestmark = pytest.mark.req("H2", "H7")
DAY = timedelta(days=1)
NOW = datetime(2026, 11, 1, tzinfo=UTC)
DUE = datetime(2026, 11, 11, 1, tzinfo=timezone(timedelta(hours=1)))


@pytest.fixture
def asked(begun: Story) -> Story:
    """The section `research` is assigned and due in ten days."""
    begun.now = NOW
    assign(begun).then_types(e.SectionAssigned)
    return begun


def assign(story: Story, to: str = "bea", due: datetime | None = DUE, section: str = "research") -> Any:
    return story.when(asking.assign(story.asked(), section, to, due, NOW))


def unassign(story: Story) -> Any:
    return story.ask(asking.unassign, "research")


def assigned(story: Story, section: str = "research") -> AssignmentView:
    now = story.document.sections[section].assignment
    assert now is not None
    return now


def elapse(story: Story, reminder: str, time: datetime, of: int | None = None) -> Any:
    return story.when(Elapsed(Timer("research", reminder, assigned(story).number if of is None else of, time)))


def running(story: Story, before: timedelta = DAY) -> list[tuple[str, datetime]]:
    return [(timer.name, timer.at) for timer in timers_of(story.document, before)]


def test_a_section_is_assigned_by_somebody_to_another_and_taken_back_and_readers_see_it(asked: Story) -> None:
    now = assigned(asked)
    assert (now.assignee, now.due, now.by, now.at, now.number) == ("bea", DUE, "ada", NOW, asked.document.number)
    told = bounded_view(asked.document, "research", staleness(asked.document), 1)
    assert told.assignment == view_of(asked.document).sections["research"].assignment == now
    listed = {one.section_id: (one.assignee, one.due) for one in summarise(asked.document, 1).sections}
    assert (listed["research"], listed["budget"]) == (("bea", DUE), ("", None))
    assign(asked, "carl", None)
    assert (assigned(asked).assignee, assigned(asked).due) == ("carl", None)
    unassign(asked).then_types(e.SectionUnassigned)
    assert asked.document.sections["research"].assignment is None


def test_a_time_that_is_past_the_same_again_and_nobody_are_refused_each_by_its_reason(begun: Story) -> None:
    past, nobody = assign(begun, due=NOW).events, unassign(begun).events
    again = asking.assign(begun.asked(), "research", "bea", DUE, NOW)
    begun.when(again)
    begun.when(again).then_nothing_happened()
    same, unknown = assign(begun).events, assign(begun, section="appendix").events
    assert [(one.problem.field, one.problem.message) for one in (*past, *nobody, *same, *unknown)] == [
        ("due", "2026-11-01T00:00:00+00:00 is past"),
        ("section_id", "nobody in particular is asked to see to it"),
        ("assignee", "bea is asked to see to it already"),
        ("section_id", "the document has no section 'appendix'"),
    ]
    assign(begun, due=DUE + timedelta(hours=1)).then_types(e.SectionAssigned)


def test_assigning_locks_nothing_and_what_is_settled_is_still_the_persons_and_not_due_any_more(begun: Story) -> None:
    before, jobs = begun.document, begun.open_jobs()
    assign(begun)
    assert begun.open_jobs() == jobs
    assert begun.document.sections["research"].phase is before.sections["research"].phase
    begun.reviewable("research")
    waits = assigned(begun)
    assert waits.due == DUE
    begun.approve("research").then_types(e.SectionApproved)
    assert assigned(begun) == waits.model_copy(update={"due": None})
    assign(begun)
    begun.ask(asking.write, "research", 1, ref("by hand"))
    assert (assigned(begun).assignee, assigned(begun).due) == ("bea", None)
    begun.ask(asking.cancel)
    assign(begun, "carl").then_refused("document_cancelled")


@pytest.mark.parametrize("due", ["2026-12-01T17:00", "9999-12-31T23:59:59-14:00", "soon"])
def test_a_time_without_its_zone_or_that_some_zone_has_no_date_for_is_refused_by_its_field(due: str) -> None:
    with pytest.raises(ValidationError) as refused:
        r.AssignSection.model_validate({"document_id": "d", "section_id": "s", "assignee": "bea", "due": due})
    assert [one["loc"] for one in refused.value.errors()] == [("due",)]


def test_what_is_due_has_a_timer_before_and_one_at_its_time_and_none_that_is_past(asked: Story) -> None:
    assert running(asked) == [("due-soon", DUE - DAY), ("overdue", DUE)]
    assert running(asked, 20 * DAY) == [("overdue", DUE)], "it was assigned later than that"
    assert running(asked, timedelta()) == [("overdue", DUE)]
    asked.now = DUE - timedelta(hours=1)
    assign(asked, due=DUE + DAY, section="budget")
    assign(asked, due=None, section="timeline")
    assert running(asked) == [("overdue", DUE), ("due-soon", DUE), ("overdue", DUE + DAY)]
    asked.ask(asking.cancel)
    assert running(asked) == []


def test_one_is_reminded_before_and_once_it_is_overdue_and_of_neither_twice(asked: Story) -> None:
    (soon,) = elapse(asked, DUE_SOON, DUE - DAY).events
    assert isinstance(soon, e.SectionDueSoon)
    assert (soon.section_id, soon.assignee, soon.due) == ("research", "bea", DUE)
    elapse(asked, DUE_SOON, DUE - DAY).then_nothing_happened()
    elapse(asked, OVERDUE, DUE).then_types(e.SectionOverdue)
    elapse(asked, OVERDUE, DUE).then_nothing_happened()
    asked.when(Elapsed(Timer("appendix", OVERDUE, 2, DUE))).then_nothing_happened()


def test_what_elapsed_while_nobody_could_hear_it_is_told_as_overdue_alone(asked: Story) -> None:
    elapse(asked, DUE_SOON, DUE + DAY).then_nothing_happened()
    elapse(asked, OVERDUE, DUE + DAY).then_types(e.SectionOverdue)
    elapse(asked, DUE_SOON, DUE - DAY).then_nothing_happened()


def test_nobody_is_reminded_of_what_was_settled_reassigned_taken_back_or_cancelled(asked: Story) -> None:
    first = assigned(asked).number
    assign(asked, due=DUE + DAY)
    elapse(asked, OVERDUE, DUE, of=first).then_nothing_happened()
    asked.settle("research")
    elapse(asked, OVERDUE, DUE + DAY).then_nothing_happened()
    unassign(asked)
    elapse(asked, OVERDUE, DUE, of=first).then_nothing_happened()
    assign(asked)
    elapse(asked, DUE_SOON, DUE - DAY).then_types(e.SectionDueSoon)
    asked.ask(asking.cancel)
    elapse(asked, OVERDUE, DUE).then_nothing_happened()


def test_a_stale_section_that_is_kept_is_not_due_any_more(begun: Story) -> None:
    begun.settle("research", "solution")
    assign(begun, section="solution")
    begun.ask(asking.write, "research", 1, ref("by hand"))
    number = assigned(begun, "solution").number
    begun.when(Elapsed(Timer("solution", DUE_SOON, number, DUE - DAY))).then_types(e.SectionDueSoon)
    begun.ask(asking.keep, "solution", 1)
    begun.when(Elapsed(Timer("solution", OVERDUE, number, DUE))).then_nothing_happened()
