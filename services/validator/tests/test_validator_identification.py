"""Every draft gets an index of its blocks, with the ids that they had before."""

from collections.abc import Awaitable, Callable

import pytest
from stemma_artifacts.store import ArtifactStore, digest_of
from stemma_confinement import Limits
from stemma_contracts.v1.blocks import BlockIndex
from stemma_contracts.v1.jobs import DraftHistory, ValidateDraft
from stemma_contracts.v1.references import ArtifactRef
from stemma_validator.engines import RumdlEngine
from stemma_validator.files import Files
from stemma_validator.handlers import on_validate_draft
from stemma_validator.identification import identified

from .conftest import LIMITS, stored, tools_of

FIRST = "# Budget\n\nThe office costs EUR 4,250.\n\n- one\n- two\n"
SECOND = "# Budget\n\nA new beginning.\n\nThe office costs EUR 5,100.\n\n- one\n- two\n"
THIRD = "# Budget\n\nA new beginning.\n\n- one\n- two\n- three\n\nThe office costs EUR 5,100.\n"

Version = tuple[ArtifactRef, ArtifactRef | None]
Validate = Callable[..., Awaitable[Version]]


@pytest.fixture
def validate(
    artifacts: ArtifactStore, rumdl: RumdlEngine, job_for: Callable[..., Awaitable[ValidateDraft]]
) -> Validate:
    """Validates a draft with a history; its reference and that of its blocks."""

    async def run(
        text: str | bytes, history: DraftHistory | None, engine: RumdlEngine = rumdl, limits: Limits = LIMITS
    ) -> Version:
        job = (await job_for(text)).model_copy(update={"history": history})
        outcome = await on_validate_draft(job, tools=tools_of(artifacts, engine, limits))
        return job.draft, outcome.validation.blocks

    return run


async def ids(blocks: ArtifactRef | None, artifacts: ArtifactStore) -> list[str]:
    index = await stored(artifacts, blocks, BlockIndex)
    return [block.block_id for block in index.blocks]


async def test_the_blocks_of_a_draft_are_kept_with_their_places(validate: Validate, artifacts: ArtifactStore) -> None:
    text = "\ufeff" + FIRST
    _, blocks = await validate(text, DraftHistory())
    index = await stored(artifacts, blocks, BlockIndex)
    assert "".join(text[block.start : block.end] for block in index.blocks) == text
    assert [(block.kind, block.level, block.line) for block in index.blocks] == [
        ("blank", 0, 1), ("heading", 1, 1), ("paragraph", 0, 3), ("list", 0, 5),
    ]  # fmt: skip
    assert index.given == 4


async def test_blocks_keep_their_ids_from_version_to_version(validate: Validate, artifacts: ArtifactStore) -> None:
    first, first_blocks = await validate(FIRST, DraftHistory())
    second, second_blocks = await validate(SECOND, DraftHistory(blocks=first_blocks, drafts=(first,)))
    _, third_blocks = await validate(THIRD, DraftHistory(blocks=second_blocks, drafts=(second,)))
    title, costs, items = await ids(first_blocks, artifacts)
    new = (await ids(second_blocks, artifacts))[1]
    assert await ids(second_blocks, artifacts) == [title, new, costs, items]
    assert await ids(third_blocks, artifacts) == [title, new, items, costs]


async def test_drafts_from_before_blocks_had_ids_are_identified_by_replay(
    validate: Validate, artifacts: ArtifactStore
) -> None:
    first, first_blocks = await validate(FIRST, DraftHistory())
    second, second_blocks = await validate(SECOND, DraftHistory(blocks=first_blocks, drafts=(first,)))
    _, by_steps = await validate(THIRD, DraftHistory(blocks=second_blocks, drafts=(second,)))
    _, by_replay = await validate(THIRD, DraftHistory(drafts=(first, second)))
    _, by_both = await validate(THIRD, DraftHistory(blocks=first_blocks, drafts=(first, second)))
    assert by_steps == by_replay == by_both


async def test_no_id_is_given_twice_when_an_earlier_draft_is_lost(validate: Validate, artifacts: ArtifactStore) -> None:
    first, blocks = await validate(FIRST, DraftHistory())
    lost = first.model_copy(update={"digest": digest_of(b"lost")})
    _, again = await validate(FIRST, DraftHistory(blocks=blocks, drafts=(lost,)))
    assert not set(await ids(blocks, artifacts)) & set(await ids(again, artifacts))


async def test_blocks_get_no_ids_when_it_is_lost_which_were_given(validate: Validate) -> None:
    first, blocks = await validate(FIRST, DraftHistory())
    assert blocks is not None
    lost = blocks.model_copy(update={"digest": digest_of(b"lost")})
    assert (await validate(SECOND, DraftHistory(blocks=lost, drafts=(first,))))[1] is None


async def test_blocks_get_ids_also_when_the_linter_fails(
    validate: Validate, script: Callable[..., RumdlEngine]
) -> None:
    assert (await validate(FIRST, DraftHistory(), script("exit 77")))[1] is not None


async def test_a_large_draft_is_identified_in_a_process_with_the_same_ids(
    validate: Validate, artifacts: ArtifactStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, first_blocks = await validate(FIRST, DraftHistory())
    _, here = await validate(SECOND, DraftHistory(blocks=first_blocks, drafts=(first,)))
    monkeypatch.setattr("stemma_validator.confined.SAFE_CHARACTERS", 10)
    _, there = await validate(SECOND, DraftHistory(blocks=first_blocks, drafts=(first,)))
    assert there is not None
    assert here == there


async def test_a_draft_past_a_limit_has_no_ids_and_is_identified_with_the_next_one(
    validate: Validate, artifacts: ArtifactStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, blocks = await validate(FIRST, DraftHistory())
    history = DraftHistory(blocks=blocks, drafts=(first,))
    with monkeypatch.context() as patched:
        patched.setattr("stemma_validator.confined.SAFE_CHARACTERS", 10)
        second, none = await validate(SECOND, history, limits=Limits(output_mb=0))
    assert none is None
    _, by_steps = await validate(SECOND, history)
    _, third = await validate(THIRD, DraftHistory(blocks=by_steps, drafts=(second,)))
    assert third == (await validate(THIRD, DraftHistory(blocks=blocks, drafts=(first, second))))[1]


async def test_more_history_than_is_read_again_gives_no_ids_and_no_failure(
    artifacts: ArtifactStore, job_for: Callable[..., Awaitable[ValidateDraft]]
) -> None:
    job = (await job_for(FIRST)).model_copy(update={"history": DraftHistory()})
    assert await identified(job, FIRST, Files(artifacts, job.document), LIMITS) is not None
    assert await identified(job, FIRST, Files(artifacts, job.document), LIMITS, history_limit=len(FIRST) - 1) is None
