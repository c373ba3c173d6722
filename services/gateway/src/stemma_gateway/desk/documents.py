"""All documents of a tenant: found by their words and by how far they are, and the search over what is in them."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from heapq import nsmallest
from itertools import chain, islice
from typing import Annotated, Literal, get_args
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request, Response
from stemma_client.errors import DocumentNotFoundError, LedgerFailedError
from stemma_client.overviews import listed_sections
from stemma_contracts.tokens import Token
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.section import SETTLED
from stemma_contracts.v1.summary import DocumentSummary, SectionSummary
from stemma_contracts.v1.views import DocumentView, SectionView

from stemma_gateway.authentication import Caller
from stemma_gateway.catalogues import words
from stemma_gateway.pages import PageRoute, language_of
from stemma_gateway.resources.addresses import document_of
from stemma_gateway.sessions import Session
from stemma_gateway.texts import passages_with

from .forms import SECTION
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


Kind = Literal["command", "document", "section", "requirement", "text"]
MOST, MOST_IN_TEXTS = 20, 8
NEWEST = 5
"""Documents that are named before anything is typed."""
SEARCHED = 3
"""Of so many of the newest documents requirements and texts are searched, where no document is open."""
MAX_LABEL = 160
PAGES = (
    ("inbox", "/desk"),
    ("documents", "/desk/documents"),
    ("library", "/desk/library"),
    ("new_document", "/desk/new"),
    ("settings", "/desk/settings"),
    ("notifications", "/desk/notifications"),
    ("people", "/desk/people"),
    ("keys_page", "/desk/keys"),
)
OF_DOCUMENT = (
    ("document", ""),
    ("requirements", "/requirements"),
    ("library_offers", "/library"),
    ("inputs", "/inputs"),
    ("what_was_read", "/reading"),
    ("submission", "/submission"),
    ("history", "/history"),
    ("map", "/map"),
    ("exports", "#exports"),
)


@dataclass(frozen=True)
class Hit:
    """Something that a person may go to; ``of`` says what it belongs to."""

    kind: Kind
    label: str
    path: str
    of: str = ""

    def rank(self, q: str) -> int:
        """How well it fits: its label begins with the words, has them, or has some while the rest says what of."""
        if self.label.casefold().startswith(q):
            return 0
        return 1 if has_words(self.label, q) else 2


@router.get("/desk/search")
async def search(request: Request, session: Caller, q: Words = "", document: Token | None = None) -> Response:
    summaries = await session.client.documents()
    sought = " ".join(q.casefold().split())
    here = next(iter(await _with_titles(session, [one for one in summaries if one.document_id == document])), None)
    titled = await _with_titles(session, summaries if sought else summaries[:NEWEST])
    hits = [*_commands(request, here), *islice(_documents(titled), NEWEST)]
    if sought:
        documents = await _read(session, [here] if here else titled[:SEARCHED])
        demands = await _requirements(session, documents)
        texts = await session.followed.drafts(document for document, _ in documents)
        every = chain(_commands(request, here), _documents(titled), demands)
        passages = await asyncio.to_thread(_in_texts, texts, sought)
        hits = [*(await asyncio.to_thread(_best, every, sought))[: MOST - len(passages)], *passages]
    return shown(request, session, "search.html", q=q.strip(), hits=hits[:MOST], within=document if here else None)


async def _with_titles(session: Session, documents: list[DocumentSummary]) -> list[tuple[DocumentSummary, str]]:
    return list(zip(documents, await session.followed.titles(documents), strict=True))


def _best(hits: Iterable[Hit], q: str) -> list[Hit]:
    found = (hit for hit in hits if has_words(f"{hit.label} {hit.of}", q))
    return nsmallest(MOST, found, key=lambda hit: hit.rank(q))


def _commands(request: Request, here: tuple[DocumentSummary, str] | None) -> Iterator[Hit]:
    names = words(language_of(request))
    if here:
        document, title = here
        for name, path in OF_DOCUMENT:
            yield Hit("command", names[name], f"/desk/documents/{document.document_id}{path}", title)
    for name, path in PAGES:
        yield Hit("command", names[name], path)


def _documents(titled: list[tuple[DocumentSummary, str]]) -> Iterator[Hit]:
    for document, title in titled:
        yield Hit("document", title, f"/desk/documents/{document.document_id}")
    for document, title in titled:
        for section in document.sections:
            path = f"/desk/documents/{document.document_id}/sections/{section.section_id}"
            yield Hit("section", section.title, path, title)


async def _read(session: Session, titled: list[tuple[DocumentSummary, str]]) -> list[tuple[DocumentView, str]]:
    """Documents with their titles, but for those that are gone."""
    found = []
    for document, title in titled:
        with suppress(DocumentNotFoundError):
            found.append((await document_of(session, document.document_id), title))
    return found


def _in_texts(texts: Iterable[tuple[DocumentView, SectionView, str]], sought: str) -> list[Hit]:
    """Passages with the words, each at its place in a section."""
    found = (
        Hit("text", passage.words, f"{SECTION.format(**about)}#line-{passage.line}", section.title)
        for document, section, text in texts
        for about in [{"document_id": document.document_id, "section_id": section.section_id}]
        for passage in passages_with(text, sought, MOST_IN_TEXTS)
    )
    return list(islice(found, MOST_IN_TEXTS))


async def _requirements(session: Session, titled: list[tuple[DocumentView, str]]) -> list[Hit]:
    found = await asyncio.gather(*(_of_ledger(session, document, title) for document, title in titled))
    return [hit for hits in found for hit in hits]


async def _of_ledger(session: Session, document: DocumentView, title: str) -> list[Hit]:
    try:
        ledger = await session.client.ledger_of(document)
    except LedgerFailedError:
        return []
    here = f"/desk/documents/{document.document_id}/requirements"
    rows = [entry.row for entry in ledger.entries if entry.counts]
    return [
        Hit("requirement", f"{row.requirement_id} {row.quote}"[:MAX_LABEL], f"{here}/{row.requirement_id}", title)
        for row in rows
    ]
