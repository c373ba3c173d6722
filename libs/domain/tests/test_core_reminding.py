"""Who is to see to a section is reminded before it is due and when it is overdue: once each, not of what is done."""

from datetime import UTC, datetime, timedelta
from typing import Any

import domain_asking as asking
import pytest
from domain_story import Story, ref
from stemma_contracts.v1 import events as e
from stemma_domain.commands import Elapsed, Timer
from stemma_domain.features.assignment import DUE_SOON, OVERDUE
from stemma_domain.work import timers_of

pytestmark = pytest.mark.req("H2", "H7")
DAY = timedelta(days=1)
NOW = datetime(2026, 11, 1, tzinfo=UTC)
DUE = NOW + 10 * DAY


@pytest.fixture
def asked(begun: Story) -> Story:
    """A story whose section `research` is assigned and due in ten days."""
    begun.now = NOW
    assign(begun)
    return begun


def assign(story: Story, due: datetime | None = DUE, section: str = "research") -> Any:
    return story.when(asking.assign(story.asked(), section, "bea", due, NOW))


def number(story: Story) -> int:
    now = story.document.sections["research"].assignment
    assert now is not None
    return now.number


def elapse(story: Story, reminder: str, time: datetime, of: int | None = None) -> Any:
    return story.when(Elapsed(Timer("research", reminder, number(story) if of is None else of, time)))


def running(story: Story, before: timedelta = DAY) -> list[tuple[str, datetime]]:
    return [(timer.name, timer.at) for timer in timers_of(story.document, before)]


def test_what_is_due_has_a_timer_before_and_one_at_its_time_and_none_that_is_past(asked: Story) -> None:
    assert running(asked) == [("due-soon", DUE - DAY), ("overdue", DUE)]
    assert running(asked, 20 * DAY) == [("overdue", DUE)], "it was assigned later than that"
    assert running(asked, timedelta()) == [("overdue", DUE)]
    asked.now = DUE - timedelta(hours=1)
    assign(asked, DUE + DAY, "budget")
    assert running(asked) == [("overdue", DUE), ("due-soon", DUE), ("overdue", DUE + DAY)]
    asked.when(asking.cancel(asked.asked()))
    assert running(asked) == []


def test_a_section_without_a_time_has_no_timer(begun: Story) -> None:
    assign(begun, None)
    assert running(begun) == []


def test_one_is_reminded_before_and_once_it_is_overdue_and_of_neither_twice(asked: Story) -> None:
    (soon,) = elapse(asked, DUE_SOON, DUE - DAY).events
    assert isinstance(soon, e.SectionDueSoon)
    assert (soon.section_id, soon.assignee, soon.due) == ("research", "bea", DUE)
    assert elapse(asked, DUE_SOON, DUE - DAY).events == ()
    elapse(asked, OVERDUE, DUE).then_types(e.SectionOverdue)
    assert elapse(asked, OVERDUE, DUE).events == ()


def test_what_elapsed_while_nobody_could_hear_it_is_told_as_overdue_alone(asked: Story) -> None:
    late = DUE + DAY
    assert elapse(asked, DUE_SOON, late).events == ()
    elapse(asked, OVERDUE, late).then_types(e.SectionOverdue)
    assert elapse(asked, DUE_SOON, DUE - DAY).events == ()


def test_nobody_is_reminded_of_what_was_settled_reassigned_taken_back_or_cancelled(asked: Story) -> None:
    first = number(asked)
    assign(asked, DUE + DAY)
    assert elapse(asked, OVERDUE, DUE, of=first).events == ()
    asked.settle("research")
    assert elapse(asked, OVERDUE, DUE + DAY).events == ()
    asked.when(asking.unassign(asked.asked(), "research"))
    assert elapse(asked, OVERDUE, DUE, of=first).events == ()
    assign(asked)
    asked.when(asking.cancel(asked.asked()))
    assert elapse(asked, OVERDUE, DUE).events == ()


def test_of_what_was_settled_when_it_was_assigned_one_is_reminded_too(begun: Story) -> None:
    begun.settle("research")
    assign(begun)
    elapse(begun, DUE_SOON, DUE - DAY).then_types(e.SectionDueSoon)


def test_a_stale_section_that_is_kept_is_not_due_any_more(begun: Story) -> None:
    begun.settle("research", "solution")
    begun.when(asking.assign(begun.asked(), "solution", "bea", DUE, NOW))
    begun.when(asking.write(begun.asked(), "research", 1, ref("by hand"), ()))
    stale = begun.document.sections["solution"].assignment
    assert stale is not None
    timer = Elapsed(Timer("solution", DUE_SOON, stale.number, DUE - DAY))
    begun.when(timer).then_types(e.SectionDueSoon)
    begun.when(asking.keep(begun.asked(), "solution", 1))
    begun.when(Elapsed(Timer("solution", OVERDUE, stale.number, DUE))).then_nothing_happened()


def test_a_timer_of_a_section_that_there_is_not_gives_nothing(asked: Story) -> None:
    assert asked.when(Elapsed(Timer("appendix", OVERDUE, 2, DUE))).events == ()
