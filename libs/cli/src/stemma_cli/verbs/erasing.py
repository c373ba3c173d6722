"""The verb that erases a document."""

from __future__ import annotations

from typing import Annotated

import typer

from stemma_cli.arguments import AsJson, Document
from stemma_cli.lookup import find_document
from stemma_cli.output import note, reply
from stemma_cli.report import tell_answer
from stemma_cli.runtime import connected


async def erase(
    document: Document,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask at the terminal.")] = False,
    library: Annotated[
        bool, typer.Option("--library", help="Withdraw also what other documents took of it from the library.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would go, and erase nothing.")] = False,
    as_json: AsJson = False,
) -> None:
    """Erase a document and all that is stored of it, for good. One that is running is cancelled first.

    It says how much would go from which store, and asks; a script says --yes. That it was erased, by whom and when, is
    all that stays: `stemma history DOC` certifies it. Backups and what people downloaded are not reached.

    Example: stemma erase 3f2a --dry-run
    Example: stemma erase 3f2a --yes
    """
    from stemma_contracts.v1 import requests as r

    from stemma_cli.consent import agreed

    async with connected(as_json) as client:
        document_id = await find_document(client, document)
        plan = await client.request(r.EraseDocument(document_id=document_id))
        told = [f"{one.store}: {one.count}" for one in plan.would_erase]
        if dry_run:
            reply(plan, *told, as_json=as_json)
            return
        if not yes:
            note("\n".join(told))
            hint = f"say it: stemma erase {document} --yes"
            await agreed(f"Erase {document_id} for good?", "nobody was asked", hint)
        accepted = await client.request(
            r.EraseDocument(document_id=document_id, sequence=plan.sequence, library=library)
        )
    tell_answer(accepted, f"{document_id} is being erased", as_json=as_json)


VERBS = {"erase": erase}
