"""Verbs that tell what changed, and what follows from it."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from stemma_cli.arguments import AsJson, Document, Section
from stemma_cli.runtime import run


def stale(document: Document, as_json: AsJson = False) -> None:
    """Tell what is stale, since when and because of what, down to the lines that differ.

    Example: stemma stale 3f2a
    """
    from stemma_cli.tasks import staleness

    run(partial(staleness.stale, document=document, as_json=as_json))


def diff(
    document: Document,
    section: Section,
    old: Annotated[int | None, typer.Argument(metavar="A", min=1, help="Old version; the one before the last.")] = None,
    new: Annotated[int | None, typer.Argument(metavar="B", min=1, help="New version; the last one.")] = None,
    stat: Annotated[bool, typer.Option("--stat", help="Only count the words.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show what differs between two versions of a section, word by word.

    Example: stemma diff 3f2a budget 1 2
    """
    from stemma_cli.tasks import changes

    run(partial(changes.diff, document=document, section=section, versions=(old, new), stat=stat, as_json=as_json))


def history(
    document: Document,
    everything: Annotated[bool, typer.Option("--all", help="Tell all that happened, not only decisions.")] = False,
    as_json: AsJson = False,
) -> None:
    """Tell who decided what about which version, and when.

    Example: stemma history 3f2a
    """
    from stemma_cli.tasks import history

    run(partial(history.history, document=document, everything=everything, as_json=as_json))


VERBS = {"stale": stale, "diff": diff, "history": history}
