"""Arguments and options that several verbs share."""

from typing import Annotated

import typer

Document = Annotated[str, typer.Argument(metavar="DOC", help="Document id, or the beginning of it.")]
Section = Annotated[str, typer.Argument(metavar="SECTION", help="Section id, as `stemma show DOC` lists it.")]
Message = Annotated[str, typer.Option("--message", "-m", help="What to say, in words; `-` reads it from stdin.")]
Version = Annotated[int | None, typer.Option("--version", min=1, help="The version that was read.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
