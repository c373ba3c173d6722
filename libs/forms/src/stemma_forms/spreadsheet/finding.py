"""The fields of a workbook: cells that wait for an answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from stemma_forms.answers import stated_limit
from stemma_forms.field import Field, Found, Kind, Limit, Unit, line
from stemma_forms.placeholders import is_label, is_name, is_placeholder
from stemma_forms.words import mentions

from .sheet import Place, Sheet, Validation
from .tables import Table, find_tables
from .workbook import Workbook

_SURE, _NAMED, _UNNAMED, _LABEL, _FRAMED_LABEL, _BOX = 0.95, 0.9, 0.7, 0.65, 0.85, 0.6
_CHOICES = re.compile(r"\(([^()/]{1,20}(?:/[^()/]{1,20}){1,5})\)|\b(yes/no|ja/nein|oui/non|y/n)\b", re.IGNORECASE)
_NUMBERS = {"whole", "decimal"}
_WORD = re.compile(r"[^\W\d_]{3}")


@dataclass(frozen=True)
class CellSpot:
    """A cell of a sheet."""

    sheet: Sheet
    place: Place


@dataclass(frozen=True)
class _Asked:
    question: str
    group: str
    confidence: float
    header: str = ""


def find_cells(workbook: Workbook) -> Iterator[Found[CellSpot]]:
    """The fields of the sheets that people see, in the order of their rows; sheets that hold lists have none, nor have
    those in which the buyer judges."""
    lists = workbook.sheets_of_lists
    for sheet in workbook.sheets:
        if sheet.name not in lists and not _is_the_buyers(sheet.name):
            yield from _Finder(workbook, sheet).found()


def _is_the_buyers(name: str) -> bool:
    return mentions(name, "not_answer") and not mentions(name, "answer")


class _Finder:
    def __init__(self, workbook: Workbook, sheet: Sheet) -> None:
        self._workbook = workbook
        self._sheet = sheet
        self._rows: dict[int, list[Place]] = {}
        for place in sorted(sheet.cells):
            self._rows.setdefault(place.row, []).append(place)
        self._tables = find_tables(sheet, self._rows)
        self._last_above: dict[int, str] = {}

    def found(self) -> Iterator[Found[CellSpot]]:
        tables, group = iter(self._tables), self._sheet.name
        coming, table = next(tables, None), None
        for row, places in self._rows.items():
            if coming and row >= coming.header:
                table, coming = coming, next(tables, None)
            inside = table if table and table.header <= row <= table.last else None
            if (
                inside
                and row > inside.header
                and inside.question(self._sheet, row)
                and inside.is_heading(self._sheet, row)
            ):
                group = f"{self._sheet.name}: {line(inside.question(self._sheet, row))}"
            elif not inside or row != inside.header:
                asked = self._asked(row, places, inside, group)
                yield from (self._field(place, asked[place]) for place in sorted(asked))
            self._last_above.update({p.column: text for p in places if (text := self._sheet.text(p).strip())})

    def _asked(self, row: int, places: list[Place], table: Table | None, group: str) -> dict[Place, _Asked]:
        asked: dict[Place, _Asked] = {}
        if table and (question := table.question(self._sheet, row)):
            confidence = _NAMED if table.named else _UNNAMED
            several = len(table.answers) > 1
            for column, header in table.answers.items():
                words = f"{question} ({header})" if several else question
                asked[Place(row, column)] = _Asked(words, group, confidence, header)
        else:
            asked |= self._labelled(places, group)
        for place in places:
            if place not in asked and self._must_be_meant(place):
                asked[place] = _Asked(self._beside(place, places), group, _SURE)
        return {place: each for place, each in asked.items() if each.question and self._waits_for(place, each)}

    def _waits_for(self, place: Place, asked: _Asked) -> bool:
        return self._waits(place) or (bool(asked.header) and mentions(asked.header, "price") and self._is_nought(place))

    def _labelled(self, places: list[Place], group: str) -> dict[Place, _Asked]:
        found = {}
        for place in places:
            text = self._sheet.text(place).strip()
            if self._sheet.cells[place].has_formula:
                continue
            if is_label(text) and not self._heads_answers(place) and (target := self._target(place)):
                confidence = _FRAMED_LABEL if self._is_framed(target) else _LABEL
                found[target] = _Asked(text.rstrip(" :"), group, confidence)
            elif is_name(text) and self._is_box_of(place, self._sheet.right_of(place)):
                found[self._sheet.right_of(place)] = _Asked(text, group, _BOX)
        return found

    def _is_box_of(self, label: Place, place: Place) -> bool:
        """Whether cells beside a text were merged, and look otherwise than it: nobody makes such a box to leave it."""
        styles = [self._workbook.style(cell.style if (cell := self._sheet.cells.get(p)) else 0) for p in (label, place)]
        return place in self._sheet.anchors and styles[1].framed and styles[0] != styles[1] and self._waits(place)

    def _heads_answers(self, label: Place) -> bool:
        """Whether answers are chosen below a label, so that none stands beside it."""
        below = self._sheet.validation(self._sheet.below(label))
        return below is not None and below.type == "list"

    def _target(self, label: Place) -> Place | None:
        """The empty cell to the right of a label, or the box below it that is merged of several cells.

        A box of several rows is meant rather than a cell that nothing shows as one to write in.
        """
        right, below = self._sheet.right_of(label), self._sheet.below(label)
        box = self._sheet.anchors.get(below) if self._waits(below) else None
        if self._waits(right) and (not box or box.first.row == box.last.row or self._is_framed(right)):
            return right
        return below if box else None

    def _waits(self, place: Place) -> bool:
        """Whether somebody can and should write in a cell: it is free, or has a placeholder or a default."""
        sheet, cell = self._sheet, self._sheet.cells.get(place)
        if place in sheet.covered or (cell and cell.has_formula):
            return False
        if sheet.is_protected and self._workbook.style(cell.style if cell else 0).locked:
            return False
        text = cell.text.strip() if cell else ""
        return not text or is_placeholder(text) or self._is_default(place, text)

    def _is_nought(self, place: Place) -> bool:
        """Whether a number stands in a cell that says nothing yet: 0, in a form that computes with it."""
        cell = self._sheet.cells.get(place)
        return cell is not None and not cell.has_formula and cell.text.strip() in ("0", "0.0", "0.00")

    def _is_default(self, place: Place, text: str) -> bool:
        validation = self._sheet.validation(place)
        if validation is None or validation.type != "list":
            return False
        return self._workbook.allowed(self._sheet, validation)[:1] == (text,)

    def _must_be_meant(self, place: Place) -> bool:
        cell, validation = self._sheet.cells[place], self._sheet.validation(place)
        unlocked = self._sheet.is_protected and not self._workbook.style(cell.style).locked
        return unlocked or (validation is not None and validation.type != "none")

    def _is_framed(self, place: Place) -> bool:
        cell = self._sheet.cells.get(place)
        return place in self._sheet.anchors or bool(cell and self._workbook.style(cell.style).framed)

    def _beside(self, place: Place, places: list[Place]) -> str:
        """What is asked in a cell that no header and no label explains: what its row and its column say."""
        before = [p for p in places if p.column < place.column and self._sheet.text(p).strip()]
        nearest = [*(p for p in reversed(before) if _WORD.search(self._sheet.text(p))), *reversed(before)]
        asking = next(iter(nearest), None)
        label = self._sheet.text(asking).strip().rstrip(" :") if asking else ""
        if asking and self._sheet.right_of(asking) == place:
            return label
        above = self._last_above.get(place.column, "").rstrip(" :")
        return ": ".join(filter(None, [label, above if above != label else ""]))

    def _field(self, place: Place, asked: _Asked) -> Found[CellSpot]:
        cell, validation = self._sheet.cells.get(place), self._sheet.validation(place)
        allowed = self._allowed(validation)
        kind = Kind.CHOICE if allowed else self._kind(place, validation)
        hint = validation.hint if validation else ""
        current = cell.text.strip() if cell else ""
        field = Field(
            id="",
            place=f"{self._sheet.name}!{place}",
            group=asked.group,
            question=line(asked.question),
            kind=kind,
            allowed=allowed,
            suggested=() if kind is not Kind.TEXT else offered(asked.header or asked.question),
            limit=_length(validation) or stated_limit(asked.question, asked.header, hint, current),
            current=line(current),
            confidence=asked.confidence,
        )
        return Found(field, CellSpot(self._sheet, place))

    def _allowed(self, validation: Validation | None) -> tuple[str, ...]:
        is_list = validation is not None and validation.type == "list"
        return self._workbook.allowed(self._sheet, validation) if validation and is_list else ()

    def _kind(self, place: Place, validation: Validation | None) -> Kind:
        cell = self._sheet.cells.get(place)
        style = self._workbook.style(cell.style if cell else 0)
        if (validation and validation.type == "date") or style.shows_date:
            return Kind.DATE
        return Kind.NUMBER if (validation and validation.type in _NUMBERS) or style.shows_number else Kind.TEXT


def offered(header: str) -> tuple[str, ...]:
    """The answers that a header offers: Compliant (Full/Partial/None)."""
    found = _CHOICES.search(header)
    return tuple(part.strip() for part in (found[1] or found[2]).split("/")) if found else ()


def _length(validation: Validation | None) -> Limit | None:
    """The limit that a rule for the length of a text sets, if it sets one in figures."""
    if validation is None or validation.type != "textLength":
        return None
    most = validation.second if validation.operator == "between" else validation.first
    if validation.operator not in ("between", "lessThan", "lessThanOrEqual", "equal") or not most.strip().isdigit():
        return None
    return Limit(int(most) - (validation.operator == "lessThan"), Unit.CHARACTERS)
