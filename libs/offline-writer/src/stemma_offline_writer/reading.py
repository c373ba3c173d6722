"""Texts from outside as material: Markdown and plain text, tables in them, CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from lxml import html
from stemma_evidence import placed, separator_of
from stemma_languages import language as language_of
from stemma_markdown import Block, Document, Image, Link, Prose, with_prose_of_front_matter, without_unticked

from .material import Material, Origin, Place, Table, gathered, table_of
from .passages import MARGIN, PassageReader

LEAST_WORDS = 6


def read_nested(place: Place, value: Any) -> Material:
    """The material of a JSON value; the keys on the way to it stand in place of headings."""
    return gathered(_read(place, value))


def _read(place: Place, value: Any) -> Iterator[Material]:
    match value:
        case [*records] if all(isinstance(record, dict) for record in records):
            head = list(dict.fromkeys(str(key) for record in records for key in record))
            rows = ([_cell(record.get(key)) for key in head] for record in records)
            yield Material(tables=tuple(table_of(place, (head, *rows))))
        case [*entries]:
            yield from _record(place, {str(number): entry for number, entry in enumerate(entries, 1)})
        case dict():
            yield from _record(place, value)
        case _:
            yield from _record(place, {"": value})


def _record(place: Place, record: dict[str, Any]) -> Iterator[Material]:
    words = language_of(place.language).words
    reader, rows, nested = PassageReader(place.language), [(words.item, words.statement)], list[Material]()
    for number, (key, value) in enumerate(record.items()):
        here = replace(place, headings=(*place.headings, str(key)))
        if isinstance(value, dict | list):
            nested += _read(here, value)
        elif _is_prose(value):
            reader.paragraph(value, MARGIN, here, number, is_item=False)
        elif value is not None:
            rows.append((str(key), _cell(value)))
    yield Material(tuple(reader.passages), tuple(table_of(place, rows)))
    yield from nested


def _is_prose(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    return len(value.split()) >= LEAST_WORDS or value.rstrip().endswith(("。", ". ", "！"))


def _cell(value: Any) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case list():
            return ", ".join(map(_cell, value))
        case dict():
            return ", ".join(f"{key}: {_cell(entry)}" for key, entry in value.items())
        case _:
            return " ".join(str(value).split())


_MARK = re.compile(r"(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?$")
_BOLD_LINE = re.compile(r"(\*\*|__)([^*_\n]{1,80})\1[ \t]*\n")
_INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")


def read(origin: Origin, name: str, text: str, language: str) -> Material:
    """The material of one text; the end of its name says what form it has."""
    text = _INVISIBLE.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    place = Place(origin, name, language)
    match PurePosixPath(name).suffix.lower():
        case ".csv" | ".tsv":
            return Material(tables=tuple(_read_delimited(place, text)))
        case ".json":
            try:
                return read_nested(place, json.loads(text, parse_float=str, parse_int=str))
            except (ValueError, RecursionError):
                return _read_markdown(place, text)
        case _:
            return _read_markdown(place, text)


def _read_delimited(place: Place, text: str) -> Iterator[Table]:
    """The table of a file, its first row being the head; none if there is but a head."""
    try:
        rows = [row for row in csv.reader(io.StringIO(text), delimiter=separator_of(text)) if any(map(str.strip, row))]
    except csv.Error:
        rows = [[line] for line in text.splitlines() if line.strip()]
    yield from table_of(place, rows)


def _read_markdown(place: Place, text: str) -> Material:
    text = without_unticked(with_prose_of_front_matter(text))
    document = Document(text)
    reader = PassageReader(place.language)
    cells: dict[int, list[Prose]] = defaultdict(list)
    places: dict[int, tuple[Place, str]] = {}
    lists = _Spans(block for block in document.blocks if block.kind == "list")
    html_tables = [block for block in document.blocks if block.kind == "html" and "<table" in block.content]
    tables = [table for b in html_tables for table in _html_tables(b.content, _place_of_line(b.line, document, place))]
    grids, images = _Spans(html_tables), _Spans(document.images)
    pointers = _Spans(link for link in document.links if link.target.startswith("#"))
    headings: tuple[tuple[int, str], ...] = ()
    for number, piece in enumerate(document.prose):
        here = replace(place, headings=tuple(words for _, words in headings))
        match piece.kind:
            case "heading":
                words = " ".join(piece.text.split())
                headings = (*(above for above in headings if above[0] < piece.level), (piece.level, words))
                reader.told(words, replace(here, headings=tuple(words for _, words in headings)), number)
            case "paragraph" if images.hold(piece):
                reader.told(" ".join(piece.text.split()), here, number)
            case "paragraph" if not (pointers.hold(piece) or _is_caption(piece, place)):
                reader.paragraph(_words(piece, text), _column(piece, text), here, number, lists.hold(piece))
            case "html" if not grids.hold(piece):
                reader.paragraph(piece.text, MARGIN, here, number, is_item=False)
            case "cell":
                places[piece.line] = here, reader.lead
                cells[piece.line].append(piece)
            case _:
                reader.end()
    reader.end()
    for block in document.blocks:
        held = [line for line in range(block.line, block.line + block.content.count("\n") + 1) if line in cells]
        if block.kind == "table" and held:
            rows = [_row(text, cells[line]) for line in dict.fromkeys((block.line, *held))]
            tables += table_of(places[held[0]][0], rows, places[held[0]][1])
    starts, pictures = [piece.start for piece in document.prose], dict[str, tuple[Place, int]]()
    for image in document.images:
        pictures[image.target] = _place_of_line(image.line, document, place), bisect_left(starts, image.start)
    return Material(tuple(reader.passages), tuple(tables), pictures)


def _html_tables(source: str, place: Place) -> Iterator[Table]:
    # The blank keeps lxml from taking a declaration of another encoding at its word.
    for table in html.fragment_fromstring(f" {source}", create_parent=True).iter("table"):
        for piece in table.iter("br", "p", "li", "div"):
            piece.tail = f" {piece.tail or ''}"
        rows = ([(cell.text_content(), cell.attrib) for cell in row.iter("th", "td")] for row in table.iter("tr"))
        yield from table_of(place, placed(rows), " ".join((table.findtext("caption") or "").split()))


class _Spans:
    """Blocks, images or links of a text."""

    def __init__(self, spans: Iterable[Block | Image | Link]) -> None:
        self._ends = {span.start: span.end for span in spans}
        self._starts = sorted(self._ends)

    def hold(self, piece: Prose) -> bool:
        """Whether one of them holds all of a paragraph."""
        at = bisect_right(self._starts, piece.start) - 1
        return at >= 0 and piece.end <= self._ends[self._starts[at]]


def _is_caption(piece: Prose, place: Place) -> bool:
    """Whether a paragraph is the caption of a table or a figure, which quotes nothing."""
    words = language_of(place.language).words
    return piece.text.startswith(tuple(f"{label}: " for label in (words.table, words.figure, "Table")))


def _words(piece: Prose, text: str) -> str:
    """The plain words of a paragraph; a line in bold that opens it stays a line."""
    bold = _BOLD_LINE.match(text, max(0, piece.start - 2))
    label = bold.group(2) if bold else ""
    return f"{label}\n{piece.text[len(label) :]}" if label and piece.text.startswith(label) else piece.text


def _column(piece: Prose, text: str) -> int:
    """Where the mark of an item stands in its line; a paragraph without one stands before any at its margin."""
    before = text[text.rfind("\n", 0, piece.start) + 1 : piece.start].rstrip("*_`[<")
    mark = _MARK.search(before)
    return mark.start() if mark else len(before) + MARGIN


def _row(text: str, cells: list[Prose]) -> list[str]:
    """The cells of a row by their column: empty ones are told by the bars between the others."""
    row: list[str] = []
    for cell in cells:
        before = text[text.rfind("\n", 0, cell.start) + 1 : cell.start]
        column = before.count("|") - before.count("\\|") - before.lstrip().startswith("|")
        row += [""] * (column - len(row)) + [cell.text]
    return row


def _place_of_line(line: int, document: Document, place: Place) -> Place:
    above = bisect_left(document.headings, line, key=lambda heading: heading.line)
    return replace(place, headings=(document.headings[above - 1].text,) if above else ())
