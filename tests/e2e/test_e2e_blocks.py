"""Blocks keep their ids from version to version, on five processes and a real server."""

from __future__ import annotations

import pytest
from stemma_client import Client
from stemma_contracts import Contract
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.blocks import BlockIndex
from stemma_contracts.v1.requests import RestoreSection
from stemma_contracts.v1.review import ReviewMode
from stemma_testkit.driving import request_sample, wait_for

pytestmark = pytest.mark.asyncio(loop_scope="session")
SECTION = "research"
TITLE, FIRST, ITEMS, LAST = "## Next steps", "The pilot begins in March.", "- a shed\n- a van", "Everybody is invited."


def joined(*blocks: str) -> str:
    return "\n\n".join(blocks) + "\n"


async def ids_of(client: Client, document_id: str) -> dict[str, str]:
    """The id of each block of the current version, by its text."""
    section = (await client.document(document_id)).sections[SECTION]
    assert section.draft is not None
    assert section.validation is not None
    assert section.validation.blocks is not None
    text = (await client.artifact(document_id, section.draft)).decode()
    index = BlockIndex.model_validate_json(await client.artifact(document_id, section.validation.blocks))
    assert "".join(text[block.start : block.end] for block in index.blocks) == text
    return {text[block.start : block.end].strip(): block.block_id for block in index.blocks}


async def edited(client: Client, document_id: str, version: int, text: str) -> dict[str, str]:
    """The ids of the blocks after a person gave the section a text, which was checked."""

    def checked(event: Contract) -> bool:
        return isinstance(event, e.SectionChecked) and (event.section_id, event.version) == (SECTION, version + 1)

    def has_report(event: Contract) -> bool:
        return checked(event) and getattr(event, "validation", None) is not None

    await client.edit(document_id, SECTION, version, text=text)
    await wait_for(client, document_id, has_report)
    return await ids_of(client, document_id)


async def test_blocks_keep_their_ids_when_edited_moved_and_identified_by_replay(client: Client) -> None:
    document_id = await request_sample(client, ReviewMode.NONE)
    await wait_for(
        client, document_id, lambda event: isinstance(event, e.SectionApproved) and event.section_id == SECTION
    )
    first = await edited(client, document_id, 1, joined(TITLE, FIRST, ITEMS, LAST))
    assert len(set(first.values())) == 4

    later = FIRST.replace("March", "April")
    second = await edited(client, document_id, 2, joined(TITLE, later, ITEMS, LAST))
    assert second == {TITLE: first[TITLE], later: first[FIRST], ITEMS: first[ITEMS], LAST: first[LAST]}

    moved = await edited(client, document_id, 3, joined(TITLE, ITEMS, LAST, later))
    assert moved == second

    await client.request(RestoreSection(document_id=document_id, section_id=SECTION, version=4, restore_version=2))
    restored = (await client.document(document_id)).sections[SECTION]
    assert restored.version == 5
    added = "Questions go to the office of the mayor."
    replayed = await edited(client, document_id, 5, joined(TITLE, FIRST, ITEMS, added, LAST))
    assert {text: block_id for text, block_id in replayed.items() if text != added} == first
    assert replayed[added] not in {*first.values(), *second.values()}
