"""The verb that takes a document out."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import typer

from .arguments import Document
from .runtime import run


def export(
    document: Document,
    format: Annotated[
        Literal["docx", "pdf", "html", "json", "md"] | None,
        typer.Option("--format", "-f", help="Format; else what the ending of PATH says, else docx."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="PATH", help="File or folder to write to.")
    ] = None,
) -> None:
    """Export a document, finished or not.

    Exit code 5 says that a file was written and that the document in it is unfinished.

    Example: stemma export 3f2a --format docx -o proposal.docx
    """
    from .tasks import exporting

    run(partial(exporting.export, document=document, wanted=format, output=output))


VERBS = {"export": export}
