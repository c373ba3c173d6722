"""Verbs by which people decide and comment."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from stemma_cli.exit_codes import CliError, ExitCode
from stemma_cli.lookup import AsJson, Document, Message, Section, Version, each_once, find_section, words_or_stdin
from stemma_cli.output import note, say, say_json, say_rows
from stemma_cli.runtime import ask, connected, tell_answer

if TYPE_CHECKING:
    from stemma_client.client import Client
    from stemma_contracts.v1.summary import DocumentSummary
    from stemma_contracts.v1.views import SectionView, ThreadView

    from stemma_cli.rendering.inbox import Entry


OPEN_HEADING = "open_heading"
"""What the question is called that an open heading is."""


async def inbox(
    mine: Annotated[bool, typer.Option("--mine", help="Only what is assigned to you.")] = False,
    unassigned: Annotated[bool, typer.Option("--unassigned", help="Only what is assigned to nobody.")] = False,
    as_json: AsJson = False,
) -> None:
    """List all that waits for a person, across documents; what holds up the most comes first, then what is due first.

    Example: stemma inbox
    Example: stemma inbox --mine
    """
    if mine and unassigned:
        raise typer.BadParameter("give --mine or --unassigned")

    async with connected(as_json) as client:
        from stemma_client.overviews import asked_of_budget, commented_sections, waiting_sections
        from stemma_contracts.v1.document import DocumentStatus

        documents = [
            document
            for document in await client.documents()
            if document.status is not DocumentStatus.CANCELLED
            and (
                document.lacks_brief
                or asked_of_budget(document)
                or waiting_sections(document)
                or commented_sections(document)
            )
        ]
        found = await _entries(client, documents) if documents else []
        me = client.actor
    if mine or unassigned:
        found = [entry for entry in found if entry.assignment.assignee == (me if mine else "")]
    if as_json:
        say_json(found)
    elif found:
        _show(found)
    else:
        note("nothing waits for you")


async def _entries(client: Client, documents: list[DocumentSummary]) -> list[Entry]:
    # With all events, which an empty inbox needs none of.
    from stemma_cli.rendering.inbox import entries_of, most_pressing_first

    found = [entry for document in documents for entry in await entries_of(client, document)]
    return sorted(found, key=most_pressing_first)


def _show(found: list[Entry]) -> None:
    from stemma_cli.rendering.inbox import COLUMNS, closing_lines, finding_lines

    say_rows(COLUMNS, found)
    for line in (*(line for entry in found for line in finding_lines(entry)), *closing_lines(found)):
        note(line)


async def approve(
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
    if (section is None) != everything or (everything and version is not None):
        raise typer.BadParameter("give either SECTION, with or without --version, or --all")

    from stemma_cli.consent import EVERY, chosen, seen_version, seen_versions

    async with connected(as_json) as client:
        if section is None:
            view, waiting = await chosen(client, document, EVERY, lambda found: found.waits_for_review)
            versions = await seen_versions(client, view, waiting, EVERY, "approve") if waiting else {}
        else:
            view, found = await find_section(client, document, section)
            versions = {section: await seen_version(client, view, found, version, "approve")}
        if not versions:
            note("no section waits for review")
        for name, number in versions.items():
            accepted = await client.approve(view.document_id, name, number)
            tell_answer(accepted, f"approved {name} version {number}", as_json=as_json, version=number)


async def withdraw_approval(
    document: Document,
    section: Section,
    version: Annotated[int, typer.Option(help="The version that was approved.")],
    as_json: AsJson = False,
) -> None:
    """Take back an approval: the section waits for review again, unless another one was written from it.

    Example: stemma withdraw-approval 3f2a research --version 1
    """
    from stemma_contracts.v1 import requests as r

    done = "{section_id} version {version} waits for review again"
    await ask(r.WithdrawApproval, document, section, done=done, as_json=as_json, version=version)


async def revise(
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
    from stemma_cli.consent import seen_version

    async with connected(as_json) as client:
        view, found = await find_section(client, document, section)
        version = await seen_version(client, view, found, version, "revise")
        feedback = await words_or_stdin(message)
        accepted = await client.revise(
            view.document_id, section, version, feedback, cycle=cycle, replace_edited=replace_edited
        )
    words = "every section is written again" if cycle else f"sent {section} version {version} to the editor"
    tell_answer(accepted, words, as_json=as_json, version=version)


async def answer(
    document: Document,
    section: Section,
    need: Annotated[str | None, typer.Argument(metavar="NEED", help="Id of the question; the open one.")] = None,
    message: Annotated[str, typer.Option("--message", "-m", help="The answer; `-` reads it from stdin.")] = "",
    skip: Annotated[list[str], typer.Option(metavar="IMAGE", help="Leave a missing image out.")] = [],  # noqa: B006
    supply: Annotated[list[str], typer.Option(metavar="IMAGE=FILE", help="Supply a missing image.")] = [],  # noqa: B006
    use: Annotated[list[str], typer.Option(metavar="IMAGE=INPUT", help="Take an image of the inputs.")] = [],  # noqa: B006
    heading: Annotated[str, typer.Option(help="An open heading: the words become evidence that stands there.")] = "",
    as_json: AsJson = False,
) -> None:
    """Answer what a section asks before it can go on, in words or image by image; or what a draft leaves open.

    Example: stemma answer 3f2a approach --heading References -m "We built the bridge of Norden in 2019."
    Example: stemma answer 3f2a document --skip media/old.png --supply media/plan.png=plan.png
    """
    if not (message or skip or supply or use):
        raise typer.BadParameter("give --message, --skip, --supply or --use")

    from pathlib import Path

    async with connected(as_json) as client:
        view, found = await find_section(client, document, section)
        need = need or (OPEN_HEADING if heading else _open_need(found))
        chosen, files = _of_images(skip, use, supply)
        _check_names(found, {*chosen, *files})
        uploads = {name: await client.upload(Path(file)) for name, file in files.items()}
        words = await words_or_stdin(message) if message else ""
        accepted = await client.answer_need(
            view.document_id, section, need, words, decisions={**chosen, **uploads}, heading=heading
        )
    tell_answer(accepted, f"answered {need} of {section}", as_json=as_json, need_id=need)


def _open_need(section: SectionView) -> str:
    if section.need is None:
        raise CliError(ExitCode.FAILED, f"{section.section_id} asks for nothing", "see `stemma inbox` for what waits")
    return section.need.need_id


def _of_images(skip: Iterable[str], use: Iterable[str], supply: Iterable[str]) -> tuple[dict[str, str], dict[str, str]]:
    """What is decided about images, and the files that are supplied."""
    from stemma_contracts.v1.needs import SKIP

    chosen = [*dict.fromkeys(skip, SKIP).items(), *map(_parse_assignment, use)]
    files = [*map(_parse_assignment, supply)]
    named = each_once([*chosen, *files], "--skip, --supply, --use")
    return dict(chosen), {name: named[name] for name, _ in files}


def _parse_assignment(given: str) -> tuple[str, str]:
    name, equals, value = given.partition("=")
    if not (name and equals and value):
        raise CliError(ExitCode.USAGE, f"{given!r} does not look like IMAGE=FILE", "see `stemma answer --help`")
    return name, value


def _check_names(section: SectionView, named: set[str]) -> None:
    """A misspelt image would be asked for again, with no word why."""
    asked = {entry.reference for entry in section.need.references} if section.need else set()
    if unknown := sorted(named - asked):
        words = f"{section.section_id} does not ask for {unknown[0]!r}"
        raise CliError(ExitCode.USAGE, words, f"it asks for {', '.join(sorted(asked)) or 'words'}")


async def retry(document: Document, section: Section, as_json: AsJson = False) -> None:
    """Try a failed section again.

    Example: stemma retry 3f2a budget
    """
    from stemma_contracts.v1 import requests as r

    await ask(r.RetrySection, document, section, done="trying {section_id} again", as_json=as_json)


async def pause(document: Document, as_json: AsJson = False) -> None:
    """Start no new work on a document.

    Example: stemma pause 3f2a
    """
    from stemma_contracts.v1 import requests as r

    await ask(r.PauseDocument, document, done="paused {document_id}", as_json=as_json)


async def resume(document: Document, as_json: AsJson = False) -> None:
    """Go on with a paused document.

    Example: stemma resume 3f2a
    """
    from stemma_contracts.v1 import requests as r

    await ask(r.ResumeDocument, document, done="resumed {document_id}", as_json=as_json)


async def cancel(
    document: Document,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask at the terminal.")] = False,
    as_json: AsJson = False,
) -> None:
    """End a document for good; its texts and its history stay. Asks at a terminal; a script says --yes.

    Example: stemma cancel 3f2a --yes
    """
    from stemma_contracts.v1 import requests as r

    from stemma_cli.prompt import ask as asked

    if not yes and not sys.stdin.isatty():
        raise typer.BadParameter("there is no terminal to ask at: say --yes to cancel for good")
    if not yes and not await asked(f"Cancel document {document} for good?", otherwise="nothing was cancelled"):
        raise typer.Abort
    await ask(r.CancelDocument, document, done="cancelled {document_id}", as_json=as_json)


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

    from stemma_cli.wording import assignment_words

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
    accept: Annotated[
        str | None, typer.Option("--accept", metavar="COMMENT", help="Put its suggested words in the text.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Also the threads that were resolved.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the comments on a section, accept what one suggests, resolve a thread, or reopen one.

    Example: stemma comments 3f2a research
    Example: stemma comments 3f2a research --resolve c31-1
    """
    from stemma_contracts.v1 import requests as r

    from stemma_cli.wording import lines_of_thread

    if sum(map(bool, (resolve, reopen, accept))) > 1:
        raise CliError(ExitCode.USAGE, "give one of --accept, --resolve and --reopen")
    if resolve:
        await ask(r.ResolveThread, document, section, done="resolved {thread_id}", as_json=as_json, thread_id=resolve)
        return
    if reopen:
        await ask(r.ReopenThread, document, section, done="reopened {thread_id}", as_json=as_json, thread_id=reopen)
        return
    async with connected(as_json) as client:
        view, found = await find_section(client, document, section)
        if accept:
            thread = next((one.thread_id for one in found.threads if accept in _ids(one)), accept)
            about = {"document_id": view.document_id, "section_id": section, "version": found.version}
            chosen = {"thread_id": thread, "comment_id": accept}
            done = await client.request(r.AcceptSuggestion.model_validate(about | chosen))
            tell_answer(done, f"put the words of {accept} in the text", as_json=as_json)
            return
        threads = await client.threads(view.document_id, found)
    shown = [thread for thread in threads if everything or not thread.view.resolved]
    if as_json:
        say_json(shown)
        return
    for line in (line for thread in shown for line in lines_of_thread(thread)):
        say(line)
    if not shown:
        note(f"there are no {'' if everything else 'open '}comments on {section}")


def _ids(thread: ThreadView) -> set[str]:
    return {comment.comment_id for comment in thread.comments}
