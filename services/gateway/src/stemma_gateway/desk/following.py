"""What a page that is open is told: that it is not what there is any more, what is written, and how much waits."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable
from contextlib import AbstractAsyncContextManager, aclosing, nullcontext
from dataclasses import asdict, dataclass
from typing import Annotated, TypeVar

from fastapi import APIRouter, Depends, Header, Query
from fastapi.sse import EventSourceResponse, ServerSentEvent
from stemma_client import AccessDeniedError
from stemma_contracts.tokens import Token
from stemma_contracts.v1.events import SectionDrafted
from stemma_messaging.cancellation import end

from stemma_gateway.authentication import Caller
from stemma_gateway.followed import told_of
from stemma_gateway.resources.streams import End, OpenStreams, with_reason
from stemma_gateway.sessions import Session

T = TypeVar("T")
MOST_HELD = 100
"""Of what one page is told and has not taken yet; what comes then waits for it."""
router = APIRouter()


@dataclass(frozen=True)
class Page:
    document: str | None
    section: str | None
    editor: bool
    inbox: bool
    after: int


def page(
    document: Token | None = None,
    section: Token | None = None,
    editor: bool = False,
    inbox: bool = False,
    after: Annotated[int, Query(ge=0, le=2**53)] = 0,
    last_event_id: Annotated[int | None, Header(ge=0, le=2**53)] = None,
) -> Page:
    return Page(document, section, editor, inbox, max(after, last_event_id or 0))


@router.get("/desk/live", response_class=EventSourceResponse)
async def follow(
    session: Caller, page: Annotated[Page, Depends(page)], streams: OpenStreams, end_of_session: End
) -> AsyncIterable[ServerSentEvent]:
    """What a page is told from where it was made: nothing is missed between that and the connection."""
    sources = streams.until_ended(merged(*_sources(session, page)), end_of_session)
    async with _present(session, page), aclosing(with_reason(session, sources)) as told:
        async for each in told:
            yield each


@router.get("/desk/waiting", response_class=EventSourceResponse)
async def follow_waiting(session: Caller, streams: OpenStreams, end_of_session: End) -> AsyncIterable[ServerSentEvent]:
    totals = streams.until_ended(_totals(session), end_of_session)
    async with aclosing(with_reason(session, totals)) as told:
        async for each in told:
            yield each


def _present(session: Session, page: Page) -> AbstractAsyncContextManager[None]:
    if page.document and page.section and page.editor and session.is_person:
        return told_of(session.client, page.document, page.section)
    return nullcontext()


def _sources(session: Session, page: Page) -> list[AsyncGenerator[ServerSentEvent, None]]:
    found = page.document
    of_document = [_events(session, found, page.after), _words(session, found)] if found else []
    of_section = [_editors(session, found, page.section)] if found and page.section and session.is_person else []
    of_inbox = [_listed(session, page.after)] if page.inbox else []
    return of_document + of_section + of_inbox


async def _events(session: Session, document_id: str, after: int) -> AsyncGenerator[ServerSentEvent, None]:
    async with aclosing(session.client.follow(document_id, from_sequence=after + 1)) as events:
        async for event in events:
            if isinstance(event.contract, SectionDrafted):
                session.followed.writing(document_id).forget(event.contract.section_id)
            yield _changed(event.sequence)


async def _words(session: Session, document_id: str) -> AsyncGenerator[ServerSentEvent, None]:
    async with aclosing(session.followed.writing(document_id).follow()) as written:
        async for words in written:
            yield ServerSentEvent(event="words", data=asdict(words))


async def _editors(session: Session, document_id: str, section_id: str) -> AsyncGenerator[ServerSentEvent, None]:
    """An admission of an earlier release refuses the connection of a person who only reads."""
    try:
        async with aclosing(session.followed.editors(document_id).follow(section_id)) as others:
            async for names in others:
                yield ServerSentEvent(event="editors", data=names)
    except AccessDeniedError:
        await asyncio.Event().wait()


async def _totals(session: Session) -> AsyncGenerator[ServerSentEvent, None]:
    async with aclosing(session.followed.waiting.follow()) as all_that_waits:
        async for waits in all_that_waits:
            yield ServerSentEvent(event="waiting", data=waits.total)


async def _listed(session: Session, after: int) -> AsyncGenerator[ServerSentEvent, None]:
    async with aclosing(session.followed.waiting.follow()) as all_that_waits:
        async for waits in all_that_waits:
            if waits.sequence > after:
                yield _changed(waits.sequence)


def _changed(sequence: int) -> ServerSentEvent:
    return ServerSentEvent(event="changed", data=sequence, id=str(sequence))


@dataclass(frozen=True)
class _Ended:
    error: Exception | None = None


async def merged(*sources: AsyncGenerator[T, None]) -> AsyncGenerator[T, None]:
    """What several sources have, as it comes, until one of them ends; raises what one of them raises."""
    held: asyncio.Queue[T | _Ended] = asyncio.Queue(MOST_HELD)
    tasks = [asyncio.create_task(_poured(source, held)) for source in sources]
    try:
        while not isinstance(item := await held.get(), _Ended):
            yield item
        if item.error:
            raise item.error
    finally:
        await end(tasks)


async def _poured(source: AsyncGenerator[T, None], into: asyncio.Queue[T | _Ended]) -> None:
    try:
        async with aclosing(source) as items:
            async for item in items:
                await into.put(item)
    except Exception as error:
        await into.put(_Ended(error))
    else:
        await into.put(_Ended())
