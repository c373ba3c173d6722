"""Texts from outside as material: Markdown and plain text, tables in them, CSV and JSON.

A passage is what is quoted as a whole: a sentence with those that lean on it, a list with what leads to it.
"""

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
from stemma_languages import is_addressed, is_caption, is_form_text, is_instruction, leans, negates
from stemma_languages import language as language_of
from stemma_markdown import (
    Block,
    Document,
    Image,
    Link,
    Prose,
    sentence_ranges,
    with_prose_of_front_matter,
    without_unticked,
)

from .material import NO_SPACES, Form, Material, Origin, Passage, Place, Table, gathered, table_of

LEAST_WORDS, LEAST_CHARACTERS = 4, 6
"""Of a sentence that stands for itself; characters are counted where a script knows no spaces."""

MOST_OF_LABEL, MOST_OF_PASSAGE, MOST_OF_ITEM = 40, 2_000, 1_200
"""Characters of a line that is the label of the lines after it, of a passage that further sentences lean on, and of an
item that is quoted as a whole."""
MARGIN = -1
"""The column of a paragraph that no list holds: before the mark of any item."""

_NUMBER = re.compile(
    r"(?!\w{2,12} \((?:19|20)\d\d\))(?:[^\W\d_]{2,12} )?(?:\(?(?:\d{1,4}|[A-Za-z]|[ivx]{2,4}|[IVX]{2,5})[.)]\s?){1,4}"
    r"|[（(][一二三四五六七八九十\d]{1,3}[）)]|[①-⑳]"
)
"""What stands before a sentence to order it: "4.2.", "i.", "(b)", "Exhibit 2.", "（一）"; no name with a year."""
_LETTERED = re.compile(r"\(?[a-zα-ω]{1,2}\)\s|[IVX]{1,5}[.)]\s|\(?[ivx]{1,5}\)\s")
"""What stands before an item that belongs to the sentence above it."""
_DECIMAL = re.compile(r"．\d")
_STRAY_MARKUP = re.compile(r"(?:^|(?<=[\s.,;:!?]))\*{2,3}(?=\s|$)")
"""Asterisks that make nothing bold, as where a mark was left open."""
_FOOTNOTE = re.compile(r"\[\^[^\[\]\s]{1,40}\]")
_DEBRIS = re.compile(r"\{%|\{\{|:::|!!!|\]\(|\]\[|\[!|#include|\*\*|</?[a-z][^<>]*>")
"""Marks of another system than Markdown, and links that lead nowhere."""
_CLOSERS = "\"'”’»›」』)]）】*_ "
_ENDS = (".", "!", "?", "。", "！", "？", "．")
_COLONS = (":", "：")
_HANGS = (";", ",", "；", "，", "、", "…", "...", *_COLONS)
_PAIRS = (("(", ")"), ("[", "]"), ("«", "»"), ("「", "」"), ("（", "）"), ("《", "》"))


class PassageReader:
    """Puts the paragraphs of a text together as they come, in reading order."""

    def __init__(self, language: str) -> None:
        self.passages: list[Passage] = []
        self._language = language
        self._joint = "" if language in NO_SPACES else " "
        self._lead: int | None = None
        self._columns: list[int] = []
        self._items: list[str] = []
        self._above: list[tuple[int, int]] = []
        self._listed = False

    @property
    def lead(self) -> str:
        """The line that leads to what comes next; empty if the last one says all that it says."""
        return "" if self._lead is None or self._items else self.passages[-1].text

    def told(self, words: str, place: Place, number: int) -> None:
        """Take a heading, or the description of a picture; it ends the list that is open."""
        self.end()
        self._above.clear()
        self._add(words, place, number, "heading")

    def end(self) -> None:
        """What comes next is no item of the list that is open."""
        if self._items:
            self.passages[-1] = replace(self.passages[-1], items=tuple(self._items))
        self._lead, self._items = None, []

    def paragraph(self, text: str, column: int, place: Place, number: int, is_item: bool) -> None:
        """Take a paragraph of which the text begins at a column of its line."""
        text = self._labelled(text)
        if self._lead is not None and (column > self._lead if is_item else self._is_next(text)):
            self._listed = is_item
            self._item(_plain(text), column)
            return
        self.end()
        while self._above and (self._above[-1][0] >= column or not is_item):
            self._above.pop()
        under = self._above[-1][1] if self._above else -1
        before_it = len(self.passages)
        whole = is_item and len(text) <= MOST_OF_ITEM and not is_addressed(text, place.heading, self._language)
        for words in sentences_of(text, self._language):
            before = self.passages[-1] if self.passages else None
            together = before and before.place == place and (before.paragraph == number or before.form == "sentence")
            is_open = before and not before.items and len(before.text) < MOST_OF_PASSAGE and ends(before.text)
            leans = (whole and len(self.passages) > before_it) or self._leans(words)
            if before and together and is_open and leans:
                self.passages[-1] = replace(before, text=f"{before.text}{self._joint}{words}")
            else:
                self._add(words, place, number, "item" if is_item else "sentence", under)
        if is_item:
            self._above.append((column, min(before_it, len(self.passages) - 1)))
        if self.passages and self._leads_on(self.passages[-1]):
            self._lead, self._columns, self._listed = column, [], False

    def _add(self, words: str, place: Place, number: int, form: Form, under: int = -1) -> None:
        if any(map(str.isalnum, words)):
            self.passages.append(Passage(words, place, number, form, position=len(self.passages), under=under))

    def _leads_on(self, last: Passage) -> bool:
        hangs = not ends(last.text) or (last.form == "sentence" and negates(last.text, self._language))
        return last.form != "heading" and hangs

    def _is_next(self, text: str) -> bool:
        """Whether a paragraph with a number of its own goes on with what a colon announces."""
        number = _NUMBER.match(text)
        announced = self.passages[-1].text.endswith(_COLONS) and not self._listed
        return announced and number is not None and " " not in number.group().strip()

    def _item(self, text: str, column: int) -> None:
        while self._columns and self._columns[-1] >= column:
            self._columns.pop()
        self._items.append(f"{'  ' * len(self._columns)}{text}")
        self._columns.append(column)

    def _labelled(self, text: str) -> str:
        """The text, if a short line of its own opens it, with the colon that keeps it apart from what follows."""
        label, _, rest = (part.strip() for part in text.partition("\n"))
        opens = len(label) <= MOST_OF_LABEL and label[-1:].isalnum() and not rest[:1].islower()
        colon = "：" if self._language in NO_SPACES else ": "
        return f"{label}{colon}{rest}" if rest and opens else text

    def _leans(self, words: str) -> bool:
        return leans(words, self._language) and not is_instruction(words, self._language)


def sentences_of(text: str, language: str) -> Iterator[str]:
    """The sentences of plain words, each with the number or the letter before it that would pass for one."""
    begin: int | None = None
    for start, end in sentence_ranges(text, language):
        begin = start if begin is None else begin
        if end < len(text.rstrip()) and (_NUMBER.fullmatch(text[begin:end]) or _DECIMAL.match(text, end - 1)):
            continue
        yield _plain(text[begin:end])
        begin = None


def ends(text: str) -> bool:
    """Whether a text ends as a sentence does."""
    bare = text.rstrip(_CLOSERS)
    return bare.endswith(_ENDS) and not bare.endswith("...")


def is_whole(passage: Passage) -> bool:
    """Whether a passage can be read by itself: nothing of it stayed behind where it stands."""
    number = _NUMBER.match(passage.text)
    text = passage.text[number.end() :] if number else passage.text
    first = next(filter(str.isalnum, text), "")
    unpaired = any(text.count(opening) != text.count(closing) for opening, closing in _PAIRS) or text.count('"') % 2
    is_said = not is_form_text(passage.words) and not is_caption(passage.text, passage.place.language)
    if not first or first.islower() or unpaired or _DEBRIS.search(passage.words) or not is_said:
        return False
    if passage.items or passage.form == "item":
        return bool(passage.items) or not _hangs(passage, text)
    is_long = len(text) >= LEAST_CHARACTERS if passage.place.language in NO_SPACES else len(text.split()) >= LEAST_WORDS
    return is_long and ends(text)


def _hangs(item: Passage, text: str) -> bool:
    is_part = text.endswith(_HANGS) or leans(text, item.place.language) or _LETTERED.match(item.text) is not None
    return is_part or negates(item.place.heading, item.place.language)


def _plain(text: str) -> str:
    return " ".join(_STRAY_MARKUP.sub(" ", _FOOTNOTE.sub("", text)).split())


LEAST_OF_PROSE = 6


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
    return len(value.split()) >= LEAST_OF_PROSE or value.rstrip().endswith(("。", ". ", "！"))


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
