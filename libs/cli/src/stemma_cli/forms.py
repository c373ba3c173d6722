"""Forms of buyers, read and filled in a process with limits, because they are files of strangers."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from stemma_confinement import ConfinementError, Limits, Prepared, Stalled
from stemma_confinement.computing import confined_in
from stemma_forms import Field

from .exit_codes import CliError, ExitCode
from .exports import write_atomically
from .form_call import FILLED, FORM, Done, fill_form, find, prepare
from .output import console, note, say, say_json
from .runtime import connected

LIMITS = Limits(seconds=60, memory_mb=1536)
# One for all forms of this process; it starts with the first of them.
_PREPARED = Prepared(prepare)


async def fields_of(form: Path) -> tuple[Field, ...]:
    """The fields of a form, after a note of what in it is not filled; raises `CliError` with what is wrong with it."""
    with TemporaryDirectory(prefix="stemma-") as folder:
        done = await _confined(Path(folder), form, find)
    for place, what in done.unsupported:
        note(f"not filled: {place}: {what}")
    return done.fields


async def filled(form: Path, answers: Mapping[str, str]) -> bytes:
    """The form with answers by the ids of fields; raises `CliError` with all that it does not accept."""
    with TemporaryDirectory(prefix="stemma-") as folder:
        await _confined(Path(folder), form, fill_form, answers)
        return await asyncio.to_thread((Path(folder) / FILLED).read_bytes)


async def _confined(folder: Path, form: Path, call: Callable[..., Done], *given: object) -> Done:
    (folder / FORM).write_bytes(await asyncio.to_thread(form.read_bytes))
    try:
        done = await confined_in(folder, _PREPARED, LIMITS, call, *given)
    except (ConfinementError, Stalled) as ended:
        raise CliError(ExitCode.FAILED, f"{form.name} could not be read: {ended}") from None
    if done.reasons:
        raise CliError(ExitCode.USAGE, f"{form.name}: {done.reasons[0]}", "\n".join(done.reasons[1:]))
    return done


class Unanswered(NamedTuple):
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
    return report_answers(output, done.answered, left, as_json)


def report_answers(path: Path, answered: Sequence[str], left: Sequence[Unanswered], as_json: bool) -> ExitCode:
    if as_json:
        say_json({"path": str(path), "answered": sorted(answered), "open": [field.field_id for field in left]})
    else:
        say(str(path))
        for field in left:
            note(" ".join(("no answer:", *field)).rstrip())
    note(f"{len(answered)} answered, {len(left)} open")
    return ExitCode.UNFINISHED if left else ExitCode.OK
