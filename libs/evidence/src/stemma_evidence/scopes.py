"""The stretches of a text that say one thing each: its sentences, and the rows of its tables with their heads."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from stemma_markdown import Document, Prose, sentence_ranges

_EMPTY_LINE = re.compile(r"\n[ \t>]*\n")
_LONGEST = 4000


@dataclass(frozen=True, slots=True)
class Scope:
    """``cells`` are the ranges of a row's cells, ``heads`` the head of each, ``heading`` what is above all."""

    start: int
    end: int
    heading: str = ""
    cells: tuple[tuple[int, int], ...] = ()
    heads: tuple[str, ...] = ()


def scopes(document: Document, language: str, places: Sequence[int]) -> Iterator[Scope]:
    """The rows of a Markdown text, and its sentences in paragraphs that hold one of the places, all in their order."""
    heading, heads, last = "", dict[int, str](), 0
    for line, group in groupby(document.prose, lambda piece: piece.line if piece.kind == "cell" else 0):
        pieces = list(group)
        if line:
            if not last or _EMPTY_LINE.search(document.text, last, pieces[0].start):
                heads = {_column(document.text, piece): piece.text for piece in pieces}
            last = pieces[-1].end
            cells = tuple((piece.start, piece.end) for piece in pieces)
            named = tuple(heads.get(_column(document.text, piece), "") for piece in pieces)
            yield Scope(cells[0][0], cells[-1][1], heading, cells, named)
            continue
        last = 0
        for piece in pieces:
            if piece.kind == "heading":
                heading = piece.text
            elif bisect_left(places, piece.start) < bisect_left(places, piece.end):
                yield from _sentences(piece, heading, language)


def rows(text: str) -> Iterator[Scope]:
    """The rows of a table that was written as lines, a cell on each, with empty lines between the rows."""
    position, cells = 0, list[tuple[int, int]]()
    for line in [*text.split("\n"), ""]:
        if line:
            cells.append((position, position + len(line)))
        elif cells:
            yield Scope(cells[0][0], cells[-1][1], cells=tuple(cells))
            cells = []
        position += len(line) + 1


def _column(text: str, piece: Prose) -> int:
    return text.count("|", text.rfind("\n", max(0, piece.start - _LONGEST), piece.start) + 1, piece.start)


def _sentences(piece: Prose, heading: str, language: str) -> Iterator[Scope]:
    for start, end in sentence_ranges(piece.text, language):
        yield Scope(*piece.source(start, end), heading)
