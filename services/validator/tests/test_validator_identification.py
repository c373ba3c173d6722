"""Every draft gets an index of its blocks, with the ids that they had before."""

from collections.abc import Callable
from typing import Any

import pytest
from stemma_artifacts.store import digest_of
from stemma_confinement import Limits
from stemma_contracts.v1.blocks import BlockIndex
from stemma_contracts.v1.jobs import DraftHistory
from stemma_contracts.v1.references import ArtifactRef
from stemma_validator.engines import RumdlEngine
from stemma_validator.files import Files
from stemma_validator.identification import identified

from .conftest import LIMITS, Desk

FIRST = "# Budget\n\nThe office costs EUR 4,250.\n\n- one\n- two\n"
SECOND = "# Budget\n\nA new beginning.\n\nThe office costs EUR 5,100.\n\n- one\n- two\n"
THIRD = "# Budget\n\nA new beginning.\n\n- one\n- two\n- three\n\nThe office costs EUR 5,100.\n"


async def validated(
    desk: Desk, text: str, *drafts: ArtifactRef, blocks: ArtifactRef | None = None, **tools: Any
) -> tuple[ArtifactRef, ArtifactRef | None]:
    """A draft that is validated with a history: its reference and that of its blocks."""
    job = await desk.job(text, history=DraftHistory(blocks=blocks, drafts=drafts))
    return job.draft, (await desk.handled(job, **tools)).validation.blocks


async def ids(desk: Desk, blocks: ArtifactRef | None) -> list[str]:
    return [block.block_id for block in (await desk.stored(blocks, BlockIndex)).blocks]


async def test_the_blocks_of_a_draft_are_kept_with_their_places(desk: Desk) -> None:
    text = "\ufeff" + FIRST
    _, blocks = await validated(desk, text)
    index = await desk.stored(blocks, BlockIndex)
    assert "".join(text[block.start : block.end] for block in index.blocks) == text
    assert [(block.kind, block.level, block.line) for block in index.blocks] == [
        ("blank", 0, 1), ("heading", 1, 1), ("paragraph", 0, 3), ("list", 0, 5),
    ]  # fmt: skip
    assert index.given == 4


async def test_blocks_keep_their_ids_from_version_to_version_by_steps_and_by_replay(desk: Desk) -> None:
    first, first_blocks = await validated(desk, FIRST)
    second, second_blocks = await validated(desk, SECOND, first, blocks=first_blocks)
    _, third_blocks = await validated(desk, THIRD, second, blocks=second_blocks)
    title, costs, items = await ids(desk, first_blocks)
    new = (await ids(desk, second_blocks))[1]
    assert await ids(desk, second_blocks) == [title, new, costs, items]
    assert await ids(desk, third_blocks) == [title, new, items, costs]
    _, by_replay = await validated(desk, THIRD, first, second)
    _, by_both = await validated(desk, THIRD, first, second, blocks=first_blocks)
    assert third_blocks == by_replay == by_both


async def test_no_id_is_given_twice_when_an_earlier_draft_or_the_index_is_lost(desk: Desk) -> None:
    first, blocks = await validated(desk, FIRST)
    assert blocks is not None
    lost = {"digest": digest_of(b"lost")}
    _, again = await validated(desk, FIRST, first.model_copy(update=lost), blocks=blocks)
    assert not set(await ids(desk, blocks)) & set(await ids(desk, again))
    assert (await validated(desk, SECOND, first, blocks=blocks.model_copy(update=lost)))[1] is None


async def test_blocks_get_ids_also_when_the_linter_fails(desk: Desk, script: Callable[..., RumdlEngine]) -> None:
    assert (await validated(desk, FIRST, engine=script("exit 77")))[1] is not None


async def test_a_large_draft_has_the_same_ids_from_a_process_and_past_a_limit_gets_them_with_the_next_one(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, blocks = await validated(desk, FIRST)
    second, here = await validated(desk, SECOND, first, blocks=blocks)
    with monkeypatch.context() as patched:
        patched.setattr("stemma_validator.confined.SAFE_CHARACTERS", 10)
        _, there = await validated(desk, SECOND, first, blocks=blocks)
        _, none = await validated(desk, SECOND, first, blocks=blocks, limits=Limits(output_mb=0))
    assert (there, none) == (here, None)
    _, third = await validated(desk, THIRD, second, blocks=here)
    assert third == (await validated(desk, THIRD, first, second, blocks=blocks))[1]


async def test_more_history_than_is_read_again_gives_no_ids_and_no_failure(desk: Desk) -> None:
    job = await desk.job(FIRST, history=DraftHistory())
    files = Files(desk.artifacts, job.document)
    assert await identified(job, FIRST, files, LIMITS) is not None
    assert await identified(job, FIRST, files, LIMITS, history_limit=len(FIRST) - 1) is None
