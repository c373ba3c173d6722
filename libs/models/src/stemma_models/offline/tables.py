"""Tables of Markdown documents: read, judged and written again in one clean form."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .plain import has_address, plain, safe

_DELIMITER = re.compile(r"^\s*\|?\s*:?-{1,}:?\s*(?:\|\s*:?-{1,}:?\s*)*\|?\s*$")
_CELLS = re.compile(r"(?<!\\)\|")
_NUMERIC = re.compile(r"^[^\w]*[\d.,\s]+\W*\w{0,3}$")
MOST_ROWS = 40
MOST_COLUMNS = 8
LONGEST_CELL = 240


@dataclass(frozen=True)
class Table:
    """A table with plain cells; every row has as many cells as the header."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def text(self) -> str:
        return " | ".join(" | ".join(row) for row in (self.header, *self.rows))


def starts_table(lines: list[str], index: int) -> bool:
    """Whether a header and a delimiter row begin at this line."""
    if index + 1 >= len(lines) or "|" not in lines[index]:
        return False
    delimiter = lines[index + 1]
    return len(delimiter) < 1000 and "-" in delimiter and "|" in delimiter and _DELIMITER.match(delimiter) is not None


def read_table(lines: list[str], index: int) -> tuple[Table | None, int]:
    """The table that begins at a line, or None if it is not fit to be shown, and the line after it."""
    end = index + 2
    while end < len(lines) and "|" in lines[end]:
        end += 1
    header = _cells(lines[index])
    rows = tuple(_fit(_cells(line), len(header)) for line in lines[index + 2 : end])
    table = Table(header, tuple(row for row in rows if any(row)))
    return (table if _fit_to_show(table) else None), end


def _cells(line: str) -> tuple[str, ...]:
    line = line.strip()
    parts = _CELLS.split(line[1:] if line.startswith("|") else line)
    if len(parts) > 1 and not parts[-1].strip():
        parts.pop()
    return tuple(plain(part.replace("\\|", "|")) for part in parts)


def _fit(cells: tuple[str, ...], width: int) -> tuple[str, ...]:
    return (*cells, *[""] * width)[:width]


def _fit_to_show(table: Table) -> bool:
    cells = [*table.header, *(cell for row in table.rows for cell in row)]
    return (
        2 <= len(table.header) <= MOST_COLUMNS
        and 1 <= len(table.rows) <= MOST_ROWS
        and all(table.header[1:])
        and all(len(cell) <= LONGEST_CELL and not has_address(cell) for cell in cells)
    )


def write_table(table: Table) -> str:
    """The table as Markdown; columns of numbers are aligned to the right."""
    numeric = [_is_numeric(column) for column in zip(*table.rows, strict=True)]
    delimiter = ["---:" if right else "---" for right in numeric]
    rows = [_row(table.header), f"| {' | '.join(delimiter)} |", *map(_row, table.rows)]
    return "\n".join(rows)


def _row(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(map(safe, cells))} |".replace("|  |", "| |")


def _is_numeric(column: tuple[str, ...]) -> bool:
    filled = [cell for cell in column if cell]
    return bool(filled) and all(_NUMERIC.match(cell) for cell in filled)
