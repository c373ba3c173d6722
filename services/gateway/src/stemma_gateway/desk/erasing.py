"""What would go if a document were erased, and the form that has it erased as it was shown."""

from fastapi import APIRouter, Request, Response
from stemma_contracts.v1.requests import EraseDocument

from stemma_gateway.authentication import Caller, RepeatableCaller
from stemma_gateway.pages import PageRoute, led_to
from stemma_gateway.resources.addresses import DocumentId
from stemma_gateway.sessions import Session

from .forms import DOCUMENT, REFUSED, ask, fields_of, whole_number
from .shell import shown

router = APIRouter(route_class=PageRoute)


@router.get(f"{DOCUMENT}/erase")
async def show_erasure(request: Request, session: Caller, document_id: DocumentId) -> Response:
    return await _page(request, session, document_id)


@router.post(f"{DOCUMENT}/erase")
async def erase(request: Request, session: RepeatableCaller, document_id: DocumentId) -> Response:
    form = dict(await fields_of(request))
    try:
        sequence = whole_number(form.get("sequence", "")) or 1
        await ask(session, EraseDocument(document_id=document_id, sequence=sequence, library="library" in form))
    except REFUSED as error:
        return await _page(request, session, document_id, error)
    return led_to(request, "/desk/documents")


async def _page(request: Request, session: Session, document_id: str, error: Exception | None = None) -> Response:
    plan = await ask(session, EraseDocument(document_id=document_id))
    return shown(request, session, "erase.html", error=error, document_id=document_id, plan=plan)
