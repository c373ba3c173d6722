"""Documents: asking for one, and looking at what there is."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from stemma_client import DocumentView
from stemma_client.errors import LedgerFailedError
from stemma_client.ledgers import ListedDeadline, listed_deadlines
from stemma_contracts.v1.answers import Problem, RequestAccepted
from stemma_contracts.v1.capabilities import DocumentKind
from stemma_contracts.v1.references import InputFile
from stemma_contracts.v1.summary import DocumentSummary
from stemma_contracts.v1.views import EventView

from stemma_gateway.authentication import Caller
from stemma_gateway.content import content, served
from stemma_gateway.delivery import Made, Stored, delivered
from stemma_gateway.forms import asked_for, described
from stemma_gateway.preferences import Preferred
from stemma_gateway.problems import Conflict, NotFound, problem_in

from .addresses import AtLeast, DocumentId, document_of, told

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


MOST = 1000


@router.post(
    "/documents",
    status_code=202,
    responses={202: {"model": Stored}, 201: {"model": RequestAccepted, "description": "with `Prefer: wait`"}},
    openapi_extra=dict(described()),
)
async def create_document(request: Request, session: Caller, preferences: Preferred) -> Response:
    """Ask for a document, as JSON, or as a form with its files."""
    asked = await asked_for(request, session)
    return await delivered(
        request, session, asked, preferences, Made(lambda answer: f"/documents/{answer.document_id}")
    )


@router.get("/documents")
async def list_documents(
    session: Caller,
    limit: Annotated[int, Query(ge=1, le=MOST)] = MOST,
    after: Annotated[str | None, Query(max_length=64, description="the id of the last one that was read")] = None,
) -> list[DocumentSummary]:
    """All documents of the tenant, newest first, from the read model, which follows the log."""
    found = await session.client.documents()
    begin = 0 if after is None else _place_behind(after, found)
    return found[begin : begin + limit]


def _place_behind(document_id: str, documents: list[DocumentSummary]) -> int:
    """Raises `Conflict` for a document that is not there: whoever pages would begin again and again."""
    for number, document in enumerate(documents, 1):
        if document.document_id == document_id:
            return number
    raise Conflict(Problem.of("cursor_unknown", "after"))


@router.get("/documents/{document_id}")
async def show_document(session: Caller, document_id: DocumentId, at_least: AtLeast = 0) -> DocumentView:
    """A document with its sections and all their versions, as its log tells it."""
    return await document_of(session, document_id, at_least)


@router.get("/documents/{document_id}/summary")
async def show_summary(session: Caller, document_id: DocumentId, at_least: AtLeast = 0) -> DocumentSummary:
    """A document in short, from the read model, which follows the log."""
    await told(session, document_id, at_least)
    return (await session.client.overview(document_id, at_least=at_least)).document


@router.get("/documents/{document_id}/history")
async def show_history(session: Caller, document_id: DocumentId, at_least: AtLeast = 0) -> list[EventView]:
    """Everything that happened to a document so far."""
    await told(session, document_id, at_least)
    return [event.view for event in await session.client.history(document_id, at_least=at_least)]


@router.get("/documents/{document_id}/inputs")
async def list_inputs(session: Caller, document_id: DocumentId) -> list[InputFile]:
    """The inputs of a document."""
    return list((await document_of(session, document_id)).inputs)


@content(router, "/documents/{document_id}/inputs/{name:path}")
async def download_input(request: Request, session: Caller, document_id: DocumentId, name: str) -> Response:
    """The content of an input."""
    for file in (await document_of(session, document_id)).inputs:
        if file.name == name:
            return await served(request, session, document_id, file.artifact)
    raise NotFound(Problem.of("input_unknown", name=name))


@router.get("/kinds")
async def list_kinds(session: Caller) -> list[DocumentKind]:
    """The document kinds that can be asked for."""
    return list(await session.client.kinds())
