"""Tables of sheets, with the ranges of cells that they stand in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from openpyxl.utils import get_column_letter

from . import escaping
from .composing import Composer

_ROWS_EACH = 50


@dataclass(frozen=True)
class Row:
    """A row of a sheet: its number there, and its values from a column on that the whole table shares."""

    number: int
    values: Sequence[str]


def put_table(composer: Composer, sheet: str, rows: Sequence[Row], left: int = 1) -> None:
    """A table whose first column is ``left``, with an anchor at its beginning and every 50 rows.

    Rows that are shorter than the longest are filled up.
    """
    width = max((len(row.values) for row in rows), default=0)
    starts = composer.table([[escaping.inline(value) for value in row.values] for row in rows])
    for first in range(0, len(starts), _ROWS_EACH):
        last = min(first + _ROWS_EACH, len(starts)) - 1
        cells = cell_range(rows[first].number, left, rows[last].number, left + width - 1)
        composer.anchor("sheet", in_sheet(sheet, cells), at=starts[first])


def in_sheet(sheet: str, cells: str) -> str:
    """Cells of a sheet, as in formulas."""
    plain = sheet.replace("_", "").isalnum()
    return cells if not sheet else f"{sheet}!{cells}" if plain else "'{}'!{}".format(sheet.replace("'", "''"), cells)


def cell_range(top: int, left: int, bottom: int, right: int) -> str:
    """A range such as ``A1:D20``; one cell is ``A1``."""
    first, last = f"{get_column_letter(left)}{top}", f"{get_column_letter(right)}{bottom}"
    return first if first == last else f"{first}:{last}"
