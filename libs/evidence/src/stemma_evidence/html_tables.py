"""Tables that a Markdown text writes as HTML: where they are, their rows and cells."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from stemma_markdown import Document

_TABLE = re.compile(r"<(/?)table\b[^<>]{0,500}>", re.IGNORECASE)
_CELL = re.compile(r"<(/?)(tr|td|th|table)\b[^<>]{0,500}>", re.IGNORECASE)
CELL_ENDS = re.compile(r"</?(?:tr|td|th)\b[^<>]{0,500}>", re.IGNORECASE)

Range = tuple[int, int]


class HtmlTables:
    """The tables of a text, of nested ones the outer; none that is shown as code."""

    def __init__(self, document: Document) -> None:
        self.ranges = tuple(_tables(document)) if "<table" in document.text.lower() else ()
        self._starts = [start for start, _ in self.ranges]

    def hold(self, place: int) -> bool:
        """Whether a place is in one of the tables."""
        return _is_within(place, self.ranges, self._starts)


def _tables(document: Document) -> Iterator[Range]:
    """The ranges of the tables; one without its end reaches to the last."""
    starts = [start for start, _ in document.code]
    depth = start = 0
    for tag in _TABLE.finditer(document.text):
        if _is_within(tag.start(), document.code, starts):
            continue
        if tag[1] and depth:
            depth -= 1
            if not depth:
                yield start, tag.end()
        elif not tag[1]:
            start = start if depth else tag.start()
            depth += 1
    if depth:
        yield start, len(document.text)


def _is_within(place: int, ranges: Sequence[Range], starts: Sequence[int]) -> bool:
    index = bisect_right(starts, place) - 1
    return index >= 0 and place < ranges[index][1]


def rows_of(text: str, table: Range) -> Iterator[tuple[Range, ...]]:
    """The cells of each row of a table, without the spaces around what they say; empty ones as well."""
    cells: list[Range] = []
    start = -1
    for tag in _CELL.finditer(text, *table):
        if start >= 0:
            cells.append(_stripped(text, start, tag.start()))
        start = tag.end() if not tag[1] and tag[2].lower() in ("td", "th") else -1
        if tag[2].lower() in ("tr", "table") and cells:
            yield tuple(cells)
            cells = []
    if cells:
        yield tuple(cells)


def _stripped(text: str, start: int, end: int) -> Range:
    said = text[start:end]
    start += len(said) - len(said.lstrip())
    return start, start + len(said.strip())
