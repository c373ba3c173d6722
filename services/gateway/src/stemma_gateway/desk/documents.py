"""All documents of a tenant: found by their words and by how far they are, page by page."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Literal, get_args
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request, Response
from stemma_client.overviews import listed_sections
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.section import SETTLED
from stemma_contracts.v1.summary import DocumentSummary, SectionSummary
from stemma_contracts.v1.views import SectionView

from stemma_gateway.authentication import Caller
from stemma_gateway.pages import PageRoute
from stemma_gateway.sessions import Session

from .shell import shown

State = Literal["waiting", "running", "done", "ended"]
STATES: tuple[State, ...] = get_args(State)
ON_A_PAGE = 25
MOST_MATCHES = 5
"""Sections that are named below a document because their titles were searched for."""
MAX_QUERY = 200
Words = Annotated[str, Query(max_length=MAX_QUERY)]
router = APIRouter(route_class=PageRoute)


@dataclass(frozen=True)
class Row:
    """A document in the list; ``matches`` are the sections whose titles have the words."""

    document: DocumentSummary
    waiting: int
    title: str = ""
    matches: tuple[SectionSummary, ...] = ()


def settled(sections: Iterable[SectionSummary | SectionView]) -> int:
    """How many of them are settled, and not stale."""
    return sum(one.status in SETTLED and not one.stale for one in sections)


@router.get("/desk/documents")
async def show_documents(
    request: Request,
    session: Caller,
    q: Words = "",
    state: State | None = None,
    page: Annotated[int, Query(ge=1, le=10_000)] = 1,
) -> Response:
    rows = [_row(session, one) for one in await session.client.documents()]
    if q.strip():
        rows = await asyncio.to_thread(matching, await _titled(session, rows), q)
    counts = {name: sum(STATE_OF[name](row) for row in rows) for name in STATES}
    found = [row for row in rows if state is None or STATE_OF[state](row)]
    pages = max(1, -(-len(found) // ON_A_PAGE))
    page = min(page, pages)

    def query(**other: object) -> str:
        given = {"q": q.strip(), "state": state, "page": 1, **other}
        return urlencode({name: value for name, value in given.items() if value and (name, value) != ("page", 1)})

    return shown(
        request,
        session,
        "documents.html",
        settled=settled,
        rows=await _titled(session, found[(page - 1) * ON_A_PAGE : page * ON_A_PAGE]),
        q=q.strip(),
        state=state,
        counts=counts,
        total=len(rows),
        page=page,
        pages=pages,
        query=query,
    )


STATE_OF: Mapping[State, Callable[[Row], bool]] = {
    "waiting": lambda row: row.waiting > 0,
    "running": lambda row: row.document.status in (DocumentStatus.RUNNING, DocumentStatus.PAUSED),
    "done": lambda row: row.document.status is DocumentStatus.COMPLETED,
    "ended": lambda row: row.document.status in (DocumentStatus.CANCELLED, DocumentStatus.FAILED),
}


def _row(session: Session, document: DocumentSummary) -> Row:
    return Row(document, sum(one.assignee in ("", session.user) for one in listed_sections(document)))


async def _titled(session: Session, rows: list[Row]) -> list[Row]:
    titles = await session.followed.titles([row.document for row in rows])
    return [replace(row, title=title) for row, title in zip(rows, titles, strict=True)]


def has_words(text: str, words: str) -> bool:
    """Whether a text has each of some words, wherever they stand in it."""
    inside = text.casefold()
    return all(word in inside for word in words.casefold().split())


def matching(rows: list[Row], q: str) -> list[Row]:
    """The documents with the words in their titles, or in those of their sections."""
    found = []
    for row in rows:
        matches = tuple(one for one in row.document.sections if has_words(one.title, q))
        if matches or has_words(f"{row.title} {row.document.kind} {row.document.document_id}", q):
            found.append(replace(row, matches=matches[:MOST_MATCHES]))
    return found
