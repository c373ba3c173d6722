"""Verbs about forms that a buyer wants to have back filled."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stemma_cli.exit_codes import CliError, ExitCode
from stemma_cli.lookup import AsJson, Document, find_document
from stemma_cli.output import note, reply, say_rows
from stemma_cli.runtime import connected
from stemma_cli.verbs.inputs import InputName

if TYPE_CHECKING:
    from stemma_client.client import Client
    from stemma_contracts.v1.forms import FormField
    from stemma_forms import Field

Form = Annotated[Path, typer.Argument(metavar="FORM", help="An XLSX, DOCX or PDF of the buyer.")]


async def fields(
    form: Form,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print a text with a heading for each field.")] = False,
    as_json: AsJson = False,
) -> None:
    """List what a form asks for, where, and what it accepts.

    Example: stemma form fields questionnaire.xlsx
    Example: stemma form fields questionnaire.xlsx --markdown > answers.md
    """
    from stemma_forms import as_markdown

    from stemma_cli.forms import fields_of

    found = await fields_of(form)
    if markdown and not as_json:
        print(as_markdown(found), end="")
    else:
        say_rows(FIELDS, found, as_json=as_json)
    note(f"{len(found)} fields" if len(found) != 1 else "1 field")


async def fill(
    form: Form,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="PATH", help="File to write the filled form to.")],
    answers: Annotated[
        str | None, typer.Option("--answers", "-a", help="Markdown with the answers below the fields' headings; `-`.")
    ] = None,
    document: Annotated[
        str | None, typer.Option("--document", "-d", metavar="DOC", help="Take them from its settled sections.")
    ] = None,
    as_json: AsJson = False,
) -> ExitCode:
    """Write answers into a form, and leave everything else of the file as it is.

    Exit code 5 says that the form was written and that some of its fields have no answer.

    Example: stemma form fill questionnaire.xlsx --answers answers.md -o filled.xlsx
    Example: stemma form fill questionnaire.xlsx --document 3f2a -o filled.xlsx
    """
    if (answers is None) == (document is None):
        raise typer.BadParameter("give one of --answers and --document")

    from stemma_forms import answers_in

    from stemma_cli.exports import write_atomically
    from stemma_cli.forms import Unanswered, fields_of, filled, report_answers
    from stemma_cli.prompt import text_in

    found = await fields_of(form)
    if answers is not None:
        texts: Sequence[str] = [await text_in(answers)]
    else:
        async with connected(as_json) as client:
            texts = await _settled(client, document or "")
    given = {identity: answer for text in texts for identity, answer in answers_in(text).items()}
    if not given:
        raise CliError(
            ExitCode.USAGE, "no answer was found", "see `stemma form fields FORM --markdown` for the headings"
        )
    write_atomically(output, await filled(form, given))
    left = [Unanswered(field.id, field.place, field.question) for field in found if field.id not in given]
    return report_answers(output, list(given), left, as_json)


async def _settled(client: Client, document: str) -> list[str]:
    """The texts of the settled sections of a document; raises `CliError` for answers in one that is stale."""
    from stemma_contracts.v1.section import SectionStatus
    from stemma_forms import answers_in

    view = await client.document(await find_document(client, document))
    settled = [s for s in view.sections.values() if s.status in (SectionStatus.APPROVED, SectionStatus.EDITED)]
    texts = {section.section_id: await client.text(view.document_id, section.draft) for section in settled}
    stale = [s.section_id for s in settled if s.stale is not None and answers_in(texts[s.section_id])]
    if stale:
        hint = f"see `stemma stale {view.document_id[:8]}`, then `stemma keep` or `stemma regenerate`"
        raise CliError(ExitCode.REJECTED, f"stale, so its answers are not written: {', '.join(stale)}", hint)
    return list(texts.values())


def accepted(field: Field) -> str:
    words = ", ".join(field.allowed or field.suggested) or field.kind.value
    return f"{words} (at most {field.limit.most} {field.limit.unit.value})" if field.limit else words


async def confirm(
    document: Document,
    name: InputName,
    drop: Annotated[
        list[str] | None, typer.Option("--drop", metavar="FIELD", help="A field that nobody is to answer, by its id.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Have the fields that were found in a form answered, in a section that is drafted and reviewed as all others.

    Without --drop all of them; `stemma form proposed` lists them.

    Example: stemma form confirm 3f2a questionnaire.xlsx --drop f-1f3a5c7e90
    """
    from stemma_contracts.v1.requests import ConfirmFormFields

    from stemma_cli.verbs.inputs import find_input

    async with connected(as_json) as client:
        view, one = await find_input(client, document, name)
        about = {"document_id": view.document_id, "input_id": one.input_id, "version": one.version}
        accepted = await client.request(ConfirmFormFields.model_validate(about | {"dropped": drop or ()}))
    reply(accepted, f"form-{one.input_id}", as_json=as_json)


async def proposed(document: Document, name: InputName, as_json: AsJson = False) -> None:
    """List the fields that were found in a form of a document.

    Example: stemma form proposed 3f2a questionnaire.xlsx
    """
    from stemma_contracts.v1.forms import FormFields

    from stemma_cli.verbs.inputs import find_input

    async with connected(as_json) as client:
        view, one = await find_input(client, document, name)
        if one.form is None:
            raise CliError(ExitCode.FAILED, f"no fields were found in {one.name}", "see `stemma show DOC --inputs`")
        found = FormFields.model_validate_json(await client.artifact(view.document_id, one.form.fields))
    say_rows(PROPOSED, found.fields, as_json=as_json)


FIELDS: Mapping[str, Callable[[Field], str]] = {
    "field": lambda field: field.id,
    "place": lambda field: field.place,
    "accepts": accepted,
    "question": lambda field: field.question,
}
PROPOSED: Mapping[str, Callable[[FormField], str]] = {
    "field": lambda field: field.field_id,
    "place": lambda field: field.place,
    "accepts": lambda field: ", ".join(field.allowed) or field.kind,
    "question": lambda field: field.question,
}
GROUPS: dict[str, tuple[str, dict[str, Callable[..., Any]]]] = {
    "form": (
        "Forms that a buyer wants to have back filled.",
        {"fields": fields, "fill": fill, "proposed": proposed, "confirm": confirm},
    )
}
