"""The verb of the matrix of demands by sections."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stemma_cli.arguments import AsJson, Document
from stemma_cli.lookup import find_document
from stemma_cli.output import note, say, say_json, say_rows
from stemma_cli.runtime import connected

if TYPE_CHECKING:
    from stemma_client.ledgers import LedgerEntry


async def matrix(
    document: Document,
    holes: Annotated[bool, typer.Option("--holes", help="Only demands that nothing answers.")] = False,
    suspect: Annotated[
        bool, typer.Option("--suspect", help="Only those that changed, or whose section did, since somebody looked.")
    ] = False,
    section: Annotated[str, typer.Option("--section", help="Only those of this section.")] = "",
    looked: Annotated[
        list[str] | None, typer.Option("--looked", metavar="ID", help="You looked at it: it is not suspect any more.")
    ] = None,
    to: Annotated[Path | None, typer.Option("--to", metavar="PATH", help="Write it as .xlsx or .html.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show which section answers which demand, which demands have no answer, and which sections answer none.

    A demand is suspect if its words or the text of its section changed since somebody decided about both.

    Example: stemma matrix 3f2a --holes
    Example: stemma matrix 3f2a --to matrix.xlsx
    Example: stemma matrix 3f2a --looked R1
    """
    from stemma_client.ledgers import matrix_of
    from stemma_contracts.v1.ledger import RequirementDecision
    from stemma_contracts.v1.requests import DecideRequirements

    async with connected(as_json) as client:
        document_id, sequence = await find_document(client, document), 0
        if looked:
            decisions = tuple(RequirementDecision(requirement_id=name, looked=True) for name in dict.fromkeys(looked))
            asked = DecideRequirements(document_id=document_id, decisions=decisions)
            sequence = (await client.request(asked)).sequence or 0
        view = await client.document(document_id, at_least=sequence)
        ledger = await client.ledger_of(view)
    chosen = (entry for entry in ledger.entries if entry.counts)
    chosen = (entry for entry in chosen if (not holes or entry.is_hole) and (not suspect or entry.standing.suspect))
    found = matrix_of(view, ledger, (one for one in chosen if section in ("", one.standing.section_id)))
    if to is not None:
        from stemma_cli import exports, matrices

        exports.write_atomically(to, matrices.write(to, found))
        say(str(to))
    elif as_json:
        say_json(found)
    else:
        say_rows(ROWS, found.entries)
        for name in found.idle:
            note(f"{name} answers no demand")


def _answer(entry: LedgerEntry) -> str:
    from stemma_cli.matrices import answer_words

    return answer_words(entry)


ROWS: Mapping[str, Callable[[LedgerEntry], str]] = {
    "id": lambda entry: entry.row.requirement_id,
    "obligation": lambda entry: entry.row.obligation,
    "section": lambda entry: entry.standing.section_id or "-",
    "answer": _answer,
    "text": lambda entry: entry.row.quote,
}
VERBS = {"matrix": matrix}
