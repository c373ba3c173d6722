"""Tables, JSON and YAML as Markdown: so an agent reads them, and so they stand in the document."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from stemma_evidence import rows_of

JSON = "application/json"
TABLES = ("text/csv", JSON)
CODE = (".yaml", ".yml", ".log")
"""How names of plain texts end in which a ``#`` begins no heading."""

_BACKTICKS = re.compile("`+")
_MARKUP = re.compile(r"([\\\\|`*<>\[\]]|(?<![^\W_])_|_(?![^\W_]))")


def is_code(name: str) -> bool:
    """Whether a plain text of this name means nothing as Markdown."""
    return name.casefold().endswith(CODE)


def as_code(text: str) -> str:
    """The text between fences."""
    fence = "`" * max(3, 1 + max(map(len, _BACKTICKS.findall(text)), default=0))
    return f"{fence}\n{text.rstrip()}\n{fence}\n"


def as_tables(text: str, media_type: str) -> str:
    """The rows as tables; rows with the same names of columns stand in one."""
    rows = [cells for _, cells in rows_of(text, media_type)]
    by_names = groupby(rows, key=lambda cells: tuple(name for name, _ in cells))
    return "\n".join(
        "\n".join(_table(names, [[cell for _, cell in row] for row in group])) for names, group in by_names
    )


def _table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield _row(names)
    yield _row(["---"] * len(names), escape=False)
    yield from map(_row, rows)
    yield ""


def _row(cells: Sequence[str], *, escape: bool = True) -> str:
    shown = [_MARKUP.sub(r"\\\1", " ".join(cell.split())) if escape else cell for cell in cells]
    return f"| {' | '.join(shown)} |"
