"""A block cut into the units that people change: sentences, cells, headings, lines of code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from .blocks import Block
from .document import Document

_LINE = re.compile(r".*?(?:\r\n|\r|\n)|.+", re.DOTALL)


@dataclass(frozen=True)
class Passage:
    """A part of a text, and its range in that text."""

    text: str
    start: int
    end: int


def units(block: Block, language: str) -> list[Passage]:
    """A block cut after each sentence, cell or line of code: without a gap, so that no change is lost."""
    if block.kind in ("code", "html", "definition", "front_matter", "blank"):
        return lines(block)
    content = block.content
    bounds = sorted({0, *_bounds(content, language), len(content)})
    return [_passage(content, block.start, *bound) for bound in pairwise(bounds)]


def lines(block: Block) -> list[Passage]:
    """A block cut after each line."""
    content = block.content
    return [_passage(content, block.start, *found.span()) for found in _LINE.finditer(content)]


def _passage(content: str, first: int, start: int, end: int) -> Passage:
    return Passage(content[start:end], first + start, first + end)


def _bounds(content: str, language: str) -> Iterator[int]:
    document = Document(content)
    pieces = [(piece.start, piece.end) for piece in document.prose if piece.kind != "paragraph"]
    ranges = sorted([*pieces, *((one.start, one.end) for one in document.sentences(language))])
    for (_, end), (start, _) in pairwise(ranges):
        yield _bound(content, end, start)


def _bound(text: str, end: int, start: int) -> int:
    """Where one unit ends and the next begins: after the last line end between them, or the first space."""
    between = text[end:start]
    line_end = max(between.rfind("\n"), between.rfind("\r"))
    if line_end >= 0:
        return end + line_end + 1
    return end + between.find(" ") + 1 if " " in between else start
