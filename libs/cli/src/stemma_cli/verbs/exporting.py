"""The verbs that take a document out, and tell what an exported file proves of itself."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stemma_cli.exit_codes import CliError, ExitCode
from stemma_cli.lookup import AsJson, Document, find_document
from stemma_cli.output import console, note, reply, say, say_json
from stemma_cli.runtime import connected

if TYPE_CHECKING:
    from collections.abc import Awaitable, Sequence

    from stemma_client.client import Client
    from stemma_contracts.v1.events import DocumentExported

Format = StrEnum("Format", ["docx", "pdf", "html", "json", "md"])
Citations = Annotated[
    bool, typer.Option("--citations", help="Footnotes say on which page or place of the inputs a sentence rests.")
]
Matrix = Annotated[
    bool, typer.Option("--matrix", help="An appendix says where each requirement of the ledger is answered.")
]
ClientName = Annotated[
    str, typer.Option("--client", help="Whom the offer is for, where the template of the house shows it.")
]
Number = Annotated[
    str, typer.Option("--number", help="The number of the offer, where the template of the house shows it.")
]
Form = Annotated[
    str | None, typer.Option("--form", metavar="INPUT", help="A form of the buyer with its section's answers in it.")
]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="PATH", help="File or folder to write to; `-` is stdout.")
]
Redline = Annotated[
    tuple[str, str] | None,
    typer.Option(
        "--redline", metavar="A B", help="DOCX with what changed as tracked changes: two exports, or one and `now`."
    ),
]
OfSection = Annotated[
    str | None, typer.Option("--section", metavar="SECTION", help="With --redline: two versions of this section.")
]


async def export(
    document: Document,
    format: Annotated[
        list[Format] | None,
        typer.Option(
            "--format", "-f", help="Format, also several; else what the ending of PATH says, docx without one."
        ),
    ] = None,
    output: Output = None,
    redline: Redline = None,
    section: OfSection = None,
    citations: Citations = False,
    matrix: Matrix = False,
    client_name: ClientName = "",
    number: Number = "",
    form: Form = None,
    as_json: AsJson = False,
) -> ExitCode:
    """Export a document, finished or not.

    Exit code 5 says that a file was written and that the document in it is unfinished. Several formats are held
    against the rules for the bid together.

    Example: stemma export 3f2a --format docx -o proposal.docx
    Example: stemma export 3f2a --citations -o proposal.pdf
    Example: stemma export 3f2a --matrix -o proposal.docx
    Example: stemma export 3f2a --form questionnaire.xlsx -o filled.xlsx
    Example: stemma export 3f2a --redline export-31 now -o changes.docx
    Example: stemma export 3f2a --section budget --redline 1 2 -o budget.docx
    """
    if form is not None:
        alone = not any((format, redline, section, citations, matrix))
        return await _form(document, form, output, as_json, alone=alone)
    from stemma_contracts.v1.exports import Cover

    from stemma_cli import exports
    from stemma_cli.exports import pairs

    async with connected(as_json) as client:
        chosen = exports.formats_of(format or (), output)
        added = tuple(name for name, asked in (("citations", citations), ("matrix", matrix)) if asked)
        exports.check_output(output, as_json=as_json)
        for one in chosen:
            exports.check_redline(one, redline, section, added=added)
        document_id = await find_document(client, document)
        compared = await pairs(client, document_id, section, redline) if redline else ()
        cover = Cover(client=client_name, number=number) if client_name or number else None
        made: list[DocumentExported] = []
        paths: list[Path] = []
        for one in chosen:
            paths.append(exports.path_of(output, f"{document_id}{'-changes' if redline else ''}.{one}"))
            exporting = client.export(
                document_id, one, redline=compared, citations=citations, matrix=matrix, cover=cover
            )
            made.append(await _written(client, document_id, exporting, paths[-1]))
        unused = [] if redline else await _unused(client, document_id)
    return _told(exports.held_together(made), paths, unused, as_json)


async def _written(
    client: Client, document_id: str, exporting: Awaitable[DocumentExported], path: Path
) -> DocumentExported:
    from stemma_cli import exports

    with console(stderr=True).status("exporting"):
        done = await exporting
        exports.write(path, await client.artifact(document_id, done.artifact))
        if done.open_list and (beside := exports.list_path(done, path)):
            exports.write(beside, await client.artifact(document_id, done.open_list))
    return done


async def _unused(client: Client, document_id: str) -> list[str]:
    from stemma_cli.rendering.inputs import unused_lines

    return await unused_lines(client, await client.document(document_id))


def _told(made: Sequence[DocumentExported], paths: Sequence[Path], unused: Sequence[str], as_json: bool) -> ExitCode:
    from stemma_cli import exports

    unfinished = [exports.is_unfinished(done) for done in made]
    if as_json:
        told = [
            done.model_dump(mode="json") | {"path": str(path), "finished": not lacks, "unused": unused}
            for done, path, lacks in zip(made, paths, unfinished, strict=True)
        ]
        say_json(told[0] if len(told) == 1 else told)
    else:
        for done, path in zip(made, paths, strict=True):
            if path != exports.STDOUT:
                say(str(path))
            for line in (f"exported as {done.export_id}", *exports.warning_lines(done, path)):
                note(line)
        for line in unused:
            note(line)
    return ExitCode.UNFINISHED if any(unfinished) else ExitCode.OK


async def _form(document: str, form: str, output: Path | None, as_json: bool, *, alone: bool) -> ExitCode:
    if not alone or output is None or str(output) == "-":
        raise typer.BadParameter("--form goes with --output PATH and nothing else")
    from stemma_cli.forms import export_form

    return await export_form(document, form, output, as_json)


File = Annotated[Path, typer.Argument(metavar="FILE", help="A DOCX or PDF that was exported.")]
Keys = Annotated[
    list[str] | None, typer.Option("--key", metavar="KEY", help="The public key of its sender, also several.")
]


async def verify(file: File, key: Keys = None, as_json: AsJson = False) -> ExitCode:
    """Say whether a file is as it left, who settled which version of it, and if not, which blocks are not.

    No server is asked. Exit code 1 says that the file is not what was signed.

    Example: stemma verify proposal.docx --key 8d41b0a6f1...
    """
    from stemma_cli.proofs import lines, proof_of

    found = await proof_of(file, [one.strip().lower() for one in key or ()])
    reply(found.model_dump(mode="json", exclude_defaults=True), *lines(found), as_json=as_json)
    return ExitCode.OK if found.state == "valid" else ExitCode.FAILED


async def provenance(
    document: Document,
    export: Annotated[str, typer.Option("--export", metavar="EXPORT", help="Which one; else the last.")] = "",
    prov: Annotated[bool, typer.Option("--prov", help="As W3C PROV has it (PROV-JSON).")] = False,
    as_json: AsJson = False,
) -> None:
    """Print what each block of an export rests on and answers, and who settled it, with all names.

    The file itself has names only of what its reader knows. With --json the `salt` of a name opens its seal to others.

    Example: stemma provenance 3f2a --json
    Example: stemma provenance 3f2a --prov > proposal.prov.json
    """
    from stemma_client.proofs import as_prov, latest_proven
    from stemma_contracts.v1.proofs import Proof

    from stemma_cli.proofs import provenance_lines

    async with connected(as_json or prov) as client:
        document_id = await find_document(client, document)
        view = await client.document(document_id)
        found = view.exports.get(export) if export else latest_proven(view)
        if found is None or found.proof is None:
            what = f"{export} proves nothing" if export else "no export of it proves anything"
            raise CliError(ExitCode.USAGE, what, f"export it: stemma export {document} --format docx")
        proof = Proof.model_validate_json(await client.artifact(document_id, found.proof))
    if prov:
        say_json(as_prov(proof))
    else:
        reply(proof.model_dump(mode="json", exclude_defaults=True), *provenance_lines(proof), as_json=as_json)
