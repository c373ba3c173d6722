"""A workbook: its sheets in their order with their cells, validations and merged areas, and the answers allowed.

References such as B7 and $B$2:$B$6 are counted from 1.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from lxml import etree
from openpyxl.utils import column_index_from_string, get_column_letter
from stemma_ooxml import Package, worksheets

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

    def style(self, place: Place) -> int:
        cell = self.cells.get(place)
        return cell.style if cell else 0

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


_GENERAL, _TEXT = 0, 49
_DATES = {*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)}
_NOT_SHOWN = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]')


@dataclass(frozen=True)
class Style:
    """``framed``: a border or a fill shows the cell as a box to write in."""

    locked: bool = True
    shows_date: bool = False
    shows_number: bool = False
    framed: bool = False


PLAIN = Style()


def read_styles(root: etree._Element | None) -> tuple[Style, ...]:
    """The styles of a workbook in the order by which cells name them."""
    if root is None:
        return ()
    codes = {f.get("numFmtId", ""): f.get("formatCode", "") for f in root.iter(f"{S}numFmt")}
    formats = root.find(f"{S}cellXfs")
    return () if formats is None else tuple(_style(xf, codes) for xf in formats.iter(f"{S}xf"))


def _style(xf: etree._Element, codes: dict[str, str]) -> Style:
    protection = xf.find(f"{S}protection")
    number = xf.get("numFmtId", "0")
    is_date = _is_date(number, codes.get(number))
    return Style(
        locked=protection is None or protection.get("locked", "1") in ("1", "true"),
        shows_date=is_date,
        shows_number=not is_date and number not in (str(_GENERAL), str(_TEXT)),
        framed=xf.get("borderId", "0") != "0" or xf.get("fillId", "0") not in ("0", "1"),
    )


def _is_date(number: str, code: str | None) -> bool:
    if code is None:
        return number.isdigit() and int(number) in _DATES
    return bool(re.search(r"[dmyh]", _NOT_SHOWN.sub("", code).casefold()))


MOST_SHEETS = 200
# Lists of answers longer than this are data, not a choice.
MOST_ALLOWED = 500


class Workbook:
    """The sheets that people see, in ``sheets``; hidden ones are read for the lists that they hold."""

    def __init__(self, package: Package) -> None:
        self.package = package
        self.root = package.xml(package.main)
        if self.root.tag != f"{S}workbook":
            raise UnreadableForm(f"The workbook is not in the usual form of XLSX ({MAIN}). Save it as XLSX again.")
        shared = self._shared()
        self._styles = read_styles(self._single("styles"))
        parts = worksheets(package)
        if len(parts) > MOST_SHEETS:
            raise UnreadableForm(f"The form has more than {MOST_SHEETS} sheets.")
        every = [(read_sheet(name, part, package.xml(part), shared), seen) for name, part, seen in parts]
        if sum(len(sheet.cells) for sheet, _ in every) > MOST_CELLS:
            raise UnreadableForm(f"The form has more than {MOST_CELLS} cells.")
        self._by_name = {sheet.name: sheet for sheet, _ in every}
        self.sheets = tuple(sheet for sheet, seen in every if seen)

    @cached_property
    def counts_from_1904(self) -> bool:
        properties = self.root.find(f"{S}workbookPr")
        return properties is not None and properties.get("date1904", "0") in ("1", "true")

    @property
    def has_formulas(self) -> bool:
        return any(cell.has_formula for sheet in self._by_name.values() for cell in sheet.cells.values())

    def style(self, number: int) -> Style:
        return self._styles[number] if number < len(self._styles) else PLAIN

    def allowed(self, sheet: Sheet, validation: Validation) -> tuple[str, ...]:
        """The answers of a list: written out, in cells, or behind a name; empty if only Excel can work them out."""
        formula = validation.first.strip().removeprefix("=")
        if formula.startswith('"') and formula.endswith('"'):
            return _distinct(formula[1:-1].replace('""', '"').split(","))
        return self._listed(sheet.name, self._names.get(formula.casefold(), formula))

    @cached_property
    def sheets_of_lists(self) -> frozenset[str]:
        """Sheets without rules of their own from whose cells the rules of others take their lists."""
        rules = {s.name: [*s.single.values(), *(rule for _, rule in s.several)] for s in self._by_name.values()}
        lists = {rule.first.strip().removeprefix("=") for own in rules.values() for rule in own if rule.type == "list"}
        named = {split_sheet(self._names.get(formula.casefold(), formula))[0] for formula in lists}
        return frozenset(name for name in named if name and not rules.get(name))

    @cached_property
    def _names(self) -> dict[str, str]:
        return {n.get("name", "").casefold(): (n.text or "").strip() for n in self.root.iter(f"{S}definedName")}

    def _listed(self, here: str, reference: str) -> tuple[str, ...]:
        name, cells = split_sheet(reference)
        sheet, area = self._by_name.get(name or here), read_area(cells)
        if sheet is None or area is None:
            return ()
        rows = range(area.first.row, min(area.last.row, sheet.last_row, area.first.row + MOST_ALLOWED) + 1)
        columns = range(
            area.first.column, min(area.last.column, area.first.column + MOST_ALLOWED // len(rows or [1])) + 1
        )
        return _distinct(sheet.text(Place(row, column)) for row in rows for column in columns)

    def _shared(self) -> list[str]:
        root = self._single("sharedStrings")
        return [] if root is None else [rich_text(item) for item in root.iter(f"{S}si")]

    def _single(self, kind: str) -> etree._Element | None:
        part = dict(self.package.related(self.package.main).values()).get(kind)
        return self.package.xml(part) if part else None


def _distinct(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value.strip() for value in values if value.strip()))
