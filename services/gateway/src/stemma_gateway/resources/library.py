"""The library of a tenant: texts that people approved, and what of them is offered to the demands of a document."""

from typing import Annotated

from fastapi import APIRouter, Query
from stemma_client.errors import LedgerFailedError
from stemma_client.library import DemandOffers, LibraryEntry, Offer, entries, offers, search

from stemma_gateway.authentication import Caller
from stemma_gateway.problems import NotFound, problem_in

from .addresses import DocumentId

router = APIRouter(tags=["library"])


@router.get("/library")
async def list_library(session: Caller) -> list[LibraryEntry]:
    """All texts that a person ever approved in the tenant, the latest first; ``lapse`` says why one is not offered."""
    return await entries(session.client)


@router.get("/library/search")
async def search_library(session: Caller, q: Annotated[str, Query(min_length=1, max_length=200)]) -> list[Offer]:
    """The texts that may be used and share words with a query, the best first, each with its nearest passage."""
    return await search(session.client, q)


@router.get("/documents/{document_id}/offers")
async def list_offers(session: Caller, document_id: DocumentId) -> list[DemandOffers]:
    """The demands of a document that nothing answers yet, each with the best texts of others; none is taken by it."""
    try:
        return await offers(session.client, document_id)
    except LedgerFailedError as error:
        raise NotFound(problem_in(error)) from None
