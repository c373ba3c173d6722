"""A workbook: its sheets in their order, and the answers that its validations allow."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from lxml import etree
from stemma_ooxml import Package, worksheets

from stemma_forms.field import UnreadableForm

from .sheet import MAIN, MOST_CELLS, Place, S, Sheet, Validation, read_area, read_sheet, rich_text, split_sheet

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
