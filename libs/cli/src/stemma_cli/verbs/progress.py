"""The verb that follows a document."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from stemma_cli.arguments import AsJson, Document
from stemma_cli.runtime import run


def watch(
    document: Document,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on while it waits for a person.")] = False,
    from_sequence: Annotated[int, typer.Option("--from", min=0, help="First stream sequence to print.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Watch a document being written, section by section.

    Ends when the document is completed, cancelled or failed, or waits for a person.

    Example: stemma watch 3f2a
    """
    from stemma_cli.tasks import watching

    run(partial(watching.watch, document=document, follow=follow, from_sequence=from_sequence, as_json=as_json))


VERBS = {"watch": watch}
