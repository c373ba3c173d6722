"""Verbs that ask people to see to sections."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import typer

from stemma_cli.arguments import AsJson, Document, Section
from stemma_cli.exit_codes import CliError, ExitCode
from stemma_cli.report import ask


async def assign(
    document: Document,
    section: Section,
    to: Annotated[str | None, typer.Option("--to", metavar="PERSON", help="Who is to see to it.")] = None,
    due: Annotated[
        str | None, typer.Option("--due", metavar="TIME", help="Until when, with a time zone: 2099-12-01T17:00+01:00.")
    ] = None,
    nobody: Annotated[bool, typer.Option("--nobody", help="Ask nobody in particular any more.")] = False,
    as_json: AsJson = False,
) -> None:
    """Ask a person to see to a section, and to what waits in it, until a time.

    It takes the place of what was asked before, and locks nothing: whoever may decide still does. The time counts until
    the section is settled.

    Example: stemma assign 3f2a research --to bea --due 2099-12-01T17:00+01:00
    Example: stemma assign 3f2a research --nobody
    """
    from stemma_contracts.v1 import requests as r

    from stemma_cli.rendering.assignments import assignment_words

    if (to is None) != nobody or (due is not None and nobody):
        raise CliError(ExitCode.USAGE, "give --to, with or without --due, or --nobody")
    until = _time(due) if due is not None else None
    if to is None:
        await ask(r.UnassignSection, document, section, done="{section_id} is assigned to nobody", as_json=as_json)
        return
    done = f"assigned {{section_id}} to {assignment_words(to, until)}"
    await ask(r.AssignSection, document, section, done=done, as_json=as_json, assignee=to, due=until)


def _time(text: str) -> datetime:
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise CliError(ExitCode.USAGE, f"--due: {text!r} is no time", "write 2099-12-01T17:00+01:00") from None
    if time.tzinfo is None:
        raise CliError(ExitCode.USAGE, "--due: the time zone is missing", "write 2099-12-01T17:00+01:00")
    return time


VERBS = {"assign": assign}
