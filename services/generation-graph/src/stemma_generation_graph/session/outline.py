"""The chapters of an input file: where the agent writes, checks and saves one at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

from stemma_markdown import Document, Heading

CHAPTER_CHARS = 6000


@dataclass(frozen=True)
class Chapter:
    """Lines of a file, counted from 1; ``level`` is that of the file's highest heading."""

    file: str
    title: str
    level: int
    from_line: int
    to_line: int

    def as_json(self) -> dict[str, Any]:
        """As it stands in the graph's state."""
        return asdict(self)


def headings_of(text: str) -> list[str]:
    """The headings of a file, each on one line, in their order."""
    return [heading.text for heading in Document(text).headings if heading.text]


def chapters_of(file: str, text: str) -> list[Chapter]:
    """The chapters of a file in their order: what its highest headings divide it into.

    One highest heading is the file's title: the chapters are then those below it, and its own text, if it has any. A
    long chapter is divided by its next lower headings. Front matter is in no chapter, and a file without text has none.
    """
    document = Document(text)
    first = next((block.line for block in document.blocks if block.kind not in ("front_matter", "blank")), 0)
    if not first:
        return []
    headings = [heading for heading in document.headings if heading.text]
    level = min((heading.level for heading in headings), default=1)
    region = _Region(text.rstrip("\n").split("\n"), headings)
    return [
        Chapter(file, region.title(start, end) or file, level, start, end - 1)
        for start, end in _divided(region, first, len(region.lines) + 1, whole_file=True)
    ]


@dataclass(frozen=True)
class _Region:
    lines: Sequence[str]
    headings: Sequence[Heading]

    def within(self, start: int, end: int) -> list[Heading]:
        return [heading for heading in self.headings if start <= heading.line < end]

    def title(self, start: int, end: int) -> str:
        """The words of the first heading."""
        return next((heading.text for heading in self.within(start, end)), "")

    def size(self, start: int, end: int) -> int:
        return sum(len(line) + 1 for line in self.lines[start - 1 : end - 1])

    def has_own_text(self, start: int, end: int) -> bool:
        """Whether lines hold anything but headings."""
        titles = {heading.line for heading in self.within(start, end)}
        return any(
            line.strip(" \t=-") for number, line in enumerate(self.lines[start - 1 : end - 1], start)
            if number not in titles
        )  # fmt: skip


def _divided(region: _Region, start: int, end: int, *, whole_file: bool = False) -> Iterator[tuple[int, int]]:
    """The lines of the chapters from one line to another, the last not included."""
    headings = region.within(start, end)
    top = min((heading.level for heading in headings), default=0)
    highest = [heading for heading in headings if heading.level == top]
    is_titled = len(highest) == 1 and not region.has_own_text(start, highest[0].line)
    if is_titled:
        below = [heading for heading in headings if heading.level > top]
        highest = [heading for heading in below if heading.level == min(h.level for h in below)]
    if len(highest) < 2 and not (is_titled and highest and region.size(start, end) > CHAPTER_CHARS):
        yield start, end
        return
    if not whole_file and region.size(start, end) <= CHAPTER_CHARS:
        yield start, end
        return
    starts = [heading.line for heading in highest]
    has_text = is_titled and region.has_own_text(start, starts[0])
    for part, after in pairwise([start, *(starts if has_text else starts[1:]), end]):
        if (part, after) == (start, end):
            yield part, after
        else:
            yield from _divided(region, part, after)
