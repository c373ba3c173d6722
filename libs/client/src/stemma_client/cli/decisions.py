"""Verbs by which people decide."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from .arguments import AsJson, Document, Message, Section, Version
from .runtime import run


def inbox(as_json: AsJson = False) -> None:
    """List all that waits for a person, across documents; what holds up the most comes first.

    Example: stemma inbox
    """
    from .tasks import inbox

    run(partial(inbox.inbox, as_json=as_json))


def approve(
    document: Document,
    section: Annotated[str | None, typer.Argument(metavar="SECTION", help="Section id.")] = None,
    version: Version = None,
    everything: Annotated[bool, typer.Option("--all", help="Approve all sections that wait for review.")] = False,
) -> None:
    """Approve a section that waits for review, or all of them.

    Example: stemma approve 3f2a research
    """
    from .tasks import decisions

    if (section is None) != everything or (everything and version is not None):
        raise typer.BadParameter("give either SECTION, with or without --version, or --all")
    if section is None:
        run(partial(decisions.approve_all, document=document))
    else:
        run(partial(decisions.approve, document=document, section=section, version=version))


def revise(document: Document, section: Section, message: Message, version: Version = None) -> None:
    """Send a section that waits for review to the editor, with feedback.

    Example: stemma revise 3f2a research -m "Shorten the first paragraph."
    """
    from .tasks import decisions

    run(partial(decisions.revise, document=document, section=section, message=message, version=version))


def answer(
    document: Document,
    section: Section,
    message: Message,
    need: Annotated[str | None, typer.Argument(metavar="NEED", help="Id of the question; the open one.")] = None,
) -> None:
    """Answer what a section asks before it can go on.

    Example: stemma answer 3f2a research -m "Use the figures of 2024."
    """
    from .tasks import decisions

    run(partial(decisions.answer, document=document, section=section, need=need, message=message))


def retry(document: Document, section: Section) -> None:
    """Try a failed section again.

    Example: stemma retry 3f2a budget
    """
    from .tasks import decisions

    run(partial(decisions.retry, document=document, section=section))


def pause(document: Document) -> None:
    """Start no new work on a document.

    Example: stemma pause 3f2a
    """
    from .tasks import decisions

    run(partial(decisions.pause, document=document))


def resume(document: Document) -> None:
    """Go on with a paused document.

    Example: stemma resume 3f2a
    """
    from .tasks import decisions

    run(partial(decisions.resume, document=document))


def cancel(
    document: Document, yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask at the terminal.")] = False
) -> None:
    """End a document for good; its texts and its history stay.

    Example: stemma cancel 3f2a --yes
    """
    import sys

    from .tasks import decisions

    if not yes and sys.stdin.isatty():
        typer.confirm(f"Cancel document {document} for good?", abort=True)
    run(partial(decisions.cancel, document=document))


VERBS = {
    "inbox": inbox,
    "approve": approve,
    "revise": revise,
    "answer": answer,
    "retry": retry,
    "pause": pause,
    "resume": resume,
    "cancel": cancel,
}
