"""Verbs by which people decide."""

from __future__ import annotations

import sys
from functools import partial
from typing import Annotated

import typer

from stemma_cli.arguments import AsJson, Document, Message, Section, Version
from stemma_cli.runtime import run


def inbox(as_json: AsJson = False) -> None:
    """List all that waits for a person, across documents; what holds up the most comes first.

    Example: stemma inbox
    """
    from stemma_cli.tasks import inbox

    run(partial(inbox.inbox, as_json=as_json))


def approve(
    document: Document,
    section: Annotated[str | None, typer.Argument(metavar="SECTION", help="Section id.")] = None,
    version: Version = None,
    everything: Annotated[bool, typer.Option("--all", help="Approve all sections that wait for review.")] = False,
    as_json: AsJson = False,
) -> None:
    """Approve a section that waits for review, or all of them.

    At a terminal the text is shown first, or what the editor changed in it; a script names the version that was read.
    --all takes the versions that it prints.

    Example: stemma approve 3f2a research --version 1
    """
    from stemma_cli.tasks import decisions

    if (section is None) != everything or (everything and version is not None):
        raise typer.BadParameter("give either SECTION, with or without --version, or --all")
    if section is None:
        run(partial(decisions.approve_all, document=document, as_json=as_json))
    else:
        run(partial(decisions.approve, document=document, section=section, version=version, as_json=as_json))


def revise(
    document: Document,
    section: Section,
    message: Message,
    version: Version = None,
    cycle: Annotated[bool, typer.Option("--cycle", help="Have every section written again by the feedback.")] = False,
    replace_edited: Annotated[
        bool, typer.Option("--replace-edited", help="With --cycle: also the sections that a person made.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Send a section that waits for review to the editor, with feedback.

    With `--cycle` the feedback to the last section of a reviewed design goes to the authors of all; what a person
    made stays, unless --replace-edited is given.

    At a terminal the text is shown first; a script names the version that was read.

    Example: stemma revise 3f2a research --version 1 -m "Shorten the first paragraph."
    """
    from stemma_cli.tasks import decisions

    revising = partial(decisions.revise, message=message, cycle=cycle, replace_edited=replace_edited)
    run(partial(revising, document=document, section=section, version=version, as_json=as_json))


def answer(
    document: Document,
    section: Section,
    need: Annotated[str | None, typer.Argument(metavar="NEED", help="Id of the question; the open one.")] = None,
    message: Annotated[str, typer.Option("--message", "-m", help="The answer; `-` reads it from stdin.")] = "",
    skip: Annotated[list[str], typer.Option(metavar="IMAGE", help="Leave a missing image out.")] = [],  # noqa: B006
    supply: Annotated[list[str], typer.Option(metavar="IMAGE=FILE", help="Supply a missing image.")] = [],  # noqa: B006
    use: Annotated[list[str], typer.Option(metavar="IMAGE=INPUT", help="Take an image of the inputs.")] = [],  # noqa: B006
    as_json: AsJson = False,
) -> None:
    """Answer what a section asks before it can go on, in words or image by image.

    Example: stemma answer 3f2a document --skip media/old.png --supply media/plan.png=plan.png
    """
    from stemma_cli.tasks import answering

    if not (message or skip or supply or use):
        raise typer.BadParameter("give --message, --skip, --supply or --use")
    decide = partial(answering.answer, message=message, skip=skip, supply=supply, use=use, as_json=as_json)
    run(partial(decide, document=document, section=section, need=need))


def retry(document: Document, section: Section, as_json: AsJson = False) -> None:
    """Try a failed section again.

    Example: stemma retry 3f2a budget
    """
    from stemma_cli.tasks import decisions

    run(partial(decisions.retry, document=document, section=section, as_json=as_json))


def pause(document: Document, as_json: AsJson = False) -> None:
    """Start no new work on a document.

    Example: stemma pause 3f2a
    """
    from stemma_cli.tasks import decisions

    run(partial(decisions.pause, document=document, as_json=as_json))


def resume(document: Document, as_json: AsJson = False) -> None:
    """Go on with a paused document.

    Example: stemma resume 3f2a
    """
    from stemma_cli.tasks import decisions

    run(partial(decisions.resume, document=document, as_json=as_json))


def cancel(
    document: Document,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask at the terminal.")] = False,
    as_json: AsJson = False,
) -> None:
    """End a document for good; its texts and its history stay. Asks at a terminal; a script says --yes.

    Example: stemma cancel 3f2a --yes
    """
    from stemma_cli.tasks import decisions

    if not yes:
        _ask_before_cancelling(document)
    run(partial(decisions.cancel, document=document, as_json=as_json))


def _ask_before_cancelling(document: str) -> None:
    if not sys.stdin.isatty():
        raise typer.BadParameter("there is no terminal to ask at: say --yes to cancel for good")
    import asyncio

    from stemma_cli.prompt import ask

    question = f"Cancel document {document} for good?"
    if not asyncio.run(ask(question, otherwise="nothing was cancelled")):
        raise typer.Abort


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
