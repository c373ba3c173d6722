"""XLSX: the values of formulas as they were stored, sheet by sheet."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from itertools import zip_longest
from typing import Any

from openpyxl import load_workbook

from . import escaping
from .composing import Composer
from .errors import Unreadable
from .kinds import open_package
from .ranges import Row, cell_range, in_sheet, put_table
from .sheet_parts import SheetParts, parts_of_sheets

_CURRENCY = re.compile(r"\[\$([^\[\]-]++)[^\[\]]*+\]|([€$£¥])")
_QUOTED = re.compile(r'"([^"]*)"|\\(.)')
_ERROR = re.compile(r"#(?:REF!|DIV/0!|N/A|NAME\?|NULL!|NUM!|VALUE!|SPILL!|CALC!)")
# Blank cells that are only formatted cost time, but are nothing that is read.
_SCANNED = 20


@dataclass(frozen=True)
class _Cell:
    column: int
    text: str
    is_number: bool = False


_Line = tuple[int, list[_Cell]]


def read_workbook(content: bytes, composer: Composer) -> None:
    """Every sheet with something in it: its tables, then its comments and images. Raises `Unreadable`."""
    package = open_package(content, composer.limits)
    package.refuse_entities()
    try:
        values = load_workbook(BytesIO(content), read_only=True, data_only=True)
        formulas = load_workbook(BytesIO(content), read_only=True)
        left = composer.limits.cells
        for name, parts in parts_of_sheets(package).items():
            if name in values.sheetnames and hasattr(values[name], "reset_dimensions"):
                left = _read_sheet(name, values[name], formulas[name], parts, composer, left)
    except (KeyError, ValueError, TypeError, AttributeError, IndexError, OSError, SyntaxError, EOFError):
        raise Unreadable("damaged", kind="XLSX") from None


def _read_sheet(name: str, values: Any, formulas: Any, parts: SheetParts, composer: Composer, left: int) -> int:
    """Read a sheet, of which ``left`` cells may be read; gives how many are left for the next."""
    lines: list[_Line] = []
    for line in _lines(name, values, formulas, composer, left * _SCANNED):
        left -= len(line[1])
        if left < 0:
            words = f"Only the first {composer.limits.cells} cells of the workbook were read."
            composer.warn("cells_left_out", name, words)
            break
        lines.append(line)
    if lines or parts.pictures:
        composer.heading(2, escaping.inline(name))
        _put_sheet(name, lines, composer)
        parts.put(name, composer)
    return max(left, 0)


def _lines(name: str, values: Any, formulas: Any, composer: Composer, most: int) -> Iterator[_Line]:
    """The rows that hold something, with the cells that do."""
    values.reset_dimensions()
    formulas.reset_dimensions()
    for number, (row, written) in enumerate(zip(values.iter_rows(), formulas.iter_rows(), strict=False), 1):
        most -= len(row) + 1
        if most < 0:
            composer.warn("cells_left_out", name, "The sheet is too wide or too long; the rest of it was left out.")
            return
        pairs = enumerate(zip_longest(row, written), 1)
        cells = [_cell(name, number, column, *pair, composer) for column, pair in pairs]
        if found := [cell for cell in cells if cell.text]:
            yield number, found


def _cell(sheet: str, row: int, column: int, cell: Any, written: Any, composer: Composer) -> _Cell:
    value, formula = getattr(cell, "value", None), getattr(written, "value", None)
    place = in_sheet(sheet, cell_range(row, column, row, column))
    if value is None and formula is not None:
        composer.warn("formula_without_value", place, "The formula was never calculated; it is shown itself.")
        return _Cell(column, escaping.one_line(str(getattr(formula, "text", formula))))
    if isinstance(value, str):
        if _ERROR.fullmatch(value):
            composer.warn("formula_error", place, f"The cell holds the error {value}.")
        return _Cell(column, escaping.clean(value).strip())
    return _Cell(column, shown(value, getattr(cell, "number_format", "") or ""), is_number=value is not None)


def shown(value: object, number_format: str = "General") -> str:
    """A value as text: numbers in full, with the percent or currency of their format, dates as in ISO 8601."""
    match value:
        case None:
            return ""
        case bool():
            return "TRUE" if value else "FALSE"
        case int() | float():
            return _number(value, number_format.split(";")[0])
        case dt.datetime():
            return value.isoformat(" ", "minutes" if value.second == 0 else "seconds").removesuffix(" 00:00")
        case dt.date() | dt.time():
            return value.isoformat()
        case _:
            return escaping.clean(str(value)).strip()


def _number(value: float, number_format: str) -> str:
    if "%" in _QUOTED.sub("", number_format):
        return f"{value * 100:.15g}%"
    digits = f"{value:.15g}" if isinstance(value, float) else str(value)
    plain = _QUOTED.sub(r"\1\2", number_format)
    if not (found := _CURRENCY.search(plain)):
        return digits
    sign = found[1] or found[2]
    before = found.start() < min((plain.find(digit) for digit in "0#" if digit in plain), default=0)
    return f"{sign}{digits}" if before and len(sign) == 1 else f"{digits} {sign}"


def _put_sheet(name: str, lines: list[_Line], composer: Composer) -> None:
    for region in _regions(lines):
        titles, table = _without_titles(region)
        for number, [title] in titles:
            composer.anchor("sheet", in_sheet(name, cell_range(number, title.column, number, title.column)))
            composer.paragraph(escaping.inline(title.text))
        if table:
            left = min(cell.column for _, cells in table for cell in cells)
            put_table(composer, name, [Row(number, _values(cells, left)) for number, cells in table], left)


def _regions(lines: list[_Line]) -> Iterator[list[_Line]]:
    """Rows that belong together: an empty one divides them unless the table goes on behind it."""
    region: list[_Line] = []
    for line in lines:
        if region and line[0] > region[-1][0] + 1 and not _goes_on(region, line):
            yield region
            region = []
        region.append(line)
    if region:
        yield region


def _goes_on(region: list[_Line], line: _Line) -> bool:
    """Whether a row behind an empty one is data of the table before: it has numbers, and lies in its columns."""
    columns = {cell.column for _, cells in region for cell in cells}
    inside = min(columns) <= line[1][0].column and line[1][-1].column <= max(columns)
    return inside and line[0] == region[-1][0] + 2 and any(cell.is_number for cell in line[1])


def _without_titles(region: list[_Line]) -> tuple[list[_Line], list[_Line]]:
    """The rows with one cell that stand above a table, and the table."""
    first = next((i for i, (_, cells) in enumerate(region) if len(cells) > 1), len(region))
    return region[:first], region[first:]


def _values(cells: list[_Cell], left: int) -> list[str]:
    values = [""] * (cells[-1].column - left + 1)
    for cell in cells:
        values[cell.column - left] = cell.text
    return values
