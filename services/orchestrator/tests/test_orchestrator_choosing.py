"""What comes of a suggestion, or of changes taken back, is made of stored words alone, whatever the caller saw."""

from typing import Any

import domain_asking as asking
import pytest
from domain_asking import DOCUMENT, TENANT, StoredComment
from domain_story import Story
from orchestrator_intake import commanded
from stemma_contracts.suggestions import with_suggestion
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.comments import Remark
from stemma_contracts.v1.references import ArtifactRef
from stemma_domain.features.choosing import TEXT
from stemma_orchestrator.intake import Intake

pytestmark = pytest.mark.req("P9", "H8")
OLD = "# Costs\n\nIt costs **5 euros**. It is small.\n"
NEW = "# Costs\n\nIt costs **6 euros**. It is tiny.\n"
ABOUT = {"document_id": DOCUMENT, "section_id": "research", "version": 2}


async def stored(intake: Intake, text: str) -> ArtifactRef:
    return await intake.artifacts.put(TENANT, DOCUMENT, text.encode(), media_type="text/markdown", name="draft.md")


@pytest.fixture
async def story(begun: Story, intake: Intake) -> Story:
    """The section `research` in two versions, on the second of which somebody suggests other words."""
    begun.settle("research")
    for number, text in enumerate((OLD, NEW)):
        begun.ask(asking.write, "research", number + 1, await stored(intake, text))
    remark = Remark(text=with_suggestion("Round it.", "7 euros"), quote="6 euros")
    made = StoredComment(await stored(intake, remark.model_dump_json()))
    begun.ask(asking.comment, "research", 3, [made])
    return begun


async def chosen(intake: Intake, story: Story, request: type[r.DocumentRequest], **fields: Any) -> str | None:
    """The text that comes of a request, if there is one."""
    asked = request.model_validate({**ABOUT, "version": 3, **fields})
    command = await commanded(intake, asked, document=story.document)
    ref = command.stored.get(TEXT)
    return (await intake.artifacts.get(TENANT, DOCUMENT, ref)).decode() if ref else None


async def test_suggested_words_take_the_place_of_those_that_the_comment_quotes(intake: Intake, story: Story) -> None:
    (thread,) = story.document.sections["research"].threads
    named = {"thread_id": thread, "comment_id": thread}
    assert await chosen(intake, story, r.AcceptSuggestion, **named) == NEW.replace("6 euros", "7 euros")
    assert await chosen(intake, story, r.AcceptSuggestion, **named | {"comment_id": "c9"}) is None
    assert await chosen(intake, story, r.AcceptSuggestion, **named | {"thread_id": "c9"}) is None
    assert await chosen(intake, story, r.AcceptSuggestion, **named | {"version": 2}) is None


async def test_a_suggestion_whose_words_are_gone_gives_no_text(intake: Intake, story: Story) -> None:
    (thread,) = story.document.sections["research"].threads
    story.ask(asking.write, "research", 3, await stored(intake, "# Costs\n\nNothing.\n"))
    named = {"thread_id": thread, "comment_id": thread, "version": 4}
    assert await chosen(intake, story, r.AcceptSuggestion, **named) is None


@pytest.mark.parametrize(
    ("changes", "shown", "text"),
    [
        ([1], 2, NEW.replace("6", "5")),
        ([2], 2, NEW.replace("tiny", "small")),
        ([2, 1, 1], 2, OLD),
        ([3], 2, None),
        ([1], 3, None),
    ],
)
async def test_what_was_there_before_takes_the_place_of_the_changes_that_are_taken_back(
    intake: Intake, story: Story, changes: list[int], shown: int, text: str | None
) -> None:
    assert await chosen(intake, story, r.TakeBackChanges, since=2, changes=changes, shown=shown) == text
    assert await chosen(intake, story, r.TakeBackChanges, since=9, changes=changes, shown=shown) is None
    assert await chosen(intake, story, r.TakeBackChanges, proposal_id="p1", changes=changes, shown=shown) is None


async def test_a_change_of_blanks_that_is_named_takes_no_other_change_back(intake: Intake, story: Story) -> None:
    spaced = "# Costs\n\nIt costs  **6 euros**. It is tiny.\n"
    story.ask(asking.write, "research", 3, await stored(intake, spaced))
    named = {"version": 4, "since": 2, "changes": [1, 2], "shown": 3}
    assert await chosen(intake, story, r.TakeBackChanges, **named) == NEW.replace("6", "5")


@pytest.mark.req("L5")
async def test_other_words_take_the_place_of_a_fact_where_it_was_seen(intake: Intake, story: Story) -> None:
    start = NEW.index("6 euros")
    places = {"section_id": "research", "version": 3, "places": [start]}
    words = {"document_id": DOCUMENT, "written": "6 euros", "instead": "8 euros"}

    async def changed(**more: Any) -> str | None:
        request = r.ChangeFact.model_validate(words | {"sections": [places | more]})
        ref = (await commanded(intake, request, document=story.document)).stored.get("research")
        return (await intake.artifacts.get(TENANT, DOCUMENT, ref)).decode() if ref else None

    assert await changed() == NEW.replace("6 euros", "8 euros")
    assert await changed(places=[start + 1]) is None
    assert await changed(version=2) is None
