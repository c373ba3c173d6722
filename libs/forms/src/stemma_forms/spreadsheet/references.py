"""References such as B7, $B$2:$B$6 and 'Allowed answers'!A1:A3, rows and columns counted from 1."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from openpyxl.utils import column_index_from_string, get_column_letter

LAST_ROW, LAST_COLUMN = 1_048_576, 16_384
_CELL = re.compile(r"\$?([A-Za-z]{1,3})\$?([0-9]{1,7})")
_COLUMNS = re.compile(r"\$?([A-Za-z]{1,3}):\$?([A-Za-z]{1,3})")
_OF_SHEET = re.compile(r"(?:'((?:[^']|'')+)'|([^'!,]+))!(.+)")


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
