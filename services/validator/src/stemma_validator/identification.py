"""The ids of a draft's blocks, taken from earlier drafts of its section, with a bound on size, time and memory."""

from functools import reduce
from typing import ClassVar, cast

from pydantic import ValidationError
from stemma_artifacts.store import ArtifactCorrupt, ArtifactMissing
from stemma_confinement import Limits
from stemma_contracts.v1.blocks import BlockIndex, IdentifiedBlock
from stemma_contracts.v1.jobs import DraftHistory, ValidateDraft
from stemma_markdown import Block, BlockKind, IdentifiedBlocks, identify, nothing_identified
from stemma_markdown import IdentifiedBlock as Identified
from stemma_telemetry import get_logger

from .confined import Check, checked
from .errors import HistoryTooLarge, ValidationImpossible
from .files import Files

HISTORY_LIMIT = 16 * 1024 * 1024
"""Bytes of a draft and of those before it that are read again; a writer of reports does not come near."""

log = get_logger()


class Identification(Check[BlockIndex]):
    """What is identified: a text, the drafts before it, oldest first, and the blocks of the one before these."""

    name: ClassVar = "identification of blocks"

    versions: tuple[str, ...]
    known: BlockIndex
    known_text: str

    @property
    def characters(self) -> int:
        return len(self.known_text) + sum(map(len, self.versions))

    def run(self) -> BlockIndex:
        return index_of(reduce(identify, self.versions, from_index(self.known, self.known_text)))


async def identified(
    job: ValidateDraft, text: str, files: Files, limits: Limits, history_limit: int = HISTORY_LIMIT
) -> BlockIndex | None:
    """The index of the blocks of a draft; none if it is not asked for, or the last index is lost.

    Without the index nobody knows which ids were given before, and none is to be given twice. Past a limit there is
    none either: nothing fails, and the draft is identified with the next one, by replay.
    """
    if job.history is None:
        return None
    try:
        return await checked(await _read(job, job.history, text, files, history_limit), limits)
    except (ArtifactMissing, ArtifactCorrupt, ValidationError) as cause:
        log.warning("block_index_lost", cause=type(cause).__name__)
        return None
    except ValidationImpossible as cause:
        log.warning("blocks_not_identified", cause=str(cause))
        return None


async def _read(job: ValidateDraft, history: DraftHistory, text: str, files: Files, limit: int) -> Identification:
    if job.draft.size + sum(ref.size for ref in history.drafts) > limit:
        raise HistoryTooLarge(limit)
    drafts = [await files.text(ref, "utf-8") for ref in history.drafts]
    known = await _known(job, history, files)
    before = drafts[0] if history.blocks and drafts else None
    since = drafts[1:] if history.blocks else drafts
    return Identification(
        versions=(*(draft for draft in since if draft is not None), text),
        known=known if before is not None else known.model_copy(update={"blocks": ()}),
        known_text=before or "",
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
    blocks = (Identified(kept.block_id, _block(kept, text[kept.start : kept.end])) for kept in index.blocks)
    return IdentifiedBlocks(index.scope, index.given, tuple(blocks))


def _block(kept: IdentifiedBlock, text: str) -> Block:
    return Block(cast("BlockKind", kept.kind), kept.level, text, kept.line, kept.start, kept.end)


async def _known(job: ValidateDraft, history: DraftHistory, files: Files) -> BlockIndex:
    if history.blocks is None:
        return index_of(nothing_identified(f"{job.document.document_id}/{job.section.section_id}"))
    return BlockIndex.model_validate_json(await files.data(history.blocks))
