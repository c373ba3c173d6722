"""A document as it is read: all its sections in their order, with what is said beside their words."""

from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from itertools import accumulate
from urllib.parse import urlencode

from fastapi import APIRouter, Request, Response
from stemma_contracts.v1.views import DocumentView

from stemma_gateway.authentication import Caller
from stemma_gateway.followed import some_at_once
from stemma_gateway.pages import PageRoute, led_to
from stemma_gateway.resources.addresses import AtLeast, DocumentId, document_of, read_log, section_in
from stemma_gateway.sessions import Session

from .document import DOCUMENT, title_of
from .documents import settled
from .forms import SECTION, InSection, SectionAddress
from .results import DONE, Result, result_of
from .section import part_of, people_of
from .shell import shown

MOST_BYTES = 48 * 1024
"""Of Markdown on one page at first; what comes behind is loaded by the page, section by section."""
router = APIRouter(route_class=PageRoute)


@router.get(f"{DOCUMENT}/read")
async def read(
    request: Request,
    session: Caller,
    document_id: DocumentId,
    at_least: AtLeast = 0,
    done: str = "",
    at: str = "",
    thread: str = "",
    whole: bool = False,
) -> Response:
    document = (await read_log(session, document_id, at_least)).document
    first = list(document.sections.values())
    if not whole:
        sizes = accumulate(section.draft.size if section.draft else 0 for section in first)
        first = first[: max(1, sum(size <= MOST_BYTES for size in sizes))]
    made = await some_at_once(part_of(request, session, document, one, one.section_id) for one in first)
    parts = dict(zip((one.section_id for one in first), made, strict=True))
    return shown(
        request,
        session,
        "whole.html",
        document=document,
        title=await title_of(session.client, document),
        settled=settled(document.sections.values()),
        parts=parts,
        later=_later(document, parts),
        people=people_of(session, document),
        viewed=await session.client.viewed.of(document_id),
        result=_result(session, document, at, done, thread),
    )


def _result(session: Session, document: DocumentView, section_id: str, done: str, thread: str) -> Result | None:
    section = document.sections.get(section_id)
    if section is None or done not in DONE:
        return None
    at = SectionAddress(document.document_id, section_id)
    return replace(result_of(done, at, section, session.client.rights.names, thread), path=at.path)


def _later(document: DocumentView, parts: Mapping[str, object]) -> Mapping[str, str]:
    """What is loaded later, each with what differs if anything about the section does."""
    return {
        name: sha256(section.model_dump_json(exclude={"last_sequence"}).encode()).hexdigest()[:16]
        for name, section in document.sections.items()
        if name not in parts
    }


@router.get(f"{SECTION}/part")
async def show_part(request: Request, session: Caller, at: InSection) -> Response:
    """One section of the page, which loads it once it is there."""
    document = await document_of(session, at.document_id)
    section = section_in(document, at.section_id)
    return shown(
        request,
        session,
        "one_part.html",
        document=document,
        part=await part_of(request, session, document, section, at.section_id),
        people=people_of(session, document),
    )


@router.get(f"{SECTION}/in-document")
async def lead_to_part(request: Request, at: InSection) -> Response:
    """Lead back to where a person decided on the page of the document."""
    told = urlencode({**request.query_params, "at": at.section_id})
    return led_to(request, f"{DOCUMENT.format(document_id=at.document_id)}/read?{told}#section-{at.section_id}")
