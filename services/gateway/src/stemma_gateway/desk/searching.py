"""Search over documents, sections, their texts, requirements and commands: a page, and a dialog that shows its hits."""

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from heapq import nsmallest
from itertools import chain, islice
from typing import Literal

from fastapi import APIRouter, Request, Response
from stemma_client.errors import DocumentNotFoundError, LedgerFailedError
from stemma_contracts.tokens import Token
from stemma_contracts.v1.summary import DocumentSummary
from stemma_contracts.v1.views import DocumentView, SectionView

from stemma_gateway.authentication import Caller
from stemma_gateway.catalogues import words
from stemma_gateway.pages import PageRoute, language_of
from stemma_gateway.resources.addresses import document_of
from stemma_gateway.sessions import Session
from stemma_gateway.texts import passages_with

from .documents import Words, has_words
from .forms import SECTION
from .shell import shown

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
router = APIRouter(route_class=PageRoute)


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
    here = next(iter(await _titled(session, [one for one in summaries if one.document_id == document])), None)
    titled = await _titled(session, summaries if sought else summaries[:NEWEST])
    hits = [*_commands(request, here), *islice(_documents(titled), NEWEST)]
    if sought:
        documents = await _read(session, [here] if here else titled[:SEARCHED])
        demands = await _requirements(session, documents)
        texts = await session.followed.drafts(document for document, _ in documents)
        every = chain(_commands(request, here), _documents(titled), demands)
        passages = await asyncio.to_thread(_in_texts, texts, sought)
        hits = [*(await asyncio.to_thread(_best, every, sought))[: MOST - len(passages)], *passages]
    return shown(request, session, "search.html", q=q.strip(), hits=hits[:MOST], within=document if here else None)


async def _titled(session: Session, documents: list[DocumentSummary]) -> list[tuple[DocumentSummary, str]]:
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
