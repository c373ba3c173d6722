"""The chapters of an input file: where the agent writes, checks and saves one at a time."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

from markdown_it import MarkdownIt

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


@dataclass(frozen=True)
class _Heading:
    level: int
    line: int
    title: str


def chapters_of(file: str, text: str) -> list[Chapter]:
    """The chapters of a file in their order: what its highest headings divide it into.

    A long file with one such heading is divided by the next lower ones. A file without text has no chapter.
    """
    if not text.strip():
        return []
    headings = _headings(text)
    level = min((heading.level for heading in headings), default=1)
    starts = [h for h in headings if h.level == level]
    if len(starts) <= 1 and len(text) > CHAPTER_CHARS:
        starts = [h for h in headings if h.level == _next_level(headings, level)] or starts
    lines = len(text.rstrip("\n").split("\n"))
    bounds = [1, *(heading.line for heading in starts[1:]), lines + 1]
    titles = [headings[0].title if headings else file, *(heading.title for heading in starts[1:])]
    return [
        Chapter(file, title or file, level, first, after - 1)
        for title, first, after in zip(titles, bounds, bounds[1:], strict=False)
    ]


def _next_level(headings: list[_Heading], above: int) -> int:
    counts = Counter(heading.level for heading in headings if heading.level > above)
    return min(counts, default=above)


def _headings(text: str) -> list[_Heading]:
    tokens = MarkdownIt("commonmark").parse(text)
    return [
        _Heading(int(token.tag[1]), token.map[0] + 1, tokens[index + 1].content.strip())
        for index, token in enumerate(tokens)
        if token.type == "heading_open" and token.level == 0 and token.map
    ]
