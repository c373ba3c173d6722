"""Comments on sections."""

from __future__ import annotations

from fastapi import APIRouter
from stemma_client.comments import ReadThread

from stemma_gateway.authentication import Caller

from .addresses import AtLeast, DocumentId, SectionId, section_of

router = APIRouter(tags=["sections"], prefix="/documents/{document_id}/sections/{section_id}/comments")


@router.get("")
async def list_comments(
    session: Caller, document_id: DocumentId, section_id: SectionId, at_least: AtLeast = 0
) -> list[ReadThread]:
    """The threads of comments on a section, with the places in the current version that they are about."""
    section = await section_of(session, document_id, section_id, at_least)
    return list(await session.client.threads(document_id, section))
