"""What a document costs: each event that adds to it says what it was before."""

from __future__ import annotations

import pytest
from domain_story import Story
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.usage import Usage

COST = Usage(calls=2, input_tokens=30, output_tokens=5, cost=0.1)


@pytest.mark.req("H7", "T9")
def test_every_event_that_costs_something_says_what_the_document_cost_before(story: Story) -> None:
    story.create()
    story.drafted("research", usage=COST)
    story.validated("research")
    story.approve("research")
    story.drafted("solution", usage=COST)
    story.drafted("research", "late", job_id="doc1.0.generate.research", usage=COST)
    paid = [event for event in story.history if isinstance(event, e.PaidEvent) and event.usage != Usage()]
    assert [type(event) for event in paid] == [e.SectionDrafted, e.SectionDrafted, e.OutcomeSuperseded]
    assert [event.usage_before for event in paid] == [Usage(), COST, COST.plus(COST)]
    assert story.document.usage == COST.plus(COST).plus(COST)


@pytest.mark.req("H7")
def test_an_event_that_costs_nothing_says_nothing_of_it(story: Story) -> None:
    story.create()
    (drafted,) = story.drafted("research", usage=Usage())
    assert drafted.usage_before is None
