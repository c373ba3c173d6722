"""Verbs to comment on sections."""

from __future__ import annotations

from typing import Annotated

import typer

from stemma_cli.arguments import AsJson, Document, Message, Section, Version
from stemma_cli.exit_codes import CliError, ExitCode
from stemma_cli.lookup import find_section, words_or_stdin
from stemma_cli.output import note, say, say_json
from stemma_cli.report import ask, tell_answer
from stemma_cli.runtime import connected

Thread = Annotated[str | None, typer.Option("--thread", metavar="THREAD", help="Answer in this thread.")]


async def comment(
    document: Document,
    section: Section,
    message: Message,
    quote: Annotated[str, typer.Option("--quote", metavar="WORDS", help="The words that it is about.")] = "",
    before: Annotated[str, typer.Option("--before", metavar="WORDS", help="What stands before these words.")] = "",
    thread: Thread = None,
    version: Version = None,
    as_json: AsJson = False,
) -> None:
    """Comment on a section, on words of it, or in a thread.

    A comment stays with its words while the text around them changes. A thread that was resolved opens with an answer.

    Example: stemma comment 3f2a research --quote "480,000 EUR" -m "From which budget?"
    Example: stemma comment 3f2a research --thread c31-1 -m "From that of 2026."
    """
    from stemma_contracts.v1.comments import NewComment

    if thread is not None and (quote or before):
        raise CliError(ExitCode.USAGE, "an answer is about the words of its thread: leave --quote and --before out")
    async with connected(as_json) as client:
        view, found = await find_section(client, document, section)
        number = version or found.version
        if not number:
            raise CliError(ExitCode.FAILED, f"nothing is written in {section} yet")
        made = NewComment(text=await words_or_stdin(message), quote=quote, before=before, thread_id=thread)
        accepted = await client.comment(view.document_id, section, number, [made])
    tell_answer(accepted, f"commented on {section} version {number}", as_json=as_json, version=number)


async def comments(
    document: Document,
    section: Section,
    resolve: Annotated[str | None, typer.Option("--resolve", metavar="THREAD", help="Close a thread.")] = None,
    reopen: Annotated[str | None, typer.Option("--reopen", metavar="THREAD", help="Open it again.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Also the threads that were resolved.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the comments on a section, resolve a thread, or reopen one.

    Example: stemma comments 3f2a research
    Example: stemma comments 3f2a research --resolve c31-1
    """
    from stemma_contracts.v1 import requests as r

    from stemma_cli.rendering.comments import lines_of_thread

    if resolve and reopen:
        raise CliError(ExitCode.USAGE, "give --resolve or --reopen")
    if resolve:
        await ask(r.ResolveThread, document, section, done="resolved {thread_id}", as_json=as_json, thread_id=resolve)
        return
    if reopen:
        await ask(r.ReopenThread, document, section, done="reopened {thread_id}", as_json=as_json, thread_id=reopen)
        return
    async with connected(as_json) as client:
        view, found = await find_section(client, document, section)
        threads = await client.threads(view.document_id, found)
    shown = [thread for thread in threads if everything or not thread.view.resolved]
    if as_json:
        say_json(shown)
        return
    for line in (line for thread in shown for line in lines_of_thread(thread)):
        say(line)
    if not shown:
        note(f"there are no {'' if everything else 'open '}comments on {section}")


VERBS = {"comment": comment, "comments": comments}
