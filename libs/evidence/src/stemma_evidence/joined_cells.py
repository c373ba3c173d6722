"""The rows of a table in which cells are joined, each cell under the head that it stands under."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

LEFT, ABOVE = "←", "↑"
"""In place of what a cell to the left, or above, says of this place as well: its words again would count twice."""
_MOST_COLUMNS, _MOST_ROWS = 100, 65_534

JoinedCell = tuple[str, Mapping[str, str]]
"""The words of a cell and its attributes as HTML has them, of which ``colspan`` and ``rowspan`` count."""


def placed(rows: Iterable[Sequence[JoinedCell]]) -> Iterator[list[str]]:
    """The rows with a text for each column; one cell of the head that reaches over several columns heads each."""
    reaching: dict[int, tuple[int, str]] = {}
    for number, row in enumerate(rows):
        line = {column: mark for column, (_, mark) in reaching.items()}
        reaching = {column: (left - 1, mark) for column, (left, mark) in reaching.items() if left > 1}
        column = 0
        for words, attributes in row:
            while column in line:
                column += 1
            width = _span(attributes.get("colspan"), _MOST_COLUMNS)
            height = _span(attributes.get("rowspan"), _MOST_ROWS)
            again = words if not number else LEFT
            for at in range(column, column + width):
                line[at] = words if at == column else again if words.strip() and len(row) > 1 else ""
                if height > 1:
                    reaching[at] = height - 1, ABOVE if line[at].strip() else ""
        yield [line.get(at, "") for at in range(max(line, default=-1) + 1)]


def _span(written: str | None, most: int) -> int:
    """How far a cell reaches; without a number that HTML allows it stands for itself, and 0 is as far as it goes."""
    number = (written or "").strip()
    if not (number.isascii() and number.isdecimal()) or len(number) > len(str(most)):
        return 1
    return min(int(number), most) or (most if most == _MOST_ROWS else 1)
