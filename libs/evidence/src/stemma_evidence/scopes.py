"""The stretches of a text that say one thing each: its sentences, and the rows of its tables with their heads."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from stemma_markdown import Document, Prose, sentence_ranges

from . import html_tables
from .references import without_references

_EMPTY_LINE = re.compile(r"\n[ \t>]*\n")
_LONGEST = 4000


@dataclass(frozen=True, slots=True)
class Scope:
    """``cells`` are the ranges of a row's cells, ``heads`` the head of each, ``heading`` what is above all.

    ``title`` says that it is a heading itself.
    """

    start: int
    end: int
    heading: str = ""
    cells: tuple[tuple[int, int], ...] = ()
    heads: tuple[str, ...] = ()
    title: bool = False


def scopes(document: Document, language: str, places: Sequence[int]) -> list[Scope]:
    """The rows and headings of a text, and its sentences in paragraphs that hold one of the places, in their order."""
    tables = html_tables.tables(document.text)
    starts = [start for start, _ in tables]
    prose = (
        [piece for piece in document.prose if not html_tables.is_inside(piece.start, tables, starts)]
        if tables
        else document.prose
    )
    found = list(_of_markdown(document.text, prose, language, places))
    if tables:
        titles = [scope for scope in found if scope.title]
        for table in tables:
            above = bisect_right(titles, table[0], key=lambda title: title.start)
            found += _of_html(document.text, table, titles[above - 1].heading if above else "")
        found.sort(key=lambda scope: scope.start)
    return found


def _of_markdown(text: str, prose: Iterable[Prose], language: str, places: Sequence[int]) -> Iterator[Scope]:
    heading, heads, last = "", dict[int, str](), 0
    for line, group in groupby(prose, lambda piece: piece.line if piece.kind == "cell" else 0):
        pieces = list(group)
        if line:
            if not last or _EMPTY_LINE.search(text, last, pieces[0].start):
                heads = {_column(text, piece): piece.text for piece in pieces}
            last = pieces[-1].end
            cells = tuple((piece.start, piece.end) for piece in pieces)
            named = tuple(heads.get(_column(text, piece), "") for piece in pieces)
            yield Scope(cells[0][0], cells[-1][1], heading, cells, named)
            continue
        last = 0
        for piece in pieces:
            if piece.kind == "heading":
                heading = piece.text
                yield Scope(piece.start, piece.end, heading, title=True)
            elif bisect_left(places, piece.start) < bisect_left(places, piece.end):
                yield from _sentences(piece, heading, language)


def _of_html(text: str, table: tuple[int, int], heading: str) -> Iterator[Scope]:
    heads: tuple[str, ...] = ()
    for cells in html_tables.rows(text, table):
        said = tuple(text[start:end] for start, end in cells)
        heads = heads or said
        yield Scope(cells[0][0], cells[-1][1], heading, cells, heads[: len(cells)])


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
    for start, end in sentence_ranges(without_references(piece), language):
        yield Scope(*piece.source(start, end), heading)
