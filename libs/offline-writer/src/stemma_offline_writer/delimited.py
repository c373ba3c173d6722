"""Tables in files of values between commas, semicolons, tabs or bars."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from .material import Place, Table, table_of

DELIMITERS = ",;\t|"
SAMPLE_LINES = 50


def read_delimited(place: Place, text: str) -> Iterator[Table]:
    """The table of a file, its first row being the head; none if there is but a head."""
    try:
        rows = [row for row in csv.reader(io.StringIO(text), delimiter=_delimiter(text)) if any(map(str.strip, row))]
    except csv.Error:
        rows = [[line] for line in text.splitlines() if line.strip()]
    yield from table_of(place, rows)


def _delimiter(text: str) -> str:
    """The mark that cuts most lines into the same number of values, more than one.

    A decimal comma cuts, too; but then the semicolon or the tab cuts all lines alike.
    """
    lines = [line for line in text.splitlines() if line.strip()][:SAMPLE_LINES]

    def agreement(mark: str) -> tuple[float, int]:
        try:
            widths = [len(row) for row in csv.reader(lines, delimiter=mark)]
        except csv.Error:
            return 0.0, 0
        head = widths[0] if widths else 1
        return (sum(width == head for width in widths) / len(widths) if head > 1 else 0.0), -DELIMITERS.index(mark)

    return max(DELIMITERS, key=agreement)
