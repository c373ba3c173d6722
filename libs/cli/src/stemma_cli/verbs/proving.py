"""Verbs about what an exported file proves of itself."""

from pathlib import Path
from typing import Annotated

import typer

from stemma_cli.arguments import AsJson
from stemma_cli.exit_codes import ExitCode
from stemma_cli.output import reply

File = Annotated[Path, typer.Argument(metavar="FILE", help="A DOCX that was exported.")]
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


VERBS = {"verify": verify}
