"""A section is assigned to a person, until a time: that locks nothing, and what is settled is not due any more."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import domain_asking as asking
import pytest
from domain_story import Story, ref
from pydantic import ValidationError
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.views import AssignmentView
from stemma_domain.staleness import staleness
from stemma_domain.view import bounded_view, summarise, view_of

pytestmark = pytest.mark.req("H2")
NOW = datetime(2026, 11, 1, tzinfo=UTC)
DUE = datetime(2026, 12, 1, 17, tzinfo=timezone(timedelta(hours=1)))


def assign(story: Story, to: str = "bea", due: datetime | None = DUE, section: str = "research") -> Any:
    return story.when(asking.assign(story.asked(), section, to, due, NOW))


def unassign(story: Story, section: str = "research") -> Any:
    return story.when(asking.unassign(story.asked(), section))


def assigned(story: Story) -> AssignmentView | None:
    return story.document.sections["research"].assignment


def test_a_section_is_assigned_by_somebody_to_another_and_taken_back(begun: Story) -> None:
    assign(begun).then_types(e.SectionAssigned)
    now = assigned(begun)
    assert now is not None
    assert (now.assignee, now.due, now.by, now.number) == ("bea", DUE, "ada", begun.document.number)
    assign(begun, "carl", None)
    now = assigned(begun)
    assert now is not None
    assert (now.assignee, now.due) == ("carl", None)
    unassign(begun).then_types(e.SectionUnassigned)
    assert assigned(begun) is None


def test_a_time_that_is_past_the_same_again_and_nobody_are_refused_each_by_its_reason(begun: Story) -> None:
    past = assign(begun, due=NOW).events
    nobody = unassign(begun).events
    assign(begun)
    same = assign(begun).events
    unknown = assign(begun, section="appendix").events
    assert [(one.problem.field, one.problem.message) for one in (*past, *nobody, *same, *unknown)] == [
        ("due", "2026-11-01T00:00:00+00:00 is past"),
        ("section_id", "nobody in particular is asked to see to it"),
        ("assignee", "bea is asked to see to it already"),
        ("section_id", "the document has no section 'appendix'"),
    ]
    assign(begun, due=DUE + timedelta(hours=1)).then_types(e.SectionAssigned)


def test_assigning_locks_nothing_and_leaves_text_status_and_work_as_they_are(begun: Story) -> None:
    before, jobs = begun.document, begun.open_jobs()
    assign(begun)
    assert begun.open_jobs() == jobs
    assert begun.document.sections["research"].phase is before.sections["research"].phase
    begun.reviewable("research")
    begun.approve("research").then_types(e.SectionApproved)
    begun.when(asking.cancel(begun.asked()))
    assign(begun, "carl").then_refused("document_cancelled")


def test_what_is_settled_is_still_the_persons_and_not_due_any_more(begun: Story) -> None:
    assign(begun)
    begun.reviewable("research")
    waits = assigned(begun)
    assert waits is not None
    assert waits.due == DUE
    begun.approve("research")
    assert assigned(begun) == waits.model_copy(update={"due": None})
    assign(begun)
    begun.when(asking.write(begun.asked(), "research", 1, ref("by hand"), ()))
    now = assigned(begun)
    assert now is not None
    assert (now.assignee, now.due) == ("bea", None)


def test_the_same_request_again_assigns_nothing_twice(begun: Story) -> None:
    again = asking.assign(begun.asked("same"), "research", "bea", DUE, NOW)
    begun.when(again)
    assert begun.when(again).events == ()


def test_the_read_model_and_the_view_tell_who_and_until_when(begun: Story) -> None:
    begun.now = NOW
    assign(begun)
    told = bounded_view(begun.document, "research", staleness(begun.document), 1)
    listed = {one.section_id: (one.assignee, one.due) for one in summarise(begun.document, 1).sections}
    view = view_of(begun.document).sections["research"].assignment
    assert told.assignment == view
    assert (listed["research"], listed["budget"]) == (("bea", DUE), ("", None))
    assert view is not None
    assert (view.assignee, view.due, view.by, view.at) == ("bea", DUE, "ada", NOW)


@pytest.mark.parametrize("due", ["2026-12-01T17:00", "9999-12-31T23:59:59-14:00", "soon"])
def test_a_time_without_its_zone_or_that_some_zone_has_no_date_for_is_refused_by_its_field(due: str) -> None:
    with pytest.raises(ValidationError) as refused:
        r.AssignSection.model_validate({"document_id": "d", "section_id": "s", "assignee": "bea", "due": due})
    assert [one["loc"] for one in refused.value.errors()] == [("due",)]
