"""The fields of a text document: controls, form fields, free cells, lines to write on, placeholders."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from lxml import etree
from stemma_ooxml import Package

from stemma_forms.field import Field, Found, Kind, Limit, Unit, UnreadableForm, line, stated_limit
from stemma_forms.words import (
    Box,
    Placeholder,
    boxes,
    is_label,
    is_sum,
    mentions,
    opens,
    placeholders,
)

from .paragraph import (
    FALLBACK,
    MAIN,
    OBJECT,
    BelowSpot,
    BoxSpot,
    Control,
    EmptySpot,
    FormField,
    Paragraph,
    Range,
    Spot,
    TextSpot,
    W,
    all_text,
    read_control,
    read_paragraph,
    val,
)
from .tables import Cell, Header, read_header, read_rows, ticks_of

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


def unread_places(package: Package, root: etree._Element) -> Iterator[tuple[str, str]]:
    """What waits for an answer outside of the text: in headers, footers and text boxes; and controls of ActiveX."""
    for kind, part in package.related(package.main).values():
        read = package.xml_if_there(part) if kind in ("header", "footer") else None
        if read is not None and (words := _waiting(read)):
            yield kind, words
    boxes = [box for box in root.iter(f"{W}txbxContent") if next(box.iterancestors(FALLBACK), None) is None]
    for number, box in enumerate(boxes, 1):
        if words := _waiting(box):
            yield f"text box {number}", words
    if controls := sum(1 for _ in root.iter(f"{W}control")):
        yield "document", f"controls of ActiveX: {controls}"


def _waiting(root: etree._Element) -> str:
    """The first thing in a part that somebody is to fill in."""
    if (
        any(read_control(control) for control in root.iter(f"{W}sdt"))
        or next(root.iter(f"{W}ffData"), None) is not None
    ):
        return f"a field in: {all_text(root)[:80]}".rstrip(" :")
    found = next(placeholders(all_text(root)), None)
    return f"a placeholder: {found.words or all_text(root)[:80]}" if found else ""


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
                    self._below(asked, EmptySpot(element), around)
                asked = self._paragraph(paragraph, around)
                is_of_body = not around.place and not around.row
                if asked is not None and is_of_body and self._wants_text(asked, elements[index + 1 :]):
                    self._below(asked, BelowSpot(element), around)
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
        if val(paragraph.element, "pPr/pStyle") in self._headings:
            self._heading = line(paragraph.words)
        asks = is_label(paragraph.words) or stated_limit(paragraph.words) or opens(paragraph.words)
        return paragraph if asks else None

    def _wants_text(self, asked: Paragraph, following: Sequence[etree._Element]) -> bool:
        """Whether a paragraph asks for words of one's own though no line is left for them."""
        beside = next(iter(following), None)
        if beside is not None and beside.tag == f"{W}p" and read_paragraph(beside).is_empty:
            return False
        return (bool(stated_limit(asked.words)) or opens(asked.words)) and self._goes_on(following)

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

    def _below(self, asked: Paragraph, spot: EmptySpot | BelowSpot, around: Around) -> None:
        here = self._here(around)
        question = asked.words if not around.row else f"{around.row}: {asked.words}"
        self._add(Field(confidence=_BELOW), question, spot, here)

    def _goes_on(self, following: Sequence[etree._Element]) -> bool:
        """Whether what comes after a question or free space is no answer: nothing, a table, a heading, a question."""
        for element in following[:20]:
            if element.tag != f"{W}p":
                return element.tag in (f"{W}tbl", f"{W}sectPr", f"{W}sdt")
            paragraph = read_paragraph(element)
            if not paragraph.is_empty:
                words = paragraph.words
                asks = is_label(words) or opens(words) or boxes(words) or stated_limit(words) or _NUMBERED.match(words)
                return bool(asks) or val(element, "pPr/pStyle") in self._headings
        return True

    def _control(self, element: etree._Element, around: Around) -> None:
        control, content = read_control(element), element.find(f"{W}sdtContent")
        if control is not None:
            self._paragraphs += 1
            here = self._here(around)
            self._add(control_field(control, here.asked), control.title or here.asked, control, here)
        elif content is not None:
            self.blocks(list(content), around)

    def _table(self, element: etree._Element, around: Around) -> None:
        self._tables += 1
        table, header, section, above = self._tables, None, "", list[Cell]()
        stated: dict[int, str] = {}
        rows = list(read_rows(element))
        for number, row in enumerate(rows, 1):
            here = replace(around, place=f"table {table}, row {number}", row=around.row, column="")
            heads, before = read_header(row), len(self.found)
            if heads and not any(cell.is_empty for cell in row) and not (header and header.goes_on(heads)):
                header, section, stated = heads, "", {}
            elif header and (ticks := ticks_of(row)):
                header = header.with_crosses(ticks)
            elif header and header.question(row):
                self._answers(row, header, here, stated)
                stated |= {cell.column: cell.words for cell in row if cell.words and cell.column in header.answers}
            else:
                self._labels(row, above, section, here)
            if len(self.found) == before and _is_section(rows, number - 1):
                section = " ".join(cell.words for cell in row)
            above = above if above and number > 1 and len(above) == len(row) else row
        # What a table asks is not asked of what comes behind it.
        self._above = ""

    def _answers(self, row: list[Cell], header: Header, here: Around, stated: Mapping[int, str]) -> None:
        """Find the free cells of a question; ``stated`` is what the form says itself in the columns of answers."""
        question, several = header.question(row), len(header.answers) > 1
        beside = header.beside(row)
        if spot := header.to_cross(row):
            here = self._here(here)
            asked = Field(kind=Kind.CHOICE, allowed=tuple(label for label, _ in spot.boxes), confidence=_HEADER)
            self._add(replace(asked, column=header.answers[min(header.crosses)], row=beside), question, spot, here)
        for cell in row:
            name = header.answers.get(cell.column)
            if spot and cell.column in header.crosses:
                self._paragraphs += len(cell.paragraphs)
            elif name and cell.is_empty and not header.is_beside_sum(cell.column, question, beside):
                words = f"{question} ({name})" if several else question
                confidence = _HEADER if header.named else _UNNAMED_HEADER
                limit, more = stated_limit(words, name), stated.get(cell.column, "") if is_sum(question) else ""
                told = (*beside, (name, line(more))) if more else beside
                self._free(cell, Field(limit=limit, confidence=confidence, column=name, row=told), words, here)
            else:
                before = len(self.found)
                self._content(cell, replace(here, row=question if name else "", column=name or "" if several else ""))
                if name and len(self.found) > before and cell.paragraphs and cell.paragraphs[-1].is_empty:
                    words = f"{question} ({name})"
                    self._add(Field(confidence=_BESIDE), words, EmptySpot(cell.paragraphs[-1].element), here)

    def _labels(self, row: list[Cell], above: list[Cell], section: str, here: Around) -> None:
        """Find the free cells of a row that no header explains: beside a label, below a question, in a matrix."""
        self._paragraphs += sum(len(cell.paragraphs) for cell in row if cell.words in _COLONS)
        row = [cell for cell in row if cell.words not in _COLONS]
        confidences = dict(_free_cells(row, above))
        label = ""
        for index, cell in enumerate(row):
            if index in confidences:
                heads = above[index].words if confidences[index] == _MATRIX and index < len(above) else ""
                words = " ".join(filter(None, [section, label or (above[0].words if above and not section else "")]))
                field = Field(confidence=confidences[index])
                self._free(cell, field, f"{words} ({heads})" if heads else words, here)
            elif (
                len(row) == 1
                and cell.words.endswith((":", "："))
                and is_label(cell.words)
                and not self._has_objects(cell)
            ):
                self._after(cell, section, here)
            else:
                self._content(cell, replace(here, row=label or here.row))
            label = cell.words or (row[0].words if confidences.get(index) == _MATRIX else "")

    def _after(self, cell: Cell, section: str, here: Around) -> None:
        paragraph = next(p for p in reversed(cell.paragraphs) if p.words)
        question = " ".join(filter(None, [section, cell.words]))
        self._paragraphs += len(cell.paragraphs)
        self._add(Field(confidence=_AFTER), question, paragraph, self._here(here))

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
        asked = line(question.strip().rstrip(" :："))
        if not asked:
            return
        limit = field.limit
        if limit is None and field.kind is Kind.TEXT:
            limit = stated_limit(question, field.current, here.asked, here.heading)
        confidence = _TO_BE_SIGNED if mentions(asked, "signature") else field.confidence
        group = self._heading
        self.found.append(
            Found(
                replace(field, place=here.place, group=group, question=asked, limit=limit, confidence=confidence), spot
            )
        )


_COLONS = (":", "：")
"""Some forms give the colon between a label and its blank a cell of its own."""


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


def _heading_styles(package: Package) -> frozenset[str]:
    root = package.xml_if_there(dict(package.related(package.main).values()).get("styles", ""))
    styles = [] if root is None else root.iter(f"{W}style")
    headings = (style for style in styles if val(style, "name").casefold().startswith("heading "))
    return frozenset(style.get(f"{W}styleId", "") for style in headings)


_CONTROL, _BLANK, _LONE_BLANK = 0.95, 0.85, 0.4
_PAGE_NUMBER = re.compile(r"\s*\d{1,4}\s*$")
_FIELD_KINDS = {"number": Kind.NUMBER, "date": Kind.DATE}


@dataclass(frozen=True)
class Around:
    """The heading and the text above a place, and the row and the column of its table."""

    place: str
    heading: str = ""
    above: str = ""
    row: str = ""
    column: str = ""

    @property
    def asked(self) -> str:
        """What is asked in a place that has no words of its own."""
        if self.row and self.column and self.column not in self.row:
            return f"{self.row} ({self.column})"
        return self.row or self.column or self.above


@dataclass(frozen=True)
class Inline:
    """A field without its place; ``name`` is what a placeholder is called that means the same wherever it stands."""

    field: Field
    spot: Spot
    name: str = ""


@dataclass(frozen=True)
class _Item:
    start: int
    end: int
    what: Control | FormField | Placeholder | tuple[Box, ...]


def inlines(paragraph: Paragraph, around: Around) -> Iterator[Inline]:
    """What waits in a paragraph, in its order."""
    items = sorted(_items(paragraph), key=lambda item: item.start)
    first_label = ""
    for index, item in enumerate(items):
        before = _words(paragraph.text[items[index - 1].end if index else 0 : item.start])
        after = _words(paragraph.text[item.end : items[index + 1].start if index + 1 < len(items) else None])
        first_label = first_label or (before if index == 0 else "")
        asked = replace(around, row=around.row or first_label) if index else around
        match item.what:
            case Control() as control:
                yield _inline_control(control, before, after, asked)
            case FormField() as field:
                yield _form_field(field, before, after, asked)
            case Placeholder() as placeholder:
                yield from _placeholder(paragraph, placeholder, before, after, asked)
            case drawn:
                yield _boxes(paragraph, drawn, before, asked)


def _items(paragraph: Paragraph) -> Iterator[_Item]:
    yield from (_Item(start, start + 1, control) for start, control in paragraph.controls)
    yield from (_Item(start, start + 1, field) for start, field in paragraph.fields)
    drawn = boxes(paragraph.text)
    if drawn:
        yield _Item(drawn[0].start, len(paragraph.text), drawn)
    end = drawn[0].start if drawn else len(paragraph.text)
    yield from (_Item(found.start, found.end, found) for found in placeholders(paragraph.text) if found.end <= end)


def _words(text: str) -> str:
    return " ".join(text.replace(OBJECT, " ").split())


def _inline_control(control: Control, before: str, after: str, around: Around) -> Inline:
    question = _question(control.kind, control.title, before, after, around)
    return Inline(control_field(control, question), control)


def control_field(control: Control, question: str) -> Field:
    """The field that a control is; what a list shows is what it allows, or suggests if other text is allowed too."""
    is_choice = control.kind is Kind.CHOICE
    return Field(
        question=question,
        kind=control.kind,
        allowed=control.items if is_choice else (),
        suggested=() if is_choice else control.items,
        current=line(control.shown),
        confidence=_CONTROL,
    )


def _form_field(form_field: FormField, before: str, after: str, around: Around) -> Inline:
    data = form_field.data
    entries = tuple(dict.fromkeys(filter(None, (e.get(f"{W}val") for e in data.iter(f"{W}listEntry")))))
    kind = _FIELD_KINDS.get(val(data, "textInput/type"), Kind.TEXT)
    if data.find(f"{W}checkBox") is not None:
        kind, entries = Kind.CHECKBOX, ()
    elif data.find(f"{W}ddList") is not None:
        kind = Kind.CHOICE
    title = val(data, "statusText").strip() or val(data, "helpText").strip()
    longest = val(data, "textInput/maxLength")
    field = Field(
        question=_question(kind, title, before, after, around),
        kind=kind,
        allowed=entries,
        limit=Limit(int(longest), Unit.CHARACTERS) if longest.isdigit() and int(longest) else None,
        current=line(" ".join(all_text(run) for run in form_field.result)),
        confidence=_CONTROL,
    )
    return Inline(field, form_field)


def _question(kind: Kind, title: str, before: str, after: str, around: Around) -> str:
    if kind is Kind.CHECKBOX:
        label = title or after or before
        return f"{around.asked.rstrip(' :')}: {label}" if around.asked and label != around.asked else label
    beside = f"{around.row}: {before}" if around.row and before and before != around.row else before
    return beside or title or around.asked


def _boxes(paragraph: Paragraph, drawn: tuple[Box, ...], before: str, around: Around) -> Inline:
    """Boxes that are drawn as characters: one is to be checked, or one of several."""
    spot = BoxSpot(tuple((box.label, Range(paragraph, box.start, box.start + 1)) for box in drawn))
    question = before or around.asked
    if len(drawn) > 1:
        labels = tuple(box.label for box in drawn)
        field = Field(question=question or labels[0], kind=Kind.CHOICE, allowed=labels, confidence=_CONTROL)
        return Inline(field, spot)
    label = _words(drawn[0].label)
    is_told = not question or label == question
    asked = label if is_told else f"{question.rstrip(' :：')}: {label}"
    return Inline(Field(question=asked, kind=Kind.CHECKBOX, confidence=_CONTROL), spot)


def _placeholder(paragraph: Paragraph, found: Placeholder, before: str, after: str, around: Around) -> Iterator[Inline]:
    spot = TextSpot([Range(paragraph, found.start, found.end)])
    written = paragraph.text[found.start : found.end]
    if found.words:
        label = before if before.endswith((":", "：")) and len(before) <= 80 else ""
        question = f"{label} {found.words}" if label else found.words
        field = Field(question=question, current=line(written), confidence=found.confidence)
        yield Inline(field, spot, found.words.casefold() if found.is_name else "")
    elif not (before and _PAGE_NUMBER.fullmatch(paragraph.text[found.end :])):
        question = before or after.strip("() ") or around.asked
        confidence = _BLANK if before or after else _LONE_BLANK
        yield Inline(Field(question=question, confidence=confidence), spot)
