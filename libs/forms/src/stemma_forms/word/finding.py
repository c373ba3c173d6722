"""The fields of a text document: controls, form fields, free cells, lines to write on, placeholders."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from lxml import etree
from stemma_ooxml import Package

from stemma_forms.answers import stated_limit
from stemma_forms.field import Field, Found, UnreadableForm, line
from stemma_forms.placeholders import is_label
from stemma_forms.words import mentions

from .inline import Around, Inline, control_field, inlines
from .paragraph import (
    MAIN,
    AfterSpot,
    ControlSpot,
    EmptySpot,
    Paragraph,
    Spot,
    TextSpot,
    W,
    read_control,
    read_paragraph,
)
from .rows import Cell, Header, read_header, read_rows

_HEADER, _UNNAMED_HEADER, _LABELLED, _PAIR, _BOX, _MATRIX, _AFTER, _BELOW = 0.9, 0.7, 0.85, 0.7, 0.7, 0.55, 0.6, 0.55
_BESIDE = 0.5
_TO_BE_SIGNED = 0.3
_WRAPPERS = {f"{W}customXml", f"{W}ins", f"{W}smartTag"}
_NUMBERED = re.compile(r"\s*(?:[A-Za-z]?\d+(?:\.\d+)*[.)]?|[a-z][.)])\s")


def find_places(package: Package, root: etree._Element) -> list[Found[Spot]]:
    """The fields of the body of a document, in reading order."""
    body = root.find(f"{W}body")
    if body is None:
        raise UnreadableForm(f"The document is not in the usual form of DOCX ({MAIN}). Save it as DOCX again.")
    finder = _Finder(_heading_styles(package))
    finder.blocks(list(body), Around(""))
    return finder.found


class _Finder:
    def __init__(self, headings: frozenset[str]) -> None:
        self.found: list[Found[Spot]] = []
        self._headings = headings
        self._heading = ""
        self._above = ""
        self._paragraphs = 0
        self._tables = 0
        self._named: dict[str, TextSpot] = {}

    def blocks(self, elements: Sequence[etree._Element], around: Around) -> None:
        """Find the fields of what follows one another: in the body, in a cell, in a control."""
        asked: Paragraph | None = None
        for index, element in enumerate(elements):
            if element.tag == f"{W}p":
                paragraph = read_paragraph(element)
                if asked is not None and paragraph.is_empty and self._goes_on(elements[index + 1 :]):
                    self._below(asked, element, around)
                asked = self._paragraph(paragraph, around)
                continue
            asked = None
            if element.tag == f"{W}tbl":
                self._table(element, around)
            elif element.tag == f"{W}sdt":
                self._control(element, around)
            elif element.tag in _WRAPPERS:
                self.blocks(list(element), around)

    def _paragraph(self, paragraph: Paragraph, around: Around) -> Paragraph | None:
        """Find what is in a paragraph; return it if it asks for something that is to be written below it."""
        self._paragraphs += 1
        here = self._here(around)
        before = len(self.found)
        for inline in inlines(paragraph, here):
            self._inline(inline, paragraph, here)
        if not paragraph.words or len(self.found) > before:
            return None
        self._above = paragraph.words
        if _style(paragraph.element) in self._headings:
            self._heading = line(paragraph.words)
        return paragraph if is_label(paragraph.words) or stated_limit(paragraph.words) else None

    def _here(self, around: Around) -> Around:
        place = around.place or f"paragraph {self._paragraphs}"
        return replace(around, place=place, heading=self._heading, above=self._above)

    def _inline(self, inline: Inline, paragraph: Paragraph, here: Around) -> None:
        if isinstance(inline.spot, TextSpot):
            if inline.name and inline.name in self._named:
                self._named[inline.name].ranges.extend(inline.spot.ranges)
                return
            if self._is_further_line(inline.spot, paragraph):
                return
            if inline.name:
                self._named[inline.name] = inline.spot
        self._add(inline.field, inline.field.question, inline.spot, here)

    def _is_further_line(self, spot: TextSpot, paragraph: Paragraph) -> bool:
        """Whether a line of underscores goes on from the one before it, as free space for one answer."""
        last = self.found[-1].spot if self.found else None
        if paragraph.words.strip("_. …") or not isinstance(last, TextSpot) or not last.ranges:
            return False
        previous = (last.cleared or last.ranges)[-1].paragraph.element
        if previous is not paragraph.element.getprevious():
            return False
        last.cleared.extend(spot.ranges)
        return True

    def _below(self, asked: Paragraph, element: etree._Element, around: Around) -> None:
        here = self._here(around)
        question = asked.words if not around.row else f"{around.row}: {asked.words}"
        self._add(Field("", "", "", "", confidence=_BELOW), question, EmptySpot(element), here)

    def _goes_on(self, following: Sequence[etree._Element]) -> bool:
        """Whether what comes after free space is no answer: nothing, a table, a heading, or the next question."""
        for element in following[:20]:
            if element.tag != f"{W}p":
                return element.tag in (f"{W}tbl", f"{W}sectPr", f"{W}sdt")
            paragraph = read_paragraph(element)
            if not paragraph.is_empty:
                words = paragraph.words
                return is_label(words) or bool(_NUMBERED.match(words)) or _style(element) in self._headings
        return True

    def _control(self, element: etree._Element, around: Around) -> None:
        control, content = read_control(element), element.find(f"{W}sdtContent")
        if control is not None:
            self._paragraphs += 1
            here = self._here(around)
            self._add(control_field(control, here.asked), control.title or here.asked, ControlSpot(control), here)
        elif content is not None:
            self.blocks(list(content), around)

    def _table(self, element: etree._Element, around: Around) -> None:
        self._tables += 1
        table, header, section, above = self._tables, None, "", list[Cell]()
        rows = list(read_rows(element))
        for number, row in enumerate(rows, 1):
            here = replace(around, place=f"table {table}, row {number}", row=around.row, column="")
            heads, before = read_header(row), len(self.found)
            if heads and not any(cell.is_empty for cell in row) and not (header and header.goes_on(heads)):
                header, section = heads, ""
            elif header and header.question(row):
                self._answers(row, header, here)
            else:
                self._labels(row, above, section, here)
            if len(self.found) == before and _is_section(rows, number - 1):
                section = " ".join(cell.words for cell in row)
            above = above if above and number > 1 and len(above) == len(row) else row
        # What a table asks is not asked of what comes behind it.
        self._above = ""

    def _answers(self, row: list[Cell], header: Header, here: Around) -> None:
        question, several = header.question(row), len(header.answers) > 1
        for cell in row:
            name = header.answers.get(cell.column)
            if name and cell.is_empty:
                words = f"{question} ({name})" if several else question
                confidence = _HEADER if header.named else _UNNAMED_HEADER
                self._free(
                    cell, Field("", "", "", "", limit=stated_limit(words, name), confidence=confidence), words, here
                )
            else:
                before = len(self.found)
                self._content(cell, replace(here, row=question if name else "", column=name or "" if several else ""))
                if name and len(self.found) > before and cell.paragraphs and cell.paragraphs[-1].is_empty:
                    words = f"{question} ({name})"
                    self._add(
                        Field("", "", "", "", confidence=_BESIDE), words, EmptySpot(cell.paragraphs[-1].element), here
                    )

    def _labels(self, row: list[Cell], above: list[Cell], section: str, here: Around) -> None:
        """Find the free cells of a row that no header explains: beside a label, below a question, in a matrix."""
        confidences = dict(_free_cells(row, above))
        label = ""
        for index, cell in enumerate(row):
            if index in confidences:
                heads = above[index].words if confidences[index] == _MATRIX and index < len(above) else ""
                words = " ".join(filter(None, [section, label or (above[0].words if above and not section else "")]))
                field = Field("", "", "", "", confidence=confidences[index])
                self._free(cell, field, f"{words} ({heads})" if heads else words, here)
            elif len(row) == 1 and cell.words.endswith(":") and is_label(cell.words) and not self._has_objects(cell):
                self._after(cell, section, here)
            else:
                self._content(cell, replace(here, row=label or here.row))
            label = cell.words or (row[0].words if confidences.get(index) == _MATRIX else "")

    def _after(self, cell: Cell, section: str, here: Around) -> None:
        paragraph = next(p for p in reversed(cell.paragraphs) if p.words)
        question = " ".join(filter(None, [section, cell.words]))
        self._paragraphs += len(cell.paragraphs)
        self._add(Field("", "", "", "", confidence=_AFTER), question, AfterSpot(paragraph), self._here(here))

    def _has_objects(self, cell: Cell) -> bool:
        return (
            any(p.controls or p.fields for p in cell.paragraphs)
            or cell.element.find(f"{W}tbl") is not None
            or any(next(inlines(p, Around("")), None) for p in cell.paragraphs)
        )

    def _free(self, cell: Cell, field: Field, question: str, here: Around) -> None:
        self._paragraphs += len(cell.paragraphs)
        if question:
            self._add(field, question, EmptySpot(cell.paragraphs[0].element), self._here(here))

    def _content(self, cell: Cell, around: Around) -> None:
        wrapped = _control_around(cell.element)
        if wrapped is not None:
            self._control(wrapped, around)
        else:
            self.blocks(list(cell.element), around)

    def _add(self, field: Field, question: str, spot: Spot, here: Around) -> None:
        asked = line(question.strip().rstrip(" :"))
        if not asked:
            return
        limit = field.limit or stated_limit(question, field.current, here.asked, here.heading)
        confidence = _TO_BE_SIGNED if mentions(asked, "signature") else field.confidence
        group = self._heading
        self.found.append(
            Found(
                replace(field, place=here.place, group=group, question=asked, limit=limit, confidence=confidence), spot
            )
        )


def _is_section(rows: list[list[Cell]], index: int) -> bool:
    """Whether a row is a heading of those below it: one cell, or a first row of another shape than the second."""
    row, below = rows[index], rows[index + 1 : index + 2]
    is_title = index == 0 and bool(below) and len(below[0]) != len(row)
    return (len(row) == 1 or is_title) and all(cell.words for cell in row)


def _free_cells(row: list[Cell], above: list[Cell]) -> Iterator[tuple[int, float]]:
    """The cells of a row that wait for an answer, with how sure that is."""
    filled = [index for index, cell in enumerate(row) if cell.words]
    if len(row) == 1:
        if row[0].is_empty and len(above) == 1 and (is_label(above[0].words) or stated_limit(above[0].words)):
            yield 0, _BOX
        return
    pairs = bool(filled) and all(i + 1 < len(row) and row[i + 1].is_empty for i in filled)
    for index in (i for i in range(1, len(row)) if row[i].is_empty):
        before = row[index - 1].words
        if is_label(before):
            yield index, _LABELLED
        elif before and pairs:
            yield index, _PAIR
        elif row[0].words and len(above) == len(row) and all(cell.words for cell in above[1:]):
            yield index, _MATRIX


def _control_around(cell: etree._Element) -> etree._Element | None:
    content = cell.getparent()
    above = None if content is None else content.getparent()
    return above if above is not None and above.tag == f"{W}sdt" and read_control(above) else None


def _style(element: etree._Element) -> str:
    style = element.find(f"{W}pPr/{W}pStyle")
    return "" if style is None else style.get(f"{W}val", "")


def _heading_styles(package: Package) -> frozenset[str]:
    root = package.xml_if_there(dict(package.related(package.main).values()).get("styles", ""))
    styles = [] if root is None else root.iter(f"{W}style")
    named = ((style.get(f"{W}styleId", ""), style.find(f"{W}name")) for style in styles)
    return frozenset(
        i for i, name in named if name is not None and name.get(f"{W}val", "").casefold().startswith("heading ")
    )
