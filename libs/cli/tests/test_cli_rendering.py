"""Markdown at a terminal: the words without their markup, nothing of them lost."""

from io import StringIO

import pytest
from rich.console import Console
from stemma_cli.output import rendered


def shown(text: str) -> list[str]:
    """The lines that a person sees, without the blank ones."""
    console = Console(file=StringIO(), width=60, markup=False, highlight=False, emoji=False)
    console.print(rendered(text))
    file = console.file
    assert isinstance(file, StringIO)
    return [line.rstrip() for line in file.getvalue().splitlines() if line.strip()]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("# Plan\n\nIt **costs** [more](http://x.example) &amp; *more*.\n", ["Plan", "It costs more & more."]),
        ("- one\n- two\n  1. three\n  2. four\n", ["  • one", "  • two", "    1. three", "    2. four"]),
        ("1. one\n\n   beside it\n2. two\n", ["  1. one", "  beside it", "  2. two"]),
        ("> quoted\n> on\n", ["  quoted on"]),
        ("```\na = 1\nb = *2*\n```\n", ["a = 1", "b = *2*"]),
        ("See[^1].\n\n[^1]: There.\n", ["See[1].", "[1] There."]),
        ("[red]no markup of ours[/red]\n", ["[red]no markup of ours[/red]"]),
    ],
    ids=["inline", "lists", "loose items", "quote", "code", "footnote", "brackets"],
)
def test_words_are_shown_without_their_markup(text: str, lines: list[str]) -> None:
    assert shown(text) == lines


def test_the_cells_of_a_table_stand_in_columns() -> None:
    head, _, first, second, after = shown("| Room | Rent |\n|---|---|\n| Hall | 1,200 |\n| Attic | |\n\nThe end.\n")
    assert (head.split(), first.split(), second.split()) == (["Room", "Rent"], ["Hall", "1,200"], ["Attic"])
    assert head.index("Rent") == first.index("1,200")
    assert after == "The end."
