"""Arguments and options that several verbs share."""

from collections.abc import Iterable
from typing import Annotated, TypeVar

import typer

from .exit_codes import CliError, ExitCode

V = TypeVar("V")

Document = Annotated[str, typer.Argument(metavar="DOC", help="Document id, or the beginning of it.")]
Section = Annotated[str, typer.Argument(metavar="SECTION", help="Section id, as `stemma show DOC` lists it.")]
Message = Annotated[str, typer.Option("--message", "-m", help="What to say, in words; `-` reads it from stdin.")]
Version = Annotated[int | None, typer.Option("--version", min=1, help="The version that was read.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


def each_once(pairs: Iterable[tuple[str, V]], about: str) -> dict[str, V]:
    """What is given by name, as in NAME=VALUE; of a name with two values nobody knows which was meant."""
    named = dict[str, V]()
    for name, value in pairs:
        if name in named:
            raise CliError(ExitCode.USAGE, f"{about}: {name} is given twice", "leave one of them out")
        named[name] = value
    return named
