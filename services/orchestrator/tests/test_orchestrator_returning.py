"""What is taken over of a file that came back is made of what was shown, and each comment once."""

from dataclasses import replace
from typing import Any

import domain_asking as asking
import pytest
from domain_asking import DOCUMENT, TENANT
from domain_story import Story
from orchestrator_intake import commanded
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.comments import Remark
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.returned import ReturnedComment, ReturnedDocument, ReturnedEdit, ReturnedSection
from stemma_domain.commands import Record
from stemma_domain.features.returns import TakeOver
from stemma_orchestrator.intake import Intake

pytestmark = pytest.mark.req("W2")
TEXT = "# Costs\n\nIt costs **5 euros**. It is small.\n"
EDIT = ReturnedEdit(author="Bea", before=TEXT, after=TEXT.replace("5 euros", "6 euros"))
QUOTED = ReturnedComment(comment_id="1", author="Bea", text="Why?", quote="6 euros")
GONE = ReturnedComment(comment_id="2", author="Carl", text="Is that so?", quote="5 euros")
DONE = ReturnedComment(comment_id="3", author="Carl", text="Typo.", resolved=True)


async def stored(intake: Intake, text: str) -> ArtifactRef:
    return await intake.artifacts.put(TENANT, DOCUMENT, text.encode(), media_type="text/markdown", name="draft.md")


async def read(story: Story, intake: Intake, *comments: ReturnedComment) -> ArtifactRef:
    """A file came back for the section `research`, with an edit and comments."""
    section = ReturnedSection(section_id="research", version=2, now=2, merged=(EDIT,), comments=comments)
    found = await stored(intake, ReturnedDocument(sections=(section,)).model_dump_json())
    story.ask(asking.read_return, found, found)
    (job,) = story.jobs(j.CompareReturn)
    story.when(Record(o.ReturnCompared(**job.echo(), found=found)))
    return found


async def taken(story: Story, intake: Intake, found: ArtifactRef, **fields: Any) -> TakeOver:
    named = {"document_id": DOCUMENT, "return_id": [*story.document.returns][-1], "digest": found.digest}
    command = await commanded(intake, r.ApplyReturn.model_validate(named | fields), document=story.document)
    assert isinstance(command, TakeOver)
    return command


async def said(intake: Intake, ref: ArtifactRef) -> str:
    return (await intake.artifacts.get(TENANT, DOCUMENT, ref)).decode()


@pytest.fixture
async def story(begun: Story, intake: Intake) -> Story:
    begun.settle("research")
    begun.ask(asking.write, "research", 1, await stored(intake, TEXT))
    return begun


async def test_edits_and_comments_are_stored_as_they_were_shown(story: Story, intake: Intake) -> None:
    found = await read(story, intake, QUOTED, GONE, DONE)
    [section] = (await taken(story, intake, found, comments_as={"1": "question"})).taken
    assert [(author, await said(intake, text)) for author, text in section.edits] == [("Bea", EDIT.after)]
    remarks = [Remark.model_validate_json(await said(intake, one.remark)) for one in section.comments]
    assert [(one.text, one.quote) for one in remarks] == [
        ("Why?", "6 euros"),
        ("\u201c5 euros\u201d: Is that so?", ""),
    ], "a comment whose words are gone quotes them itself"
    assert [one.asks for one in section.comments] == [True, False]
    assert (await taken(story, intake, found, digest="0" * 64)).taken == ()


async def test_comments_that_become_instructions_are_one_and_those_without_room_stay_comments(
    story: Story, intake: Intake
) -> None:
    longest = GONE.model_copy(update={"comment_id": "4", "text": "x" * 19_990})
    found = await read(story, intake, QUOTED, GONE, longest)
    [section] = (await taken(story, intake, found, comments="guidance")).taken
    assert section.guidance is not None
    assert section.guidance[0] == "\u201c6 euros\u201d: Why?\n\n\u201c5 euros\u201d: Is that so?"
    remarks = [Remark.model_validate_json(await said(intake, one.remark)).text for one in section.comments]
    assert (len(remarks), sum(one.count("x") for one in remarks)) == (3, 19_990)
    [nothing] = (await taken(story, intake, found, comments="nothing")).taken
    assert (nothing.comments, nothing.guidance) == ((), None)


async def test_what_comes_back_twice_is_taken_over_once(story: Story, intake: Intake) -> None:
    found = await read(story, intake, QUOTED, GONE)
    story.when(replace(await taken(story, intake, found), asked=story.asked()))
    assert story.document.sections["research"].current_number == 3
    [section] = (await taken(story, intake, found)).taken
    assert section.comments == ()
    asks = await taken(story, intake, found, comments_as={"1": "guidance", "2": "nothing"})
    assert asks.taken[0].guidance is not None
