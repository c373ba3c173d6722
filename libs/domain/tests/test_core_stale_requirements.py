"""Sections are stale by the rows of the ledger that they answer, and by no others."""

from __future__ import annotations

from typing import Any

import domain_asking as asking
import pytest
from domain_rows import OTHER_ROWS, ROWS, decide, edit, looked, looks, read
from domain_story import Story
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.ledger import RowParts
from stemma_domain.features.ledger.answering import row_of
from stemma_domain.staleness import staleness

pytestmark = pytest.mark.req("L2")


def rows(story: Story, section_id: str = "research") -> list[tuple[str, str]]:
    because = staleness(story.document).get(section_id)
    return [(row.requirement_id, row.change) for row in because.requirements] if because else []


def marks(story: Story) -> list[tuple[str, list[str]]]:
    """What the last event made stale, and by which rows."""
    event: Any = story.history[-1]
    return [(mark.section_id, [row.requirement_id for row in mark.requirements]) for mark in event.makes_stale]


@pytest.fixture
def answering(begun: Story) -> Story:
    """The first section was written for R1, the second for R2."""
    read(begun, "R1", "R2", "R3")
    decide(begun, requirement_id="R1", section_id="research")
    decide(begun, requirement_id="R2", section_id="solution")
    begun.drafted("research")
    looked(begun, "R1")
    begun.approve("research")
    begun.drafted("solution")
    looked(begun, "R2")
    return begun


def test_a_row_that_was_given_before_the_text_was_written_makes_nothing_stale(begun: Story) -> None:
    begun.drafted("research")
    read(begun, "R1")
    assert not rows(begun)


def test_an_amendment_makes_stale_the_section_whose_row_it_changes_and_no_other(answering: Story) -> None:
    read(answering, "R1", "R2", rows=OTHER_ROWS, changed=("R2",), withdrawn=("R3",))
    assert isinstance(answering.history[-1], e.RequirementsRead)
    assert marks(answering) == [("solution", ["R2"])]
    assert (rows(answering), rows(answering, "solution")) == ([], [("R2", "changed")])


def test_an_amendment_makes_stale_the_section_whose_row_it_withdraws(answering: Story) -> None:
    read(answering, "R2", "R3", rows=OTHER_ROWS, withdrawn=("R1",))
    assert rows(answering) == [("R1", "withdrawn")]


def test_what_was_changed_stays_stale_though_the_text_still_seems_to_answer_it_until_a_person_keeps_it(
    answering: Story,
) -> None:
    read(answering, "R1", "R2", rows=OTHER_ROWS, changed=("R1",))
    looked(answering, "R1")
    assert rows(answering) == [("R1", "changed")]
    answering.when(asking.keep(answering.asked(), "research", 1))
    assert not rows(answering)


def test_a_section_that_is_written_again_is_written_for_the_row_as_it_reads_now(answering: Story) -> None:
    read(answering, "R1", "R2", rows=OTHER_ROWS, changed=("R1",))
    looked(answering, "R1")
    answering.when(asking.regenerate(answering.asked(), "research", 1, None, False))
    answering.drafted("research", "again")
    assert not rows(answering)


def test_a_row_that_a_written_section_gets_makes_it_stale_once_its_text_was_seen_not_to_answer_it(
    answering: Story,
) -> None:
    decide(answering, requirement_id="R3", section_id="research")
    assert not rows(answering)
    looked(answering, "R1")
    assert marks(answering)[0] == ("research", ["R3"])
    assert rows(answering) == [("R3", "assigned")]
    edit(answering, "with an answer")
    looked(answering, "R1", "R3")
    assert not rows(answering)


def test_a_row_that_the_text_answers_already_makes_nothing_stale(answering: Story) -> None:
    decide(answering, requirement_id="R3", section_id="research")
    looked(answering, "R1", "R3")
    assert not rows(answering)


@pytest.mark.parametrize(
    "decision", [{"dropped": True}, {"merged_into": "R2"}, {"section_id": ""}, {"status": "not_applicable"}]
)
def test_a_changed_row_that_people_say_is_none_of_the_sections_does_not_make_it_stale(
    answering: Story, decision: dict[str, Any]
) -> None:
    read(answering, "R1", "R2", rows=OTHER_ROWS, changed=("R1",))
    assert rows(answering)
    decide(answering, requirement_id="R1", **decision)
    assert not rows(answering)
    assert not [job for job in looks(answering) if "R1" in job.requirements]


def test_an_amendment_that_changes_no_row_makes_nothing_stale(answering: Story) -> None:
    read(answering, "R1", "R2", "R3", "R4", rows=OTHER_ROWS, new=1)
    assert not staleness(answering.document)


def test_a_row_that_is_cut_makes_nothing_stale_and_each_part_is_looked_for_by_itself(answering: Story) -> None:
    cut = (RowParts(requirement_id="R1", parts=("R1-2",)),)
    answering.when(asking.cut_ledger(answering.asked(), ROWS.digest, OTHER_ROWS, cut))
    assert row_of(answering.document, "R1").status == "open"
    (job,) = looks(answering)
    assert (job.section.section_id, job.requirements) == ("research", ("R1", "R1-2"))
    looked(answering, "R1")
    assert not staleness(answering.document)
    assert [row_of(answering.document, name).status for name in ("R1", "R1-2")] == ["addressed", "open"]
    read(answering, "R1", "R1-2", "R2", "R3", changed=("R1-2",))
    assert rows(answering) == [("R1-2", "changed")]
