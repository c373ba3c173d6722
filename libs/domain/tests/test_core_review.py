"""An approval is withdrawn as long as nothing was written from it; on the pure core."""

from typing import Any

import domain_asking as asking
import pytest
from domain_story import Story, ref
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.needs import Need

pytestmark = pytest.mark.req("P9", "H8")


def withdraw(story: Story, section_id: str, version: int = 1) -> list[Any]:
    return list(story.when(asking.withdraw_approval(story.asked(), section_id, version)).events)


def test_a_withdrawn_approval_waits_for_review_again_and_the_document_goes_on(begun: Story) -> None:
    begun.settle("research", "solution", "budget", "timeline")
    assert begun.document_status() == DocumentStatus.COMPLETED
    (event,) = withdraw(begun, "timeline")
    assert isinstance(event, e.SectionApprovalWithdrawn)
    assert (event.version, event.stops) == (1, ())
    assert begun.status("timeline") == "awaiting_review"
    assert begun.document_status() == DocumentStatus.RUNNING
    begun.approve("timeline")
    assert begun.document_status() == DocumentStatus.COMPLETED


def test_a_section_that_is_being_written_from_it_waits_again_and_begins_after_the_next_approval(begun: Story) -> None:
    begun.settle("research")
    assert begun.status("solution") == "generating"
    (event,) = withdraw(begun, "research")
    assert event.stops == ("solution",)
    assert begun.status("solution") == "queued"
    assert begun.jobs(j.GenerateSection) == []
    begun.approve("research")
    assert begun.status("solution") == "generating"


def test_what_comes_of_a_writing_that_was_given_up_changes_nothing(begun: Story) -> None:
    begun.settle("research")
    late = begun.job_of("solution")
    withdraw(begun, "research")
    assert late not in begun.open_jobs()
    assert begun.status("solution") == "queued"


@pytest.mark.parametrize("how", ["drafted", "asks"])
def test_it_is_refused_once_another_section_was_written_from_it_or_asks_a_person(begun: Story, how: str) -> None:
    begun.settle("research")
    if how == "drafted":
        begun.drafted("solution")
    else:
        need = Need(need_id="n1", kind="question", checkpoint_id="c", question=ref("Which?"))
        begun.outcome(o.GraphPaused, "solution", thread_id="t", need=need)
    (refusal,) = withdraw(begun, "research")
    assert (refusal.problem.code, refusal.problem.params["sections"]) == ("approval_in_use", "solution")
    assert begun.status("research") == "approved"


def test_it_is_refused_for_what_is_not_approved_and_for_another_version(begun: Story) -> None:
    begun.reviewable("research")
    assert withdraw(begun, "research")[0].problem.code == "section_awaiting_review"
    begun.approve("research")
    assert withdraw(begun, "research", 2)[0].problem.code == "version_old"
    withdraw(begun, "research")
    assert withdraw(begun, "research")[0].problem.code == "section_awaiting_review"


def test_what_was_written_from_an_earlier_version_does_not_hold_the_approval_of_a_later_one(begun: Story) -> None:
    begun.settle("research", "solution", "budget", "timeline")
    begun.when(asking.regenerate(begun.asked(), "research", 1))
    begun.drafted("research", "other words")
    begun.validated("research")
    begun.approve("research", 2)
    (event,) = withdraw(begun, "research", 2)
    assert isinstance(event, e.SectionApprovalWithdrawn)
