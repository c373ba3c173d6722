"""A sheet: its cells, validations and merged areas; references such as B7 and $B$2:$B$6, counted from 1."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from lxml import etree
from openpyxl.utils import column_index_from_string, get_column_letter

from stemma_forms.field import UnreadableForm

LAST_ROW, LAST_COLUMN = 1_048_576, 16_384
_CELL = re.compile(r"\$?([A-Za-z]{1,3})\$?([0-9]{1,7})")
_COLUMNS = re.compile(r"\$?([A-Za-z]{1,3}):\$?([A-Za-z]{1,3})")
_OF_SHEET = re.compile(r"(?:'((?:[^']|'')+)'|([^'!,]+))!(.+)")
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
S = f"{{{MAIN}}}"
X14 = "{http://schemas.microsoft.com/office/spreadsheetml/2009/9/main}"
XM = "{http://schemas.microsoft.com/office/excel/2006/main}"
MOST_CELLS = 400_000
MOST_COVERED = 500_000
# How often a cell is held against an area of cells: ten seconds of work at the most.
MOST_COMPARISONS = 50_000_000


class Place(NamedTuple):
    """A cell: its row and its column."""

    row: int
    column: int

    def __str__(self) -> str:
        return f"{get_column_letter(self.column)}{self.row}"


@dataclass(frozen=True)
class Area:
    """A rectangle of cells, both corners included."""

    first: Place
    last: Place

    def __contains__(self, place: Place) -> bool:
        return self.first.row <= place.row <= self.last.row and self.first.column <= place.column <= self.last.column


def read_place(text: str) -> Place | None:
    """The cell that a reference names; None if there is no such cell."""
    found = _CELL.fullmatch(text.strip())
    if not found:
        return None
    place = Place(int(found[2]), column_index_from_string(found[1]))
    return place if 1 <= place.row <= LAST_ROW and place.column <= LAST_COLUMN else None


def read_area(text: str) -> Area | None:
    """The area that a reference names, also whole columns; None if there is no such area."""
    if columns := _COLUMNS.fullmatch(text.strip()):
        left, right = map(column_index_from_string, columns.groups())
        return Area(Place(1, left), Place(LAST_ROW, min(right, LAST_COLUMN)))
    first, _, last = text.partition(":")
    start, end = read_place(first), read_place(last or first)
    return Area(start, end) if start and end else None


def split_sheet(reference: str) -> tuple[str | None, str]:
    """The sheet that a reference names, if it names one, and the rest."""
    found = _OF_SHEET.fullmatch(reference.strip())
    if not found:
        return None, reference.strip()
    return (found[1] or found[2]).replace("''", "'").strip(), found[3]


@dataclass(frozen=True)
class Cell:
    """What a cell holds; its text as people see it, but for numbers, which are as they are stored."""

    text: str
    style: int
    has_formula: bool


@dataclass(frozen=True)
class Validation:
    """What Excel accepts in some cells; ``hint`` is what it tells people there."""

    type: str
    operator: str
    first: str
    second: str
    hint: str


@dataclass
class Sheet:
    """A sheet; ``anchors`` are the merged areas by their first cell, ``covered`` the cells that merging hides."""

    name: str
    part: str
    root: etree._Element
    cells: dict[Place, Cell]
    is_protected: bool
    anchors: dict[Place, Area] = field(default_factory=dict)
    covered: set[Place] = field(default_factory=set)
    single: dict[Place, Validation] = field(default_factory=dict)
    several: list[tuple[Area, Validation]] = field(default_factory=list)

    @property
    def last_row(self) -> int:
        return max((place.row for place in self.cells), default=0)

    def text(self, place: Place) -> str:
        cell = self.cells.get(place)
        return cell.text if cell else ""

    def right_of(self, place: Place) -> Place:
        """The cell to the right of a cell, or of the merged area that it begins."""
        area = self.anchors.get(place)
        return Place(place.row, (area.last.column if area else place.column) + 1)

    def below(self, place: Place) -> Place:
        area = self.anchors.get(place)
        return Place((area.last.row if area else place.row) + 1, place.column)

    def validation(self, place: Place) -> Validation | None:
        if found := self.single.get(place):
            return found
        return next((validation for area, validation in self.several if place in area), None)


def read_sheet(name: str, part: str, root: etree._Element, shared: Sequence[str]) -> Sheet:
    """The sheet that a part holds; one with more than can be looked through is refused."""
    cells = dict(_cells(root, shared))
    protection = root.find(f"{S}sheetProtection")
    is_protected = protection is not None and protection.get("sheet", "0") in ("1", "true")
    sheet = Sheet(name, part, root, cells, is_protected)
    _merge(sheet)
    _validate(sheet)
    return sheet


def cell_text(element: etree._Element, shared: Sequence[str]) -> str:
    """The text of a cell: a shared string, a string in the cell, or a stored value; an error of a formula is none."""
    if element.get("t") == "inlineStr":
        return rich_text(element)
    if element.get("t") == "e":
        return ""
    value = element.findtext(f"{S}v") or ""
    if element.get("t") == "s":
        return shared[int(value)] if value.isdigit() and int(value) < len(shared) else ""
    return value


def rich_text(element: etree._Element) -> str:
    """The text of a string with its formatted pieces, without the readings that East Asian text may have."""
    texts = element.iter(f"{S}t")
    return "".join(t.text or "" for t in texts if (up := t.getparent()) is None or up.tag != f"{S}rPh")


def _cells(root: etree._Element, shared: Sequence[str]) -> Iterator[tuple[Place, Cell]]:
    row, number = 0, 0
    for element in root.iter(f"{S}row", f"{S}c"):
        if element.tag == f"{S}row":
            row, column = int(element.get("r", row + 1)), 0
            continue
        number += 1
        if number > MOST_CELLS:
            raise UnreadableForm(f"The form has more than {MOST_CELLS} cells.")
        place = read_place(element.get("r", "")) or Place(row, column + 1)
        column = place.column
        style = element.get("s", "0")
        has_formula = element.find(f"{S}f") is not None
        yield place, Cell(cell_text(element, shared), int(style) if style.isdigit() else 0, has_formula)


def _merge(sheet: Sheet) -> None:
    width = max((place.column for place in sheet.cells), default=0) + 1
    height = sheet.last_row + 1
    for element in sheet.root.iter(f"{S}mergeCell"):
        if area := read_area(element.get("ref", "")):
            sheet.anchors[area.first] = area
            rows = range(area.first.row, min(area.last.row, height) + 1)
            columns = range(area.first.column, min(area.last.column, width) + 1)
            if len(sheet.covered) + len(rows) * len(columns) > MOST_COVERED:
                raise UnreadableForm(f"The sheet {sheet.name} has too many merged cells.")
            sheet.covered.update(Place(row, column) for row in rows for column in columns)
    sheet.covered -= sheet.anchors.keys()


def _validate(sheet: Sheet) -> None:
    for areas, validation in _validations(sheet.root):
        for area in filter(None, map(read_area, areas.split())):
            if area.first == area.last:
                sheet.single.setdefault(area.first, validation)
            else:
                sheet.several.append((area, validation))
    if len(sheet.several) * len(sheet.cells) > MOST_COMPARISONS:
        raise UnreadableForm(f"The sheet {sheet.name} has too many areas with rules for what may be entered.")


def _validations(root: etree._Element) -> Iterator[tuple[str, Validation]]:
    for element in root.iter(f"{S}dataValidation"):
        yield element.get("sqref", ""), _validation(element, *(element.findtext(f"{S}formula{n}") for n in (1, 2)))
    for element in root.iter(f"{X14}dataValidation"):
        formulas = (element.findtext(f"{X14}formula{n}/{XM}f") for n in (1, 2))
        yield element.findtext(f"{XM}sqref") or "", _validation(element, *formulas)


def _validation(element: etree._Element, first: str | None = None, second: str | None = None) -> Validation:
    hint = " ".join(element.get(name, "") for name in ("promptTitle", "prompt", "error"))
    return Validation(
        element.get("type", "none"), element.get("operator", "between"), first or "", second or "", hint.strip()
    )
