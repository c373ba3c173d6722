"""The statements of a text: its sentences, and the rows of its tables with their heads."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from stemma_markdown import Document, Prose, sentence_ranges

from .tables import HtmlTables, html_rows

_EMPTY_LINE = re.compile(r"\n[ \t>]*\n")
_BAR = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True)
class Statement:
    """``cells`` are the ranges of a row's cells, ``heads`` the head of each, ``heading`` what is above all.

    ``title`` says that it is a heading itself.
    """

    start: int
    end: int
    heading: str = ""
    cells: tuple[tuple[int, int], ...] = ()
    heads: tuple[str, ...] = ()
    title: bool = False


def statements(document: Document, tables: HtmlTables, language: str, places: Sequence[int]) -> list[Statement]:
    """The rows and headings of a text, and its sentences in paragraphs that hold one of the places, in their order."""
    prose = [piece for piece in document.prose if not tables.hold(piece.start)] if tables.ranges else document.prose
    found = list(_of_markdown(document.text, prose, language, places))
    titles = [statement for statement in found if statement.title]
    for table in tables.ranges:
        above = bisect_right(titles, table[0], key=lambda title: title.start)
        found += _of_html(document.text, table, titles[above - 1].heading if above else "")
    return sorted(found, key=lambda statement: statement.start)


def _of_markdown(text: str, prose: Iterable[Prose], language: str, places: Sequence[int]) -> Iterator[Statement]:
    heading, heads, last = "", dict[int, str](), 0
    for line, group in groupby(prose, lambda piece: piece.line if piece.kind == "cell" else 0):
        pieces = list(group)
        if line:
            columns = _columns(text, pieces)
            if not last or _EMPTY_LINE.search(text, last, pieces[0].start):
                heads = {column: piece.text for column, piece in zip(columns, pieces, strict=True)}
            last = pieces[-1].end
            cells = tuple((piece.start, piece.end) for piece in pieces)
            yield Statement(
                cells[0][0], cells[-1][1], heading, cells, tuple(heads.get(column, "") for column in columns)
            )
            continue
        last = 0
        for piece in pieces:
            if piece.kind == "heading":
                heading = piece.text
                yield Statement(piece.start, piece.end, heading, title=True)
            elif bisect_left(places, piece.start) < bisect_left(places, piece.end):
                yield from _sentences(piece, heading, language)


def _of_html(text: str, table: tuple[int, int], heading: str) -> Iterator[Statement]:
    heads: tuple[str, ...] = ()
    for cells in html_rows(text, table):
        said = tuple(text[start:end] for start, end in cells)
        heads = heads or said
        yield Statement(cells[0][0], cells[-1][1], heading, cells, heads[: len(cells)])


def rows(text: str) -> Iterator[Statement]:
    """The rows of a table that was written as lines, a cell on each, with empty lines between the rows."""
    position, cells = 0, list[tuple[int, int]]()
    for line in [*text.split("\n"), ""]:
        if line:
            cells.append((position, position + len(line)))
        elif cells:
            yield Statement(cells[0][0], cells[-1][1], cells=tuple(cells))
            cells = []
        position += len(line) + 1


def columns(statements: Sequence[Statement], places: Sequence[int]) -> dict[int, tuple[str, str]]:
    """The columns of tables that places are in, by the number of the place: the heading above and the column's head."""
    found: dict[int, tuple[str, str]] = {}
    for statement in statements:
        for index, (start, end) in enumerate(statement.cells):
            head = (*statement.heads[index : index + 1], "")[0] or str(index)
            for number in range(bisect_left(places, start), bisect_left(places, end)):
                found[number] = statement.heading, head
    return found


def _columns(text: str, pieces: Sequence[Prose]) -> list[int]:
    """The column of each cell of a row, told by the bars before it: cells without words are no pieces."""
    bars = [bar.start() for bar in _BAR.finditer(text, text.rfind("\n", 0, pieces[0].start) + 1, pieces[-1].start)]
    return [bisect_left(bars, piece.start) for piece in pieces]


def _sentences(piece: Prose, heading: str, language: str) -> Iterator[Statement]:
    for start, end in sentence_ranges(without_references(piece), language):
        yield Statement(*piece.source(start, end), heading)


LONGEST = 400
_FILE = re.compile(r"\.(?:md|markdown|txt|csv|tsv|json|ya?ml|docx?|pdf)\s{0,2}(?=[,;:)）])", re.IGNORECASE)
_BRACKET = re.compile(r"[()（）]")


class Aside(NamedTuple):
    """A part of a draft that may name a place, as it reads without markup."""

    start: int
    end: int
    text: str
    bracketed: bool = False


def asides(document: Document, places: Sequence[int]) -> Iterator[Aside]:
    """The brackets, cells and short paragraphs of a draft that hold one of the places."""
    for piece in document.prose:
        if bisect_left(places, piece.start) == bisect_left(places, piece.end):
            continue
        if piece.kind == "cell" or len(piece.text) <= LONGEST:
            yield Aside(piece.start, piece.end, piece.text)
        for start, end in brackets(piece.text):
            yield Aside(*piece.source(start, end), piece.text[start + 1 : end - 1], True)


def brackets(text: str) -> Iterator[tuple[int, int]]:
    """The outer brackets of a text that are not too long for a reference."""
    depth = start = 0
    for mark in _BRACKET.finditer(text):
        if mark[0] in "(（":
            start = start if depth and mark.start() - start <= LONGEST else mark.start()
            depth = depth + 1 if start != mark.start() else 1
        elif depth:
            depth -= 1
            if not depth and mark.end() - start <= LONGEST:
                yield start, mark.end()


def without_references(piece: Prose) -> str:
    """The text of a piece with spaces in place of brackets that name a file: they belong to no sentence."""
    text = piece.text
    if not _FILE.search(text):
        return text
    parts, at = list[str](), 0
    for start, end in brackets(text):
        if _FILE.search(text, start, end):
            parts += [text[at:start], " " * (end - start)]
            at = end
    return "".join([*parts, text[at:]])
