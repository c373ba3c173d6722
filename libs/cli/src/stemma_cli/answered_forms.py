"""A form of a document, with the answers of its section in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from .exit_codes import CliError, ExitCode
from .exports import write_atomically
from .output import note, say, say_json
from .runtime import connected

if TYPE_CHECKING:
    from stemma_forms import Field


async def export_form(document: str, name: str, output: Path, as_json: bool) -> ExitCode:
    """Write the file of the buyer with the answers of the approved section, and say which fields have none."""
    from stemma_contracts.v1.section import SectionStatus
    from stemma_forms import answers_in

    from .forms import fields_of, filled
    from .verbs.inputs import find_input

    async with connected(as_json) as client:
        view, one = await find_input(client, document, name)
        answers = [s for s in view.sections.values() if s.form and s.form.input_id == one.input_id]
        if not answers:
            raise CliError(
                ExitCode.FAILED, f"no section answers {one.name}", f"see `stemma form confirm DOC {one.name}`"
            )
        section = answers[0]
        if section.status not in (SectionStatus.APPROVED, SectionStatus.EDITED):
            words = f"the answers to {one.name} are {section.status}"
            raise CliError(ExitCode.FAILED, words, f"review the section {section.section_id}: `stemma review DOC`")
        text = await client.text(view.document_id, section.draft)
        content = await client.artifact(view.document_id, one.file)
    with TemporaryDirectory(prefix="stemma-") as folder:
        form = Path(folder) / Path(one.name).name
        form.write_bytes(content)
        found = await fields_of(form)
        known = {field.id for field in found}
        given = {identity: answer for identity, answer in answers_in(text).items() if identity in known}
        write_atomically(output, await filled(form, given))
    return tell_filled(output, found, given, as_json)


def tell_filled(path: Path, fields: Sequence[Field], given: Mapping[str, str], as_json: bool) -> ExitCode:
    """Say what was written, and name the fields without an answer."""
    left = [field for field in fields if field.id not in given]
    if as_json:
        say_json({"path": str(path), "answered": sorted(given), "open": [field.id for field in left]})
    else:
        say(str(path))
        for field in left:
            note(f"no answer: {field.id} {field.place} {field.question}")
    note(f"{len(given)} answered, {len(left)} open")
    return ExitCode.UNFINISHED if left else ExitCode.OK
