"""The ids of a draft's blocks, taken from earlier drafts of its section."""

from __future__ import annotations

from functools import reduce
from typing import cast

from pydantic import ValidationError
from stemma_artifacts.store import ArtifactCorrupt, ArtifactMissing, ArtifactStore
from stemma_contracts.v1.jobs import DraftHistory, ValidateDraft
from stemma_contracts.v1.values import ArtifactRef, BlockIndex, IdentifiedBlock
from stemma_markdown import Block, BlockKind, IdentifiedBlocks, identify, nothing_identified
from stemma_markdown import IdentifiedBlock as Identified
from stemma_telemetry import get_logger

from .processes import beside

log = get_logger()


async def identified(job: ValidateDraft, text: str, artifacts: ArtifactStore) -> ArtifactRef | None:
    """The index of the blocks of a draft as an artifact; none if it is not asked for, or the last index is lost.

    Without the index nobody knows which ids were given before, and none is to be given twice.
    """
    if job.history is None:
        return None
    try:
        drafts = [await _text(job, ref, artifacts) for ref in job.history.drafts]
        previous = await _previous(job, job.history, drafts, artifacts)
    except (ArtifactMissing, ArtifactCorrupt, ValidationError) as cause:
        log.warning("block_index_lost", cause=type(cause).__name__)
        return None
    since = drafts[1:] if job.history.blocks else drafts
    versions = [*(draft for draft in since if draft is not None), text]
    characters = len(previous.text) + sum(map(len, versions))
    found = await beside(lambda: reduce(identify, versions, previous), characters)
    body = index_of(found).model_dump_json().encode()
    return await artifacts.put(
        job.document.tenant, job.document.document_id, body, media_type="application/json", name="blocks.json"
    )


def index_of(found: IdentifiedBlocks) -> BlockIndex:
    """What is kept of identified blocks: all but their text."""
    blocks = tuple(
        IdentifiedBlock(
            block_id=known.block_id,
            kind=known.block.kind,
            level=known.block.level,
            line=known.block.line,
            start=known.block.start,
            end=known.block.end,
        )
        for known in found.blocks
    )
    return BlockIndex(scope=found.scope, given=found.given, blocks=blocks)


def from_index(index: BlockIndex, text: str) -> IdentifiedBlocks:
    """The identified blocks again, with the text that they were made of."""
    blocks = (Identified(kept.block_id, _block(kept, text[kept.start : kept.end])) for kept in index.blocks)
    return IdentifiedBlocks(index.scope, index.given, tuple(blocks))


def _block(kept: IdentifiedBlock, text: str) -> Block:
    return Block(cast("BlockKind", kept.kind), kept.level, text, kept.line, kept.start, kept.end)


async def _previous(
    job: ValidateDraft, history: DraftHistory, drafts: list[str | None], artifacts: ArtifactStore
) -> IdentifiedBlocks:
    if history.blocks is None:
        return nothing_identified(f"{job.document.document_id}/{job.section.section_id}")
    data = await artifacts.get(job.document.tenant, job.document.document_id, history.blocks)
    index = BlockIndex.model_validate_json(data)
    text = drafts[0] if drafts else None
    return IdentifiedBlocks(index.scope, index.given, ()) if text is None else from_index(index, text)


async def _text(job: ValidateDraft, ref: ArtifactRef, artifacts: ArtifactStore) -> str | None:
    """An earlier draft; one that cannot be read is passed over."""
    try:
        return (await artifacts.get(job.document.tenant, job.document.document_id, ref)).decode()
    except (ArtifactMissing, ArtifactCorrupt, UnicodeDecodeError):
        return None
