"""What a person has viewed: ticks that follow the person from browser to browser, and that nobody else sees."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Form, Request, Response
from stemma_contracts.tokens import Token

from stemma_gateway.authentication import Caller
from stemma_gateway.pages import PageRoute
from stemma_gateway.resources.addresses import DocumentId

router = APIRouter(route_class=PageRoute)


@router.post("/desk/documents/{document_id}/viewed", status_code=HTTPStatus.NO_CONTENT)
async def view(
    request: Request,
    session: Caller,
    document_id: DocumentId,
    section: Annotated[Token, Form()],
    version: Annotated[int, Form(ge=0, le=2**31)],
) -> Response:
    """Tick a section as viewed in a version, or with 0 take that back."""
    await session.client.viewed.mark(document_id, section, version)
    return Response(status_code=HTTPStatus.NO_CONTENT)
