"""The columns of a table: alignment, and widths from what its cells hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .tree import Node, node, plain

# In characters of the size that tables are set in.
_PAGE, _NARROW, _UNBROKEN, _WIDE, _PADDING = 95, 4, 18, 60, 4


def with_columns(table: Node) -> Node:
    """The table as wide as the page, each column with the share that its text needs.

    Markdown asks for a header also where there is none: an empty one is dropped.
    """
    attributes, caption, columns, head, bodies, foot = table["c"]
    head = head if plain(head[1]).strip() else [head[0], []]
    rows = [*head[1], *(row for body in bodies for row in (*body[2], *body[3])), *foot[1]]
    cells = [[plain(row[1][i][4]).strip() for row in rows if i < len(row[1])] for i in range(len(columns))]
    widths = column_shares(cells)
    columns = [[_alignment(align), node("ColWidth", width)] for (align, _), width in zip(columns, widths, strict=True)]
    return node("Table", attributes, caption, columns, head, bodies, foot)


def with_cells(table: Node, edit: Callable[[int, list[Node]], list[Node]]) -> Node:
    """The table with other blocks in its cells, from the number of their column (from 0) and what they hold."""

    def rows(old: list[Any]) -> list[Any]:
        return [
            [attrs, [[*cell[:4], edit(column, cell[4])] for column, cell in enumerate(cells)]] for attrs, cells in old
        ]

    attributes, caption, columns, head, bodies, foot = table["c"]
    bodies = [[*body[:2], rows(body[2]), rows(body[3])] for body in bodies]
    return node("Table", attributes, caption, columns, [head[0], rows(head[1])], bodies, [foot[0], rows(foot[1])])


def column_shares(cells: list[list[str]]) -> list[float]:
    """The share of each column in the width of the page, from the text of its cells.

    Every column gets what it cannot do without; what is left goes to those that have more to say.
    """
    least = [_least(column) for column in cells]
    more = [max(0.0, _wish(column) - enough) for column, enough in zip(cells, least, strict=True)]
    spare = max(0, _PAGE - sum(least)) / sum(more) if any(more) else 0
    needs = [enough + spare * wish for enough, wish in zip(least, more, strict=True)]
    return [round(need / sum(needs), 4) for need in needs]


def _least(column: list[str]) -> int:
    """Room for the longest word, and for short lines as a whole."""
    word = max((len(word) for cell in column for word in cell.split()), default=0)
    line = max((len(cell) for cell in column), default=0)
    return max(_NARROW, min(word, _WIDE // 2), min(line, _UNBROKEN)) + _PADDING


def _wish(column: list[str]) -> float:
    line = max((len(cell) for cell in column), default=0)
    average = sum(len(cell) for cell in column) / max(1, len(column))
    return min(_WIDE, (line + average) / 2)


def _alignment(align: Node) -> Node:
    return node("AlignLeft") if align["t"] == "AlignDefault" else align
