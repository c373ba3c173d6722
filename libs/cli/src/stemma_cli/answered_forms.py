"""A form of a document, with the answers of its section in it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from .exit_codes import ExitCode
from .exports import write_atomically
from .output import console, note, say, say_json
from .runtime import connected


class Unanswered(NamedTuple):
    """A field without an answer, as people are told of it."""

    field_id: str
    place: str = ""
    question: str = ""


async def export_form(document: str, name: str, output: Path, as_json: bool) -> ExitCode:
    """Write the file of the buyer with the answers of the approved section, and say which fields have none."""
    from stemma_contracts.v1.forms import FormFields

    from .verbs.inputs import find_input

    async with connected(as_json) as client:
        view, one = await find_input(client, document, name)
        with console(stderr=True).status(f"filling {one.name}"):
            done = await client.export_form(view.document_id, one.input_id)
        write_atomically(output, await client.artifact(view.document_id, done.artifact))
        told = await client.artifact(view.document_id, one.form.fields) if one.form else b"{}"
    fields = {field.field_id: field for field in FormFields.model_validate_json(told).fields}
    left = [
        Unanswered(name, fields[name].place, fields[name].question) if name in fields else Unanswered(name)
        for name in done.unanswered
    ]
    return tell_filled(output, done.answered, left, as_json)


def tell_filled(path: Path, answered: Sequence[str], left: Sequence[Unanswered], as_json: bool) -> ExitCode:
    """Say what was written, and name the fields without an answer."""
    if as_json:
        say_json({"path": str(path), "answered": sorted(answered), "open": [field.field_id for field in left]})
    else:
        say(str(path))
        for field in left:
            note(" ".join(("no answer:", *field)).rstrip())
    note(f"{len(answered)} answered, {len(left)} open")
    return ExitCode.UNFINISHED if left else ExitCode.OK
