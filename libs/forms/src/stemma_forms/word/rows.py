"""Tables of a text document as rows of cells, with the columns that they begin in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from lxml import etree

from stemma_forms.words import mentions, rank

from .paragraph import Paragraph, W, read_paragraph

_LONGEST_HEADER = 80
_LONGEST_NUMBER = 12
# Around cells and rows.
_WRAPPERS = {f"{W}sdt", f"{W}sdtContent", f"{W}customXml", f"{W}ins"}


@dataclass
class Cell:
    """``column`` counts the columns of the table's grid, from 0; a cell that a merge continues has no content."""

    element: etree._Element
    column: int
    is_continued: bool
    paragraphs: list[Paragraph] = field(default_factory=list)

    @cached_property
    def words(self) -> str:
        return " ".join(words for paragraph in self.paragraphs if (words := paragraph.words))

    @cached_property
    def is_empty(self) -> bool:
        """Whether somebody can write in the cell: it has a paragraph, no text, and nothing else."""
        return (
            not self.is_continued
            and bool(self.paragraphs)
            and all(paragraph.is_empty for paragraph in self.paragraphs)
            and self.element.find(f"{W}tbl") is None
            and self.element.find(f"{W}sdt") is None
        )


@dataclass(frozen=True)
class Header:
    """The columns of a table of questions; ``named`` says whether the header calls one of them a question."""

    questions: tuple[int, ...]
    answers: dict[int, str]
    named: bool

    def question(self, row: list[Cell]) -> str:
        asked = [cell.words for cell in row if cell.column in self.questions and cell.words]
        number = row[0].words if row and row[0].column < min(self.questions) else ""
        is_number = len(number) <= _LONGEST_NUMBER and any(c.isdigit() for c in number)
        return " ".join([*([number] if is_number else []), ": ".join(asked)]) if asked else ""

    def goes_on(self, other: Header) -> bool:
        """Whether a row with the words of a header is one of this header's questions: it names no answer."""
        return not self.answers.keys() & other.answers.keys()


def read_rows(table: etree._Element) -> Iterator[list[Cell]]:
    """The rows of a table, each with its cells."""
    for row in _inside(table, f"{W}tr"):
        column = _number(row.find(f"{W}trPr/{W}gridBefore"))
        cells = []
        for element in _inside(row, f"{W}tc"):
            properties = element.find(f"{W}tcPr")
            cells.append(_cell(element, properties, column))
            column += _number(None if properties is None else properties.find(f"{W}gridSpan"), 1)
        yield cells


def read_header(row: list[Cell]) -> Header | None:
    """The header that a row is: a column for answers, and one before it for what they answer."""
    texts = {cell.column: words for cell in row if (words := _header(cell))}
    answers = {c: t for c, t in texts.items() if mentions(t, "answer") and not mentions(t, "not_answer")}
    others = [column for column in texts if column not in answers and column < max(answers, default=0)]
    if not answers or not others:
        return None
    ranked = tuple(sorted(column for column in others if rank(texts[column], "question") is not None))
    questions = ranked or (max(others),)
    after = {column: text for column, text in answers.items() if column > min(questions)}
    return Header(questions, after, bool(ranked)) if after else None


def _header(cell: Cell) -> str:
    """What a cell says as the header of a column: all of it, or its first line if more of a remark follows."""
    first = next((p.words for p in cell.paragraphs if p.words), "")
    words = cell.words if len(cell.words) <= _LONGEST_HEADER else first
    return words if len(words) <= _LONGEST_HEADER else ""


def _cell(element: etree._Element, properties: etree._Element | None, column: int) -> Cell:
    merge = None if properties is None else properties.find(f"{W}vMerge")
    is_continued = merge is not None and merge.get(f"{W}val", "continue") == "continue"
    return Cell(element, column, is_continued, [read_paragraph(p) for p in element.iterchildren(f"{W}p")])


def _inside(element: etree._Element, name: str) -> Iterator[etree._Element]:
    for child in element:
        if child.tag == name:
            yield child
        elif child.tag in _WRAPPERS:
            yield from _inside(child, name)


def _number(element: etree._Element | None, otherwise: int = 0) -> int:
    value = "" if element is None else element.get(f"{W}val", "")
    return min(int(value), 1000) if value.isdigit() else otherwise
