"""The tables of a text document: their rows and cells, and what the header of a table of questions says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

from lxml import etree

from stemma_forms.field import MOST_BESIDE, line
from stemma_forms.words import BOXES, boxes, crossed, is_sum, mentions, rank

from .paragraph import BoxSpot, Paragraph, Range, W, read_paragraph, val

_LONGEST_HEADER = 80
_LONGEST_NUMBER = 12
# Around cells and rows.
_AROUND_CELLS = {f"{W}sdt", f"{W}sdtContent", f"{W}customXml", f"{W}ins"}


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
    """The columns of a table of questions; ``named`` says whether the header calls one of them a question.

    Of the columns ``crosses`` a row has one crossed, or a box in it checked; an answer has the first of them.
    """

    questions: tuple[int, ...]
    answers: dict[int, str]
    named: bool
    heads: dict[int, str]
    crosses: dict[int, str]

    def with_crosses(self, ticks: dict[int, str]) -> Header:
        """The header with columns to be crossed, whose heads stand in a row of their own below it."""
        answers = {c: t for c, t in self.answers.items() if c not in ticks} | {min(ticks): " / ".join(ticks.values())}
        return replace(self, answers=answers, crosses=ticks)

    def question(self, row: list[Cell]) -> str:
        asked = [cell.words for cell in row if cell.column in self.questions and cell.words]
        number = row[0].words if row and row[0].column < min(self.questions) else ""
        is_number = len(number) <= _LONGEST_NUMBER and any(c.isdigit() for c in number)
        return " ".join([*([number] if is_number else []), ": ".join(asked)]) if asked else ""

    def to_cross(self, row: list[Cell]) -> BoxSpot | None:
        """The cells of a row of which one is to be crossed, or has a box to be checked; None if others stand there."""
        cells = [cell for cell in row if cell.column in self.crosses and cell.paragraphs]
        places = [(self.crosses[cell.column], _to_mark(cell)) for cell in cells]
        marked = tuple((head, place) for head, place in places if place is not None)
        return BoxSpot(marked) if marked and len(marked) == len(self.crosses) else None

    def beside(self, row: list[Cell]) -> tuple[tuple[str, str], ...]:
        """What stands in a row already, below the heads of its columns."""
        columns = self.heads.keys() - self.crosses.keys()
        told = ((self.heads[c.column], line(c.words)) for c in row if c.column in columns and c.words)
        return tuple(told)[:MOST_BESIDE]

    def is_beside_sum(self, column: int, question: str, beside: tuple[tuple[str, str], ...]) -> bool:
        """Whether a cell is for the price or the quantity of a unit, in a row that only adds up."""
        priced = [c for c, name in self.answers.items() if mentions(name, "price")]
        is_last = not priced or column == priced[-1]
        counts = column in priced or mentions(self.answers[column], "quantity")
        return not is_last and counts and is_sum(question) and not any(mentions(h, "quantity") for h, _ in beside)

    def goes_on(self, other: Header) -> bool:
        """Whether a row with the words of a header is one of this header's questions: it names no answer."""
        return not self.answers.keys() & other.answers.keys()


def read_rows(table: etree._Element) -> Iterator[list[Cell]]:
    """The rows of a table, each with its cells."""
    for row in _inside(table, f"{W}tr"):
        column = _number(val(row, "trPr/gridBefore"))
        cells = []
        for element in _inside(row, f"{W}tc"):
            merge = element.find(f"{W}tcPr/{W}vMerge")
            is_continued = merge is not None and merge.get(f"{W}val", "continue") == "continue"
            cells.append(
                Cell(element, column, is_continued, [read_paragraph(p) for p in element.iterchildren(f"{W}p")])
            )
            column += _number(val(element, "tcPr/gridSpan"), 1)
        yield cells


def read_header(row: list[Cell]) -> Header | None:
    """The header that a row is: a column for answers, and one before it for what they answer."""
    texts = {cell.column: words for cell in row if (words := _header_words(cell))}
    crosses = crossed(texts)
    asking = {c: t for c, t in texts.items() if c not in crosses and mentions(t, "answer") and not boxes(t)}
    answers = {c: t for c, t in asking.items() if not mentions(t, "not_answer")}
    answers |= {min(crosses): " / ".join(crosses.values())} if crosses else {}
    known = answers.keys() | crosses.keys()
    others = [column for column in texts if column not in known and column < max(answers, default=0)]
    if not answers or not others:
        return None
    ranked = tuple(sorted(column for column in others if rank(texts[column], "question") is not None))
    telling = [c for c in others if not mentions(texts[c], "quantity")] or others
    questions = ranked or (max(telling),)
    if any(mentions(text, "price") for text in answers.values()):
        answers |= {c: t for c, t in texts.items() if mentions(t, "price") or mentions(t, "quantity")}
    after = {column: answers[column] for column in sorted(answers) if column > min(questions)}
    return Header(questions, after, bool(ranked), texts, crosses) if after else None


def ticks_of(row: list[Cell]) -> dict[int, str]:
    """The heads of columns to be crossed, if a row has nothing but them."""
    texts = {cell.column: cell.words for cell in row if cell.words}
    return found if (found := crossed(texts)) == texts else {}


def _to_mark(cell: Cell) -> Range | etree._Element | None:
    """Where a cell takes its cross: its only box, or its first paragraph if nothing stands in it."""
    first = cell.paragraphs[0]
    if cell.is_empty:
        return first.element
    return Range(first, 0, 1) if cell.words in BOXES and len(cell.words) == 1 and first.text[:1] == cell.words else None


def _header_words(cell: Cell) -> str:
    """What a cell says as the header of a column: all of it, or its first line if more of a remark follows."""
    first = next((p.words for p in cell.paragraphs if p.words), "")
    words = cell.words if len(cell.words) <= _LONGEST_HEADER else first
    return words if len(words) <= _LONGEST_HEADER else ""


def _inside(element: etree._Element, name: str) -> Iterator[etree._Element]:
    for child in element:
        if child.tag == name:
            yield child
        elif child.tag in _AROUND_CELLS:
            yield from _inside(child, name)


def _number(value: str, otherwise: int = 0) -> int:
    return min(int(value), 1000) if value.isdigit() else otherwise
