"""What a document has to answer, as far as a program can ask for it without reading artifacts."""

from __future__ import annotations

from datetime import UTC, datetime

from fastapi import APIRouter
from stemma_client.errors import LedgerFailedError
from stemma_client.ledgers import ListedDeadline, listed_deadlines
from stemma_contracts.v1.answers import Problem

from stemma_gateway.authentication import Caller
from stemma_gateway.problems import NotFound, problem_in

from .addresses import AtLeast, DocumentId, document_of

router = APIRouter(tags=["documents"])


@router.get("/documents/{document_id}/deadlines")
async def list_deadlines(session: Caller, document_id: DocumentId, at_least: AtLeast = 0) -> list[ListedDeadline]:
    """The deadlines of what a document answers, by their days; ``state`` is that of today in UTC."""
    document = await document_of(session, document_id, at_least)
    try:
        ledger = await session.client.ledger_of(document)
    except LedgerFailedError as error:
        raise NotFound(problem_in(error)) from None
    if ledger.deadlines is None:
        raise NotFound(Problem.of("deadlines_not_read"))
    return list(listed_deadlines(ledger.deadlines, datetime.now(UTC).date()))
