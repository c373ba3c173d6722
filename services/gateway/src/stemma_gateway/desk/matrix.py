"""The matrix of a document: its demands by its sections, what has no answer, and what changed since somebody looked."""

import asyncio

from fastapi import APIRouter, Request, Response
from stemma_client import DocumentView
from stemma_client.ledgers import matrix_of

from stemma_gateway.authentication import Caller, RepeatableCaller
from stemma_gateway.pages import PageRoute, led_to
from stemma_gateway.resources.addresses import AtLeast, DocumentId, document_of
from stemma_gateway.sessions import Session

from .forms import DOCUMENT, REFUSED, fields_of
from .requirements import NO_SECTION, Done, Filter, Wanted, decided, decisions_in, known_verb, ledger_in, listed
from .shell import shown, title_of

PAGE = f"{DOCUMENT}/matrix"
router = APIRouter(route_class=PageRoute)


@router.get(PAGE)
async def show_matrix(
    request: Request, session: Caller, document_id: DocumentId, wanted: Wanted, at_least: AtLeast = 0, done: Done = ""
) -> Response:
    document = await document_of(session, document_id, at_least)
    return await _page(request, session, document, wanted, done=known_verb(done))


@router.post(PAGE)
async def look(request: Request, session: RepeatableCaller, document_id: DocumentId, wanted: Wanted) -> Response:
    """Say that the rows that are ticked were compared with the texts of their sections."""
    fields = await fields_of(request)
    document = await document_of(session, document_id)
    try:
        verb, decisions = decisions_in(fields)
        sequence = await decided(session, document, fields, decisions)
    except REFUSED as error:
        return await _page(request, session, document, wanted, error=error)
    query = wanted.query(done=verb, at_least=sequence)
    return led_to(request, f"{PAGE.format(document_id=document_id)}?{query}")


async def _page(
    request: Request,
    session: Session,
    document: DocumentView,
    wanted: Filter,
    *,
    done: str = "",
    error: Exception | None = None,
) -> Response:
    ledger = await ledger_in(session, document)
    found = await asyncio.to_thread(listed, ledger.entries if ledger else (), wanted)
    return shown(
        request,
        session,
        "matrix.html",
        error=error,
        document=document,
        title=await title_of(session.client, document),
        ledger=ledger,
        matrix=matrix_of(document, ledger, found.entries) if ledger else None,
        listed=found,
        wanted=wanted,
        no_section=NO_SECTION,
        done=done,
    )
