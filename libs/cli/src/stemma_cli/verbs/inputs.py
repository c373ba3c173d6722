"""Verbs about what a document is written from, at any time."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from stemma_cli.exit_codes import CliError, ExitCode
from stemma_cli.lookup import AsJson, Document, Message, find_document, words_or_stdin
from stemma_cli.output import note, say_json
from stemma_cli.runtime import connected, tell_answer

if TYPE_CHECKING:
    from stemma_client.client import Client
    from stemma_contracts.v1.answers import RequestAccepted
    from stemma_contracts.v1.views import DocumentView, InputView

Role = Literal["request", "evidence", "past-text", "style", "form", "internal", "price"]
InputName = Annotated[str, typer.Argument(metavar="INPUT", help="Id or name of an input; `brief` is the brief.")]
File = Annotated[Path, typer.Argument(metavar="FILE", help="The file.")]


async def add(
    document: Document,
    file: File,
    name: Annotated[str | None, typer.Option("--name", help="Name among the inputs; else that of the file.")] = None,
    role: Annotated[Role | None, typer.Option("--role", help="What it is for; else as its name and text say.")] = None,
    form: Annotated[bool, typer.Option("--form", help="It is to come back with answers in it: the role form.")] = False,
    as_json: AsJson = False,
) -> None:
    """Give a document one more input.

    Example: stemma input add 3f2a answers.eml --role request
    Example: stemma input add 3f2a questionnaire.xlsx --form
    """
    role = "form" if form else role
    async with connected(as_json) as client:
        document_id = await find_document(client, document)
        accepted = await client.add_input(document_id, file, name=name, role=role)
        await _tell(client, accepted, f"added {name or file.name}", as_json)


async def replace(document: Document, name: InputName, file: File, as_json: AsJson = False) -> None:
    """Give an input another file. What rests on what that changes becomes stale; nothing is written anew by it.

    Example: stemma input replace 3f2a rfp.pdf rfp-amended.pdf
    """
    async with connected(as_json) as client:
        view, one = await find_input(client, document, name)
        accepted = await client.replace_input(view.document_id, one.input_id, one.version, file)
        await _tell(client, accepted, f"replaced {one.name}", as_json)


async def withdraw(document: Document, name: InputName, as_json: AsJson = False) -> None:
    """Have an input count no more, or drop what `stemma amend` staged for it.

    Example: stemma input withdraw 3f2a prices.xlsx
    """
    from stemma_contracts.v1.requests import WithdrawInput

    async with connected(as_json) as client:
        view, one = await find_input(client, document, name)
        version = one.staged_version or one.version
        accepted = await client.request(
            WithdrawInput(document_id=view.document_id, input_id=one.input_id, version=version)
        )
        dropped = f"dropped version {version} of {one.name}" if one.staged_version else f"withdrew {one.name}"
        await _tell(client, accepted, dropped, as_json)


async def set_role(
    document: Document,
    name: InputName,
    role: Annotated[Role, typer.Argument(help="What it is for.")],
    as_json: AsJson = False,
) -> None:
    """Say what an input is for. What rests on it becomes stale where it is no evidence any more.

    Example: stemma input role 3f2a mail.eml evidence
    """
    from stemma_contracts.v1.requests import SetInputRole

    async with connected(as_json) as client:
        view, one = await find_input(client, document, name)
        about = {"document_id": view.document_id, "input_id": one.input_id, "version": one.version}
        accepted = await client.request(SetInputRole.model_validate({**about, "role": role}))
        await _tell(client, accepted, f"{one.name} is {role} now", as_json)


async def confidential(
    document: Document,
    name: InputName,
    message: Message,
    undo: Annotated[bool, typer.Option("--undo", help="The passage that was marked may be quoted again.")] = False,
    as_json: AsJson = False,
) -> None:
    """Have a passage of an input never quoted; give its words, whole sentences at best.

    Example: stemma input confidential 3f2a facts.docx -m "We paid EUR 9,100."
    """
    from stemma_contracts.v1.requests import MarkConfidential

    passage = await words_or_stdin(message)
    async with connected(as_json) as client:
        view, one = await find_input(client, document, name)
        about = {"document_id": view.document_id, "input_id": one.input_id, "version": one.version}
        asked = MarkConfidential.model_validate({**about, "passage": passage, "taken_back": undo})
        done = f"a passage of {one.name} is {'not confidential any more' if undo else 'confidential now'}"
        await _tell(client, await client.request(asked), done, as_json)


async def amend(
    document: Document,
    file: File,
    name: Annotated[
        str | None, typer.Option("--input", help="The input that it takes the place of; else one of its name.")
    ] = None,
    new: Annotated[bool, typer.Option("--new", help="It comes beside the inputs, in place of none.")] = False,
    role: Annotated[Role, typer.Option("--role", help="What it is for, if it is new.")] = "request",
    apply: Annotated[bool, typer.Option("--apply", help="Have it count at once, without a question.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show what an amended file changes, and which sections that concerns, before it counts.

    At a terminal it asks whether to go on; a script says --apply. Until then it is staged, and changes nothing.

    Example: stemma amend 3f2a rfp-amended.pdf --input rfp.pdf
    """
    from stemma_contracts.v1.requests import ApplyInput

    from stemma_cli.rendering.inputs import show_plan, show_requirements

    if name is not None and new:
        raise typer.BadParameter("--input and --new exclude each other")
    async with connected(as_json) as client:
        view, input_id = await _staged(client, document, file, name, new, role)
        one = next(one for one in view.input_views if one.input_id == input_id)
        if as_json:
            say_json(one)
        else:
            await show_plan(client, view, one)
            await show_requirements(client, view, one)
        if one.staged_version is None or (one.unreadable is not None and one.staged_text is None):
            raise CliError(ExitCode.FAILED, f"{file.name} could not be read, so nothing changes")
        if apply or (not as_json and await _goes_on(view)):
            counts = ApplyInput(document_id=view.document_id, input_id=input_id, version=one.staged_version)
            accepted = await client.request(counts)
            await _tell(client, accepted, f"{one.name} is version {one.staged_version} now", as_json)
            await _read_again(client, view, one, accepted.sequence)
        else:
            note(f"staged, and nothing changed: the same again with --apply, or `stemma input withdraw` {one.input_id}")


async def _read_again(client: Client, view: DocumentView, one: InputView, sequence: int) -> None:
    """Wait until the demands are read again, if the ledger has some of this input, and say what changed."""
    from stemma_cli.rendering.inputs import is_source

    from .ledgers import note_changes

    if view.ledger is not None and is_source(one, view.ledger):
        note_changes(await client.requirements_after(view.document_id, sequence))


async def _goes_on(view: DocumentView) -> bool:
    import sys

    from stemma_cli.prompt import ask

    if not sys.stdin.isatty():
        return False
    return await ask(f"Is it to count in {view.document_id[:8]}?", otherwise="it is staged, and nothing changed")


async def _staged(
    client: Client, document: str, file: Path, name: str | None, new: bool, role: Role
) -> tuple[DocumentView, str]:
    """Stage a file in place of what was staged before, and wait until it is read."""
    view = await client.document(await find_document(client, document))
    known = None if new else _named(view, name or file.name)
    if known is None and name is not None:
        raise _unknown(view, name)
    if known is None:
        accepted = await client.add_input(view.document_id, file, role=role, staged=True)
    else:
        accepted = await client.replace_input(view.document_id, known.input_id, known.version, file, staged=True)
    view = await client.document(view.document_id, at_least=accepted.sequence)
    input_id = known.input_id if known else view.input_views[-1].input_id
    return await _read(client, view, input_id), input_id


async def _read(client: Client, view: DocumentView, input_id: str) -> DocumentView:
    async with aclosing(client.follow(view.document_id, from_sequence=view.last_sequence)) as happened:
        async for event in happened:
            if event.sequence > view.last_sequence:
                view = await client.document(view.document_id, at_least=event.sequence)
            if next(one for one in view.input_views if one.input_id == input_id).state != "reading":
                return view
    return view


async def find_input(client: Client, document: str, name: str) -> tuple[DocumentView, InputView]:
    view = await client.document(await find_document(client, document))
    found = _named(view, name)
    if found is None:
        raise _unknown(view, name)
    return view, found


def _named(view: DocumentView, name: str) -> InputView | None:
    """An input that counts, by its id or its name."""
    there = view.counting
    return next((one for one in there if name == one.input_id), None) or next(
        (one for one in there if name == one.name), None
    )


def _unknown(view: DocumentView, name: str) -> CliError:
    known = ", ".join(f"{one.input_id} ({one.name})" for one in view.counting)
    return CliError(ExitCode.USAGE, f"the document has no input {name!r}", f"it has {known}")


async def _tell(client: Client, accepted: RequestAccepted, done: str, as_json: bool) -> None:
    """What was done, and what is stale by it as far as that is known: a file is read first."""
    view = await client.document(accepted.document_id, at_least=accepted.sequence)
    stale = [section.section_id for section in view.stale]
    tell_answer(accepted, done, as_json=as_json, stale=stale)
    about = accepted.document_id[:8]
    if any(one.state == "reading" for one in view.input_views):
        note(f"it is being read: see `stemma show {about} --inputs` and `stemma stale {about}`")
    if stale:
        note(f"stale now: {', '.join(stale)}; see `stemma stale {about}`")


GROUPS: dict[str, tuple[str, dict[str, Callable[..., Any]]]] = {
    "input": (
        "What a document is written from.",
        {"add": add, "replace": replace, "withdraw": withdraw, "role": set_role, "confidential": confidential},
    )
}
