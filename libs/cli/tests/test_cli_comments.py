"""Comments at the command line, and how they stay with their words while the text changes."""

import json
from typing import Any

import pytest
from stemma_client import Client
from stemma_client.errors import InvalidInputError
from stemma_contracts.v1 import events, requests
from stemma_contracts.v1.blocks import BlockIndex, IdentifiedBlock
from stemma_contracts.v1.comments import MadeComment, NewComment, Remark
from stemma_contracts.v1.validation import ValidationSummary
from stemma_markdown import identify, nothing_identified
from stemma_testkit.document_events import section_drafted

pytestmark = pytest.mark.req("H2")
FIRST = "# Costs\n\nThe pilot costs EUR 480,000 a year.\n\nOperation costs EUR 480,000 a year.\n"


class Commented:
    """A document whose section has texts with the ids of their blocks; comments are made as they are asked for."""

    def __init__(self, backstage: Any, document_id: str) -> None:
        self.backstage, self.document_id, self.count, self.version = backstage, document_id, 0, 0
        self.known = nothing_identified("research")

    async def write(self, text: str) -> None:
        """A new version, validated, with the ids of its blocks."""
        self.version += 1
        draft = await self.backstage.text(self.document_id, text)
        self.known = identify(self.known, text)
        index = await self.backstage.text(self.document_id, _index(self.known).model_dump_json())
        checked = events.SectionReviewRequested(
            section_id="research",
            job_id=f"v{self.version}",
            version=self.version,
            validation=ValidationSummary(passed=True, issue_count=0, engine="rumdl", engine_version="1", blocks=index),
        )
        drafted = section_drafted("research", draft, self.version)
        await self.backstage.append(self.document_id, drafted, checked)

    async def answer(self, request: Any) -> None:
        self.count += 1
        about: dict[str, Any] = {"section_id": "research", "actor": "ada"}
        match request:
            case requests.CommentSection():
                made = [await self._made(number, each) for number, each in enumerate(request.comments, 1)]
                event: Any = events.SectionCommented(**about, version=request.version, comments=tuple(made))
            case requests.ResolveThread():
                event = events.SectionThreadResolved(**about, thread_id=request.thread_id)
            case requests.ReopenThread():
                event = events.SectionThreadReopened(**about, thread_id=request.thread_id)
        await self.backstage.append(self.document_id, event)

    async def _made(self, number: int, comment: NewComment) -> MadeComment:
        words = Remark(text=comment.text, quote=comment.quote, before=comment.before)
        remark = await self.backstage.text(self.document_id, words.model_dump_json())
        name = f"c{self.count}-{number}"
        return MadeComment(
            comment_id=name, thread_id=comment.thread_id or name, block_id=comment.block_id, remark=remark
        )


def _index(known: Any) -> BlockIndex:
    blocks = [
        IdentifiedBlock(
            block_id=each.block_id,
            kind=each.block.kind,
            level=each.block.level,
            line=each.block.line,
            start=each.block.start,
            end=each.block.end,
        )
        for each in known.blocks
    ]
    return BlockIndex(scope=known.scope, given=known.given, blocks=tuple(blocks))


@pytest.fixture
async def commented(backstage: Any, document_id: str, requested: Any) -> Commented:
    await backstage.append(document_id, requested)
    told = Commented(backstage, document_id)
    await told.write(FIRST)
    backstage.on_request = told.answer
    return told


async def place(client: Client, commented: Commented, number: int = 0) -> tuple[str | None, bool]:
    """The line on which the passage of a thread stands, and whether it is gone."""
    document = await client.document(commented.document_id)
    threads = await client.threads(commented.document_id, document.sections["research"])
    lines = (await client.text(commented.document_id, document.sections["research"].draft)).splitlines()
    line = threads[number].line
    return (lines[line - 1] if line else None), threads[number].gone


async def test_a_comment_is_made_on_words_and_listed_with_them_answered_and_resolved(
    cli: Any, commented: Commented
) -> None:
    about = (commented.document_id, "research")
    quoted = ("--quote", "EUR 480,000", "--before", "Operation costs")
    made = await cli("comment", *about, *quoted, "-m", "From which\nbudget?\x1b[31m")
    assert made.exit_code == 0, made.output
    answered = await cli("comment", *about, "--thread", "c1-1", "-m", "That of 2026.")
    assert answered.exit_code == 0, answered.output
    listed = await cli("comments", *about)
    assert "c1-1 (line 5): “EUR 480,000”" in listed.stdout
    assert "That of 2026." in listed.stdout
    assert "\x1b" not in listed.stdout
    assert "open comments: 1" in (await cli("show", commented.document_id)).stdout
    assert "From which budget?" in (await cli("show", *about)).stderr
    assert (await cli("comments", *about, "--resolve", "c1-1")).stdout == "resolved c1-1\n"
    assert (await cli("comments", *about)).stdout == ""
    [told] = json.loads((await cli("comments", *about, "--all", "--json")).stdout)
    assert (told["view"]["resolved"], len(told["comments"]), told["line"]) == (True, 2, 5)
    assert (await cli("comments", *about, "--reopen", "c1-1")).exit_code == 0


async def test_words_that_do_not_stand_in_the_version_are_refused_before_anything_is_sent(
    cli: Any, commented: Commented, client: Client
) -> None:
    refused = await cli("comment", commented.document_id, "research", "--quote", "EUR 5", "-m", "?")
    assert refused.exit_code != 0
    there = (NewComment(text="x"), NewComment(text="y", quote="EUR 5"))
    with pytest.raises(InvalidInputError, match=r"comments.1.quote: these words do not stand in the version"):
        await client.comment(commented.document_id, "research", 1, there)
    assert commented.backstage.received == []


async def test_a_comment_stays_with_its_words_and_says_while_they_are_gone(
    client: Client, commented: Commented
) -> None:
    operation = "Operation costs EUR 480,000 a year."
    about = NewComment(text="sure?", quote="EUR 480,000", before="Operation costs")
    await client.comment(commented.document_id, "research", 1, [about, NewComment(text="Nice.")])
    [(_, asked)] = commented.backstage.received
    assert asked.comments[0].block_id == commented.known.blocks[2].block_id
    for text, found in (
        (FIRST.replace("# Costs\n", "# Costs\n\nA new first paragraph.\n").replace("The pilot", "It"), operation),
        (f"{operation}\n\nThe pilot costs EUR 480,000 a year.\n", operation),
        (FIRST.replace(f"\n{operation}\n", ""), None),
        (FIRST, operation),
    ):
        await commented.write(text)
        assert await place(client, commented) == (found, found is None)
        assert await place(client, commented, 1) == (None, False)
