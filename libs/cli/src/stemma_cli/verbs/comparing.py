"""Verbs that tell what changed, and what follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from stemma_cli.exit_codes import CliError, ExitCode
from stemma_cli.lookup import AsJson, Document, Section, find_document, find_section, section_of
from stemma_cli.output import console, note, say, say_json, say_rows, say_tree
from stemma_cli.runtime import connected

if TYPE_CHECKING:
    from stemma_client.client import Client
    from stemma_client.recorded import RecordedEvent


async def stale(document: Document, as_json: AsJson = False) -> None:
    """Tell what is stale, since when and because of what, down to the lines that differ.

    Example: stemma stale 3f2a
    """
    from stemma_cli.rendering.staleness import section_json, staleness_of, tree

    async with connected(as_json) as client:
        view = await client.document(await find_document(client, document))
        found = await staleness_of(client, view)
    if as_json:
        say_json([section_json(found, section) for section in view.stale])
    elif not view.stale:
        note("nothing is stale")
    else:
        say_tree(tree(found))
        note(f"keep one with `stemma keep {view.document_id[:8]} SECTION`, or have it written anew with `regenerate`")


async def diff(
    document: Document,
    section: Section,
    old: Annotated[int | None, typer.Argument(metavar="A", min=1, help="Old version; the one before the last.")] = None,
    new: Annotated[int | None, typer.Argument(metavar="B", min=1, help="New version; the last one.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show what differs between two versions of a section, word by word.

    Example: stemma diff 3f2a budget 1 2
    """
    from stemma_cli.rendering.changes import changes_of, print_changes, stat_words, two_versions

    async with connected(as_json) as client:
        view, found = await find_section(client, document, section)
        before, after = two_versions(found, old, new)
        drafts = {version.number: version.draft for version in found.versions}
        changes = await changes_of(client, view, drafts[before], drafts[after])
    if as_json:
        say_json({"section_id": section, "old_version": before, "new_version": after, "changes": changes})
        return
    say(f"{section}: version {before} -> {after}: {stat_words(changes)}")
    print_changes(changes, console())


async def history(
    document: Document,
    everything: Annotated[bool, typer.Option("--all", help="Tell all that happened, not only decisions.")] = False,
    as_json: AsJson = False,
) -> None:
    """Tell who decided what about which version, and when.

    Example: stemma history 3f2a
    """
    from stemma_client.reading import is_decision

    from stemma_cli.rendering.events import DECISIONS, history_line, words_with

    async with connected(as_json) as client:
        document_id = await find_document(client, document)
        events = [event for event in await client.history(document_id) if everything or is_decision(event)]
        said = [] if everything and not as_json else [await words_with(client, document_id, event) for event in events]
    if as_json:
        for event, words in zip(events, said, strict=True):
            say_json({**dict(event.view), "said": words})
    elif everything:
        for event in events:
            say(history_line(event))
    else:
        say_rows(DECISIONS, [*zip(events, said, strict=True)])


async def replay(
    document: Document,
    section: Annotated[str | None, typer.Argument(metavar="SECTION", help="Print its text of then.")] = None,
    at: Annotated[
        str, typer.Option("--at", metavar="SEQ", help="A sequence, as `history --all --json` has it, or a time.")
    ] = "",
    jobs: Annotated[
        bool, typer.Option("--jobs", help="Print its jobs and their outcomes, for `stemma-generation-graph --replay`.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show a document, or the text of a section, as it was at any moment, and the event that came then.

    Example: stemma replay 3f2a research --at 2026-11-28T12:00
    Example: stemma replay 3f2a --jobs | stemma-generation-graph --replay
    """
    from stemma_client.reading import until

    moment = _moment(at) if at or not jobs else None
    async with connected(as_json) as client:
        history = await client.history(await find_document(client, document))
        then = history if moment is None else until(history, moment)
        if jobs:
            _say_jobs(then)
        elif then:
            await _show(client, then, section, as_json=as_json)
        else:
            from stemma_cli.rendering.events import history_line

            raise CliError(ExitCode.USAGE, f"it begins at {history[0].sequence}, {history_line(history[0])}")


async def _show(client: Client, history: Sequence[RecordedEvent], section: str | None, *, as_json: bool) -> None:
    """A document, or a section of it, after the last of these events."""
    from stemma_client.reading import read_document

    from stemma_cli.rendering import documents
    from stemma_cli.rendering.events import history_line

    event, view = history[-1], read_document(history[0].document_id, history)
    if not as_json:
        note(f"as of {event.sequence}, {history_line(event)}")
    if section is not None:
        found = section_of(view, section)
        await documents.show_section(client, view, found, as_json=as_json, then=event.envelope.time)
    elif as_json:
        told = await documents.document_json(client, view, then=event.envelope.time)
        say_json(told | {"event": event.view})
    else:
        await documents.show_document(client, view, then=event.envelope.time)


def _say_jobs(history: Sequence[RecordedEvent]) -> None:
    from stemma_client.reading import jobs_of
    from stemma_contracts import registry

    for job, event in jobs_of(history):
        say_json({"type": registry.entry_of(job).ce_type, "job": job, "event": event.view if event else None})


def _moment(text: str) -> int | datetime:
    if text.isascii() and text.isdigit():
        return int(text)
    try:
        return datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError):
        words = "--at is a sequence of the log, such as 57, or a time, such as 2026-11-28T12:00"
        raise CliError(ExitCode.USAGE, words) from None
