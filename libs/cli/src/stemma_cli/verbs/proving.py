"""Verbs about what an exported file proves of itself."""

from pathlib import Path
from typing import Annotated

import typer

from stemma_cli.arguments import AsJson, Document
from stemma_cli.exit_codes import CliError, ExitCode
from stemma_cli.lookup import find_document
from stemma_cli.output import reply, say_json
from stemma_cli.runtime import connected

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


VERBS = {"verify": verify, "provenance": provenance}
