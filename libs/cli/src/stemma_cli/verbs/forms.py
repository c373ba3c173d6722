"""Verbs about forms that a buyer wants to have back filled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stemma_cli.arguments import AsJson
from stemma_cli.exit_codes import CliError, ExitCode
from stemma_cli.lookup import find_document
from stemma_cli.output import note, say, say_json, say_table
from stemma_cli.runtime import connected

if TYPE_CHECKING:
    from stemma_client.client import Client
    from stemma_forms import Field

COLUMNS = ("field", "place", "accepts", "question")
Form = Annotated[Path, typer.Argument(metavar="FORM", help="An XLSX or DOCX of the buyer.")]


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
    if as_json:
        say_json([asdict(field) for field in found])
    elif markdown:
        print(as_markdown(found), end="")
    else:
        say_table(COLUMNS, [(field.id, field.place, accepted(field), field.question) for field in found])
    note(f"{len(found)} fields" if len(found) != 1 else "1 field")


async def fill(
    form: Form,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="PATH", help="File to write the filled form to.")],
    answers: Annotated[
        str | None, typer.Option("--answers", "-a", help="Markdown with the answers below the fields' headings; `-`.")
    ] = None,
    document: Annotated[
        str | None, typer.Option("--document", "-d", metavar="DOC", help="Take them from its approved sections.")
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
    from stemma_cli.forms import fields_of, filled
    from stemma_cli.prompt import text_in

    found = await fields_of(form)
    if answers is not None:
        texts: Sequence[str] = [await text_in(answers)]
    else:
        async with connected(as_json) as client:
            texts = await _approved(client, document or "")
    given = {identity: answer for text in texts for identity, answer in answers_in(text).items()}
    if not given:
        raise CliError(
            ExitCode.USAGE, "no answer was found", "see `stemma form fields FORM --markdown` for the headings"
        )
    write_atomically(output, await filled(form, given))
    open_fields = [field.id for field in found if field.id not in given]
    if as_json:
        say_json({"path": str(output), "answered": sorted(given), "open": open_fields})
    else:
        say(str(output))
    note(f"{len(given)} answered, {len(open_fields)} open")
    return ExitCode.UNFINISHED if open_fields else ExitCode.OK


async def _approved(client: Client, document: str) -> list[str]:
    """The texts of the sections of a document that are approved."""
    from stemma_contracts.v1.section import SectionStatus

    view = await client.document(await find_document(client, document))
    approved = [section for section in view.sections.values() if section.status is SectionStatus.APPROVED]
    return [await client.text(view.document_id, section.draft) for section in approved]


def accepted(field: Field) -> str:
    """What a field accepts, in a few words."""
    words = ", ".join(field.allowed or field.suggested) or field.kind.value
    return f"{words} (at most {field.limit.most} {field.limit.unit.value})" if field.limit else words


GROUPS: dict[str, tuple[str, dict[str, Callable[..., Any]]]] = {
    "form": ("Forms that a buyer wants to have back filled.", {"fields": fields, "fill": fill})
}
