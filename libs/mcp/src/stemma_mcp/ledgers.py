"""Tools about the requirement ledger: the demands that a document answers, and what is decided about each."""

from datetime import UTC, datetime
from typing import Annotated

from pydantic import Field
from stemma_client.client import Client
from stemma_client.errors import InvalidCutError
from stemma_client.ledgers import listed_deadlines
from stemma_contracts.tokens import Token
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.ledger import MOST_CUTS, RequirementKind
from stemma_contracts.v1.views import LedgerView

from stemma_mcp.answers import ASK_AGAIN_AFTER_S, accepted

from .answers import Accepted, DeadlineList, Requirements, further, step
from .arguments import DocumentId, RequestId
from .clients import asked

PAGE = 100
ANSWERED_WITHIN_S = 2.0
"""How long the answer to a call that was made before is looked for, where the row does not read so any more."""


async def list_requirements(
    client: Client,
    document_id: DocumentId,
    kind: Annotated[RequirementKind | None, Field(description="Only this kind.")] = None,
    only_open: Annotated[
        bool, Field(description="Only what must be answered and is not, as far as anybody said.")
    ] = False,
    skip: Annotated[int, Field(ge=0, description="Leave out so many of the first.")] = 0,
) -> Requirements:
    """List the demands that a document answers, a hundred at a time: the words of each, where they stand, and what was
    decided about it."""
    view = await client.document(document_id)
    if view.ledger is None or view.ledger.rows is None:
        return _nothing(document_id, view.ledger)
    ledger = await client.ledger(document_id)
    open_rows = set(ledger.view.open_mandatory)
    chosen = [
        entry
        for entry in ledger.entries
        if kind in (None, entry.row.kind) and (not only_open or entry.row.requirement_id in open_rows)
    ]
    page = chosen[skip : skip + PAGE]
    return Requirements(
        document_id=document_id,
        requirements=page,
        total=len(chosen),
        open_mandatory=len(open_rows),
        changed=list(ledger.view.summary.changed),
        withdrawn=list(ledger.view.summary.withdrawn),
        sections_to_look_at=list(ledger.view.stale_sections),
        failure=ledger.view.failure,
        second_opinion=ledger.view.opinion,
        ask_again_after_s=ASK_AGAIN_AFTER_S if ledger.view.reading or ledger.view.asking else None,
        next=further("list_requirements", skip + len(page), len(chosen), document_id=document_id),
    )


def _nothing(document_id: str, ledger: LedgerView | None) -> Requirements:
    reading = ledger is not None and ledger.reading
    again = step("list_requirements", "they are being read", document_id=document_id)
    read = step("read_requirements", "no demands were read yet", document_id=document_id)
    return Requirements(
        document_id=document_id,
        failure=ledger.failure if ledger else "",
        ask_again_after_s=ASK_AGAIN_AFTER_S if reading else None,
        next=[again if reading else read],
    )


async def split_requirement(
    client: Client,
    document_id: DocumentId,
    requirement_id: Annotated[Token, Field(description="From list_requirements.")],
    begins_with: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=500)]],
        Field(min_length=1, max_length=MOST_CUTS, description="The first words of each part but the first, verbatim."),
    ],
    request_id: RequestId = "",
) -> Accepted:
    """Cut a demand that asks for several things into a row for each. The first part keeps the id, the others get new
    ones, such as R3-2; what was decided about it holds for all of them. list_requirements tells the ids."""
    ledger = await client.ledger(document_id)
    try:
        splits = (ledger.cuts_before(requirement_id, begins_with),)
    except InvalidCutError:
        if not request_id:
            raise
        return accepted(await client.answer(request_id, wait_s=ANSWERED_WITHIN_S), "list_requirements")
    about = {"document_id": document_id, "rows_digest": ledger.rows_digest, "splits": splits}
    return accepted(await asked(client, r.SplitRequirements, request_id, **about), "list_requirements")


async def list_deadlines(
    client: Client,
    document_id: DocumentId,
    skip: Annotated[int, Field(ge=0, description="Leave out so many of the first.")] = 0,
) -> DeadlineList:
    """List what is due when in the sources of the requirement ledger, by its days, a hundred at a time: as it is
    written, with where it stands and what amendments changed."""
    document = await client.document(document_id)
    view = document.ledger
    if view is None or view.rows is None:
        return _none(document_id, view.failure if view else "", reading=view is not None and view.reading)
    ledger = await client.ledger_of(document)
    if ledger.deadlines is None:
        return _none(document_id, "no deadlines were looked for when the requirements were read", reading=view.reading)
    found = listed_deadlines(ledger.deadlines, datetime.now(UTC).date())
    page = found[skip : skip + PAGE]
    return DeadlineList(
        document_id=document_id,
        deadlines=list(page),
        total=len(found),
        more=ledger.more_deadlines,
        failure="",
        ask_again_after_s=ASK_AGAIN_AFTER_S if view.reading else None,
        next=further("list_deadlines", skip + len(page), len(found), document_id=document_id),
    )


def _none(document_id: str, why: str, *, reading: bool) -> DeadlineList:
    """The requirements were not read yet, or are being read, or were read by a release that knew no deadlines."""
    again = step("list_deadlines", "they are being read", document_id=document_id)
    read = step("read_requirements", "deadlines are found when requirements are read", document_id=document_id)
    wait = ASK_AGAIN_AFTER_S if reading else None
    return DeadlineList(document_id=document_id, failure=why, ask_again_after_s=wait, next=[again if reading else read])
