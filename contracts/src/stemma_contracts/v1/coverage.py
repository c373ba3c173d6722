"""What a text says of the inputs that it has to cover: counts on events, the whole in an artifact."""

from typing import Literal

from pydantic import Field

from stemma_contracts.base import Contract
from stemma_contracts.tokens import FileName, Token

from .references import ArtifactRef

WhyMissing = Literal["absent", "facts", "words", "unreadable"]
"""Nothing of it is in the text; a section has its words without all its amounts, dates and names; a section has
less than 60 % of its words; the input is no text."""

BlockStanding = Literal["covered", "left_out", "not_comparable", "missing"]


class LeftOut(Contract):
    """What the writer says it leaves out: a chapter of an input, the whole input where ``heading`` is empty."""

    file: FileName
    heading: str = Field(default="", max_length=300)
    reason: str = Field(min_length=1, max_length=1000)


class LeftOutList(Contract):
    """The body of the artifact ``left_out``."""

    left_out: tuple[LeftOut, ...] = ()


class UncoveredChapter(Contract):
    """A chapter of an input of which the text lacks something; ``chapter`` is empty before the first heading."""

    file: FileName
    chapter: str = Field(default="", max_length=200)
    line: int = Field(default=1, ge=1, description="where the first such block begins in the file")
    blocks: int = Field(default=1, ge=1, description="how many of its blocks the text lacks")
    why: WhyMissing = Field(default="absent", description="why the first such block is missing")


class ForeignInput(Contract):
    """An input of which blocks are in another language than the text."""

    file: FileName
    language: str = Field(max_length=35, description="BCP 47 primary tag")
    blocks: int = Field(ge=1, description="how many of its blocks are in that language")


class CoverageSummary(Contract):
    """How much of the inputs a text covers, in blocks (a paragraph, an item, a row).

    ``missing`` names the chapters that lack something, as many as fit into an event; ``report`` has all blocks.
    A block in another language than the text is ``not_comparable``, and counts as neither covered nor missing;
    ``foreign`` names the inputs that have the most of them.
    """

    total: int = Field(ge=0)
    covered: int = Field(ge=0)
    left_out: int = Field(default=0, ge=0, description="the writer named them, with a reason")
    not_comparable: int = Field(default=0, ge=0)
    missing_blocks: int = Field(default=0, ge=0)
    missing: tuple[UncoveredChapter, ...] = ()
    more: int = Field(default=0, ge=0, description="chapters that lack something besides those in `missing`")
    language: str = Field(
        default="", max_length=35, description="of the text, as BCP 47 primary tag; empty in old logs"
    )
    foreign: tuple[ForeignInput, ...] = ()
    report: ArtifactRef | None = Field(default=None, description="CoverageReport as JSON")


class BlockCoverage(Contract):
    """One block of an input and where it stands in the text."""

    file: FileName
    chapter: str
    line: int = Field(ge=1)
    standing: BlockStanding
    why: WhyMissing | None = None
    missing_facts: tuple[str, ...] = Field(default=(), description="amounts, dates and names that the section lacks")
    words: float = Field(default=0.0, ge=0, le=1, description="share of its content words in the best section")
    section: str = Field(default="", description="heading of the section of the text that has most of it")
    language: str = Field(
        default="", max_length=35, description="of a block that is not comparable, BCP 47 primary tag"
    )


class CoverageReport(Contract):
    """The body of the artifact ``report``: every block that is not covered, and what was left out and why."""

    blocks: tuple[BlockCoverage, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    language: str = Field(default="", max_length=35, description="of the text, as BCP 47 primary tag")


class NotCovered(Contract):
    """A section of an export that does not cover the inputs, or of which nobody knows yet (``checked``)."""

    section_id: Token
    checked: bool = True
    missing_blocks: int = Field(default=0, ge=0)
    not_comparable: int = Field(default=0, ge=0)
    language: str = Field(default="", max_length=35, description="of the text, where blocks are not comparable")
    languages: tuple[str, ...] = Field(default=(), description="of the blocks that are not comparable, the most first")
