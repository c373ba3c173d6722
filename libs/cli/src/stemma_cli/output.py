"""Printing. What came from outside never reaches a terminal as control sequence or as markup."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

# Rich is imported where something is printed by it: it takes as long to load as all else that a help needs.
if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table
    from rich.tree import Tree

T = TypeVar("T")
PIPE_WIDTH = 2_000
GAP = 2
_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor, erasing
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"  # OSC, DCS and their like, with text
    r"|\x1b[ -/]*[0-~]?"
    r"|\x9b[0-?]*[ -/]*[@-~]"
)


def clean(text: str) -> str:
    """The text without escape sequences and what else is unseen or turns the direction; lines and tabs stay."""
    # Contracts take longer to load than help does, which prints nothing of this.
    from stemma_contracts.shown import shown

    return shown(_ESCAPES.sub("", text.replace("\r\n", "\n")))


def clean_line(text: str) -> str:
    return " ".join(clean(text).split())


def console(*, stderr: bool = False, width: int | None = None) -> Console:
    from rich.console import Console

    return Console(stderr=stderr, width=width, markup=False, highlight=False, emoji=False)


def rendered(text: str) -> RenderableType:
    # What reads Markdown takes longer to load than most verbs.
    from .rendering import markdown

    return markdown.rendered(clean(text))


def say_tree(tree: Tree) -> None:
    """A tree; folded at the width of a terminal, a line for each line in a pipe."""
    console(width=None if sys.stdout.isatty() else PIPE_WIDTH).print(tree)


def say(text: str) -> None:
    print(clean_line(text))


def note(text: str) -> None:
    """One line on stderr: hints, warnings, progress."""
    print(clean_line(text), file=sys.stderr)


def say_json(value: Any) -> None:
    """One line of JSON on stdout, of contracts and views as they are; whatever is not ASCII is escaped."""
    from pydantic import TypeAdapter

    print(json.dumps(TypeAdapter(Any).dump_python(value, mode="json")))


def reply(value: Any, *lines: str, as_json: bool) -> None:
    """What a verb has done: a value for programs, else lines."""
    if as_json:
        say_json(value)
        return
    for line in lines:
        say(line)


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    from rich.table import Table
    from rich.text import Text

    made = Table(box=None, pad_edge=False, header_style="bold")
    for number, column in enumerate(columns):
        made.add_column(column, overflow="fold", no_wrap=number == 0)
    for row in rows:
        made.add_row(*(Text(clean_line(cell)) for cell in row))
    return made


def say_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    if rows and sys.stdout.isatty():
        screen = console()
        screen.print(fitting(columns, [[clean_line(cell) for cell in row] for row in rows], screen.width))
        return
    for row in rows:
        print("\t".join(clean_line(cell) for cell in row))


def say_rows(columns: Mapping[str, Callable[[T], str]], values: Sequence[T], *, as_json: bool = False) -> None:
    if as_json:
        say_json(values)
    else:
        say_table([*columns], [[cell(value) for cell in columns.values()] for value in values])


def fitting(columns: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> RenderableType:
    """A table of what is there; a block of lines for each row where words would have to be broken."""
    used = [number for number in range(len(columns)) if number == 0 or any(row[number] for row in rows)]
    shown = [columns[number] for number in used], [[row[number] for number in used] for row in rows]
    return table(*shown) if _narrowest(*shown) <= width else _blocks(*shown)


def _narrowest(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
    """Columns of the screen that a table takes when the first cell of a row stays on a line, and every word whole."""
    from rich.cells import cell_len

    first = max(cell_len(cells[0]) for cells in (columns, *rows))
    rest = zip(*(cells[1:] for cells in (columns, *rows)), strict=True)
    return first + sum(GAP + max(cell_len(word) for cell in cells for word in cell.split()) for cells in rest)


def _blocks(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> RenderableType:
    from rich.console import Group
    from rich.padding import Padding
    from rich.text import Text

    blocks: list[RenderableType] = []
    for row in rows:
        blocks.append(Text(row[0], style="bold"))
        told = [f"{column.lower()}: {cell}" for column, cell in zip(columns[1:], row[1:], strict=True) if cell]
        blocks.append(Padding(Text("\n".join(told)), (0, 0, 0, GAP), expand=False))
    return Group(*blocks)
