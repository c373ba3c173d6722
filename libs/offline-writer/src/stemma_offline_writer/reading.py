"""Texts from outside as material: Markdown and plain text, tables in them, CSV and JSON."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import PurePosixPath

from stemma_languages import language as language_of
from stemma_markdown import Block, Document, Prose, sentence_ranges

from .delimited import read_delimited
from .material import Material, Origin, Passage, Place, Table
from .nested import read_nested

_INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")

_NUMBER = re.compile(r"(?:[^\W\d_]{2,12} )?(?:(?:\d{1,4}|[A-Za-z]|[ivx]{2,4})[.)]\s?){1,4}")
"""What stands before a sentence to order it: "4.2.", "i.", "Exhibit 2."."""

_STRAY_MARKUP = re.compile(r"(?:^|(?<=[\s.,;:!?]))\*{2,3}(?=\s|$)")
"""Asterisks that make nothing bold, as where a mark was left open."""


def read(origin: Origin, name: str, text: str, language: str) -> Material:
    """The material of one text; the end of its name says what form it has."""
    text = _INVISIBLE.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    place = Place(origin, name)
    match PurePosixPath(name).suffix.lower():
        case ".csv" | ".tsv":
            return Material(tables=tuple(read_delimited(place, text)))
        case ".json":
            try:
                return read_nested(place, json.loads(text, parse_float=str, parse_int=str), language)
            except (ValueError, RecursionError):
                return _read_markdown(place, text, language)
        case _:
            return _read_markdown(place, text, language)


def _read_markdown(place: Place, text: str, language: str) -> Material:
    document = Document(text)
    passages: list[Passage] = []
    cells: dict[int, list[Prose]] = defaultdict(list)
    places: dict[int, Place] = {}
    lists = [block for block in document.blocks if block.kind == "list"]
    headings: tuple[tuple[int, str], ...] = ()
    for number, piece in enumerate(document.prose):
        here = Place(place.origin, place.name, tuple(words for _, words in headings))
        match piece.kind:
            case "heading":
                words = " ".join(piece.text.split())
                headings = (*(above for above in headings if above[0] < piece.level), (piece.level, words))
                passages.append(Passage(words, here, number, "heading"))
            case "paragraph" if not (
                _is_picture(piece, document) or _is_pointer(piece, document) or _is_caption(piece, language)
            ):
                passages += _passages(piece, here, number, language, lists)
            case "cell":
                cells[piece.line].append(piece)
                places[piece.line] = here
            case _:
                pass
    tables = (_table(block, text, cells, places) for block in document.blocks if block.kind == "table")
    pictures = {image.target: _place_of_line(image.line, document, place) for image in document.images}
    return Material(tuple(passages), tuple(table for table in tables if table), pictures)


def _is_picture(piece: Prose, document: Document) -> bool:
    """Whether a paragraph is the description of an image and nothing else."""
    return any(image.start <= piece.start and piece.end <= image.end for image in document.images)


def _is_pointer(piece: Prose, document: Document) -> bool:
    """Whether a paragraph is a link to a place in the same text and nothing else, as in a table of contents."""
    links = (link for link in document.links if link.start <= piece.start and piece.end <= link.end)
    return any(link.target.startswith("#") for link in links)


def _is_caption(piece: Prose, language: str) -> bool:
    """Whether a paragraph is the caption of a table or a figure, which quotes nothing."""
    words = language_of(language).words
    return piece.text.startswith(tuple(f"{label}: " for label in (words.table, words.figure, "Table")))


def _passages(piece: Prose, place: Place, number: int, language: str, lists: list[Block]) -> Iterator[Passage]:
    is_item = any(block.start <= piece.start < block.end for block in lists)
    for start, end in _whole_sentences(piece.text, language):
        words = " ".join(_STRAY_MARKUP.sub(" ", piece.text[start:end]).split())
        if any(char.isalnum() for char in words):
            yield Passage(words, place, number, "item" if is_item else "sentence")


def _whole_sentences(text: str, language: str) -> Iterator[tuple[int, int]]:
    """The sentences, each with the number or the letter before it that would pass for one."""
    begin: int | None = None
    for start, end in sentence_ranges(text, language):
        begin = start if begin is None else begin
        if end < len(text.rstrip()) and _NUMBER.fullmatch(text[begin:end]):
            continue
        yield begin, end
        begin = None


def _table(block: Block, text: str, cells: dict[int, list[Prose]], places: dict[int, Place]) -> Table | None:
    lines = block.content.split("\n")
    rows = {number: _row(line, text, cells[number]) for number, line in enumerate(lines, block.line) if cells[number]}
    if len(rows) < 2 or block.line not in rows:
        return None
    width = max(max(row) for row in rows.values()) + 1
    filled = [tuple(row.get(column, "") for column in range(width)) for row in rows.values()]
    return Table(places[block.line], filled[0], tuple(filled[1:]))


def _row(line: str, text: str, cells: list[Prose]) -> dict[int, str]:
    """The cells of a row by their column: empty ones are told by the bars between the others."""
    row = {}
    for cell in cells:
        before = text[text.rfind("\n", 0, cell.start) + 1 : cell.start]
        column = before.count("|") - before.count("\\|") - before.lstrip().startswith("|")
        row[max(0, column)] = " ".join(cell.text.split())
    return row


def _place_of_line(line: int, document: Document, place: Place) -> Place:
    above = [heading for heading in document.headings if heading.line < line]
    return Place(place.origin, place.name, (above[-1].text,) if above else ())
