"""A document: its sections with their states, the map of what rests on what, what went in and what came out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fastapi import APIRouter, Request, Response
from stemma_client import Client
from stemma_client.costs import WORKS, costs_of
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.summary import DocumentSummary
from stemma_contracts.v1.views import DocumentView, VersionView

from stemma_gateway.authentication import Caller
from stemma_gateway.pages import PageRoute
from stemma_gateway.resources.addresses import AtLeast, DocumentId, read_log
from stemma_gateway.sessions import Session

from .document_map import drawn
from .shell import shown

STEP, MARGIN = 14, 8


@dataclass(frozen=True)
class Dot:
    """A version on the line of its section."""

    version: VersionView
    x: int


@dataclass(frozen=True)
class Timeline:
    """The versions of each section; all that came later in the document stand further to the right."""

    width: int
    dots: Mapping[str, tuple[Dot, ...]]


def timeline(document: DocumentView) -> Timeline:
    """The versions of a document in their order; what old logs do not date stands first."""
    made = [
        (version.made_at.timestamp() if version.made_at else 0.0, name, version)
        for name, section in document.sections.items()
        for version in section.versions
    ]
    dots: dict[str, list[Dot]] = {name: [] for name in document.sections}
    for place, (_, name, version) in enumerate(sorted(made, key=lambda one: one[0])):
        dots[name].append(Dot(version, MARGIN + place * STEP))
    width = 2 * MARGIN + max(len(made) - 1, 0) * STEP
    return Timeline(width, {name: tuple(of) for name, of in dots.items()})


router = APIRouter(route_class=PageRoute)


@router.get("/desk/documents/{document_id}")
async def show_document(
    request: Request, session: Caller, document_id: DocumentId, at_least: AtLeast = 0, done: str = ""
) -> Response:
    """The page of a document."""
    return await document_page(request, session, document_id, at_least, done="export" if done == "export" else "")


async def document_page(
    request: Request,
    session: Session,
    document_id: str,
    at_least: int = 0,
    *,
    done: str = "",
    error: Exception | None = None,
) -> Response:
    read = await read_log(session, document_id, at_least)
    log, document = read.events, read.document
    return shown(
        request,
        session,
        "document.html",
        error=error,
        document=document,
        title=await title_of(session.client, document),
        kind=await kind_title(session, document.kind),
        map=drawn(document),
        exports=list(document.exports.values())[::-1],
        formats=list(ExportFormat),
        timeline=timeline(document),
        costs=costs_of(log),
        works=WORKS,
        done=done,
        viewed=await session.client.viewed.of(document_id),
    )


async def title_of(client: Client, document: DocumentView | DocumentSummary) -> str:
    """What a document is called; its kind where that is not stored any more."""
    return (await client.stored_text(document.document_id, document.title) or "").strip() or document.kind


async def kind_title(session: Session, kind: str) -> str:
    """What a kind of documents is called; its id where nobody tells of it any more."""
    return next((known.title for known in await session.client.kinds() if known.kind == kind), kind)
