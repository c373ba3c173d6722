"""Which parts of the inputs a draft covers, what it leaves out, and the report of both."""

from collections import Counter
from collections.abc import Sequence
from typing import ClassVar

from pydantic import BaseModel
from stemma_confinement import Limits
from stemma_contracts.media import READ, SHOWN
from stemma_contracts.v1.coverage import (
    BlockCoverage,
    CoverageReport,
    CoverageSummary,
    ForeignInput,
    LeftOut,
    LeftOutList,
    UncoveredChapter,
)
from stemma_contracts.v1.jobs import ValidateDraft
from stemma_contracts.v1.references import ArtifactRef
from stemma_evidence import InputText, coverage, language_of

from .confined import Check, checked
from .files import Files

MAX_NAMED_BYTES = 8_000
"""What an event may hold of the inputs and chapters that it names."""
MAX_REPORTED = 5_000
MAX_FOREIGN = 10
"""So many inputs in other languages are named; the blocks of all are counted."""


class InputToCover(BaseModel):
    """An input by its name; no text if it cannot be read as one."""

    name: str
    text: str | None = None
    media_type: str = "text/markdown"


class CoverageCheck(Check[list[BlockCoverage]]):
    """What is checked: a draft, the inputs that it has to cover, and what its writer named as left out."""

    name: ClassVar = "coverage check"

    text: str
    inputs: tuple[InputToCover, ...]
    left_out: tuple[LeftOut, ...] = ()

    @property
    def characters(self) -> int:
        return len(self.text) + sum(len(item.text or "") for item in self.inputs)

    @property
    def language(self) -> str:
        return language_of(self.text, "en")

    def run(self) -> list[BlockCoverage]:
        return list(
            coverage(
                [InputText(item.name, item.text, item.media_type) for item in self.inputs], self.text, self.left_out
            )
        )


def reported(check: CoverageCheck, blocks: Sequence[BlockCoverage]) -> CoverageReport:
    """The body of the report: the blocks that are not covered, what is missing first."""
    rest = [block for block in blocks if block.standing != "covered"]
    rest.sort(key=lambda block: block.standing != "missing")
    return CoverageReport(blocks=tuple(rest[:MAX_REPORTED]), left_out=check.left_out, language=check.language)


def summarised(blocks: Sequence[BlockCoverage], report: ArtifactRef | None, language: str = "") -> CoverageSummary:
    """What the outcome tells: counts, and the chapters that lack something, as many as an event may hold."""
    count = {standing: sum(block.standing == standing for block in blocks) for standing in _STANDINGS}
    chapters = _chapters([block for block in blocks if block.standing == "missing"])
    foreign = _foreign(blocks)
    room = MAX_NAMED_BYTES - sum(len(one.model_dump_json().encode()) for one in foreign)
    named = list[UncoveredChapter]()
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
        language=language,
        foreign=foreign,
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


def _foreign(blocks: Sequence[BlockCoverage]) -> tuple[ForeignInput, ...]:
    found = Counter((block.file, block.language) for block in blocks if block.standing == "not_comparable")
    return tuple(
        ForeignInput(file=file, language=language, blocks=count)
        for (file, language), count in found.most_common(MAX_FOREIGN)
    )


async def coverage_of(job: ValidateDraft, text: str, files: Files, limits: Limits) -> CoverageSummary | None:
    """What of the inputs a draft covers, if it has to; raises `ValidationImpossible` past the limits."""
    if not job.section.covers_inputs:
        return None
    inputs = [
        InputToCover(name=item.name, text=await _text(item.artifact, files), media_type=item.artifact.media_type)
        for item in job.inputs
        if item.artifact.media_type not in SHOWN and item.role != "request"
    ]
    left_out = await files.body(job.left_out, LeftOutList) or LeftOutList()
    each = {item.name: item for item in inputs}
    check = CoverageCheck(text=text, inputs=tuple(each.values()), left_out=left_out.left_out)
    blocks = await checked(check, limits)
    return summarised(blocks, await files.put(reported(check, blocks), "coverage.json"), check.language)


async def _text(ref: ArtifactRef, files: Files) -> str | None:
    return await files.text(ref) if ref.media_type in READ else None
