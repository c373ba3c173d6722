"""The verb that takes a document out."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import typer

from stemma_cli.arguments import AsJson, Document
from stemma_cli.runtime import run


def export(
    document: Document,
    format: Annotated[
        Literal["docx", "pdf", "html", "json", "md"] | None,
        typer.Option("--format", "-f", help="Format; else what the ending of PATH says, docx without one."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="PATH", help="File or folder to write to; `-` is stdout.")
    ] = None,
    redline: Annotated[
        tuple[str, str] | None,
        typer.Option(
            "--redline", metavar="A B", help="DOCX with what changed as tracked changes: two exports, or one and `now`."
        ),
    ] = None,
    section: Annotated[
        str | None, typer.Option("--section", metavar="SECTION", help="With --redline: two versions of this section.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Export a document, finished or not.

    Exit code 5 says that a file was written and that the document in it is unfinished.

    Example: stemma export 3f2a --format docx -o proposal.docx
    Example: stemma export 3f2a --redline export-31 now -o changes.docx
    Example: stemma export 3f2a --section budget --redline 1 2 -o budget.docx
    """
    from stemma_cli.tasks import exporting

    asked = exporting.Asked(document, format, output, redline, section)
    run(partial(exporting.export, asked=asked, as_json=as_json))


VERBS = {"export": export}
