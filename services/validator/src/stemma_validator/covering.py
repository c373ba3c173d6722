"""What of the inputs a draft covers, with a bound on its time and memory: a large text has a process."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import gettempdir

from pydantic import BaseModel, TypeAdapter
from stemma_contracts.v1.coverage import BlockCoverage, CoverageReport, CoverageSummary, LeftOut, UncoveredChapter
from stemma_contracts.v1.values import ArtifactRef
from stemma_evidence import InputText, coverage

from .errors import EngineCrashed
from .processes import SAFE_CHARACTERS, Limits, run_limited

NAME = "coverage check"
MAX_NAMED_BYTES = 8_000
"""What an event may hold of the chapters that are missing."""
MAX_REPORTED = 5_000

blocks_json: TypeAdapter[list[BlockCoverage]] = TypeAdapter(list[BlockCoverage])


class InputToCover(BaseModel):
    """An input by its name; no text if it cannot be read as one."""

    name: str
    text: str | None = None
    media_type: str = "text/markdown"


class CoverageCheck(BaseModel):
    """What is checked: a draft, the inputs that it has to cover, and what its writer named as left out."""

    text: str
    inputs: tuple[InputToCover, ...]
    left_out: tuple[LeftOut, ...] = ()

    @property
    def characters(self) -> int:
        """How much there is to read."""
        return len(self.text) + sum(len(item.text or "") for item in self.inputs)

    def run(self) -> list[BlockCoverage]:
        """Where each block of the inputs stands."""
        return list(
            coverage(
                [InputText(item.name, item.text, item.media_type) for item in self.inputs], self.text, self.left_out
            )
        )


async def check_coverage(check: CoverageCheck, limits: Limits) -> list[BlockCoverage]:
    """The blocks of inputs of any size; raises `ValidationImpossible` past the limits."""
    if check.characters <= SAFE_CHARACTERS:
        return await asyncio.to_thread(check.run)
    argv = [sys.executable, "-I", "-m", "stemma_validator.coverage_process"]
    stdin = check.model_dump_json().encode()
    finished = await run_limited(NAME, argv, folder=Path(gettempdir()), limits=limits, stdin=stdin)
    if finished.status != 0:
        raise EngineCrashed(NAME, finished.status, b"")
    return blocks_json.validate_json(finished.stdout)


def reported(blocks: Sequence[BlockCoverage], left_out: Sequence[LeftOut]) -> CoverageReport:
    """The body of the report: the blocks that are not covered, what is missing first."""
    rest = [block for block in blocks if block.standing != "covered"]
    rest.sort(key=lambda block: block.standing != "missing")
    return CoverageReport(blocks=tuple(rest[:MAX_REPORTED]), left_out=tuple(left_out))


def summarised(blocks: Sequence[BlockCoverage], report: ArtifactRef | None) -> CoverageSummary:
    """What the outcome tells: counts, and the chapters that lack something, as many as an event may hold."""
    count = {standing: sum(block.standing == standing for block in blocks) for standing in _STANDINGS}
    chapters = _chapters([block for block in blocks if block.standing == "missing"])
    named, room = list[UncoveredChapter](), MAX_NAMED_BYTES
    for chapter in chapters:
        room -= len(chapter.model_dump_json().encode())
        if room < 0:
            break
        named.append(chapter)
    return CoverageSummary(
        total=len(blocks),
        covered=count["covered"],
        left_out=count["left_out"],
        not_comparable=count["not_comparable"],
        missing_blocks=count["missing"],
        missing=tuple(named),
        more=len(chapters) - len(named),
        report=report,
    )


_STANDINGS = ("covered", "left_out", "not_comparable", "missing")


def _chapters(missing: Sequence[BlockCoverage]) -> list[UncoveredChapter]:
    by_chapter: dict[tuple[str, str], list[BlockCoverage]] = {}
    for block in missing:
        by_chapter.setdefault((block.file, block.chapter), []).append(block)
    return [
        UncoveredChapter(
            file=file, chapter=chapter[:200], line=blocks[0].line, blocks=len(blocks), why=blocks[0].why or "absent"
        )
        for (file, chapter), blocks in by_chapter.items()
    ]
