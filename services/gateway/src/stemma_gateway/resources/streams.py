"""What happens, as it happens: server-sent events. If one ends because of its caller, the last event says why."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Callable, Coroutine, Iterator
from contextlib import aclosing, contextmanager
from typing import Annotated, Any, TypeVar

from anyio import CancelScope
from fastapi import APIRouter, Depends, Header, Query, Request
from fastapi.sse import EventSourceResponse, ServerSentEvent
from pydantic import BaseModel
from stemma_client import DocumentNotFoundError, RecordedEvent, StemmaError
from stemma_client.client import LiveText
from stemma_contracts.tokens import Token
from stemma_contracts.v1.answers import Problem
from stemma_messaging.cancellation import end
from stemma_telemetry import get_logger, names
from stemma_telemetry.metrics import Gauges

from stemma_gateway.authentication import Caller, still_admitted
from stemma_gateway.limits import Owner, Shares
from stemma_gateway.problems import Conflict, HttpError, SessionEnded, problem_of
from stemma_gateway.sessions import Session

from .addresses import DocumentId, has_come_to

router = APIRouter(tags=["streams"])
MOST_NAMES = 100
LOOKED_AFTER_S = 3.0
"""How soon what a session follows ends after somebody signed out."""
PROBLEM = "problem"
"""The name of the event that says why a stream ends; others have none."""


T = TypeVar("T")
SessionEnd = Callable[[], Coroutine[Any, Any, None]]
"""Waits until a session has ended."""
_GAUGES = Gauges(names.Metric.HTTP_STREAMS)


class Streams:
    def __init__(self, most: int, of_one_caller: int) -> None:
        self._shares = Shares("streams", "max_streams", most, of_one_caller)
        self._ended = asyncio.Event()
        self._measure()

    def end(self) -> None:
        """End all of them; who reads one comes back for the rest."""
        self._ended.set()

    @contextmanager
    def one_more(self, owner: Owner) -> Iterator[None]:
        """Count a stream while the block runs; raises `Busy` and `TooMany`."""
        try:
            with self._shares.more(owner):
                self._measure()
                yield
        finally:
            self._measure()

    def _measure(self) -> None:
        _GAUGES.see(names.Metric.HTTP_STREAMS, [(self._shares.total, {})])

    async def until_ended(
        self, items: AsyncGenerator[T, None], session_end: SessionEnd | None = None
    ) -> AsyncGenerator[T, None]:
        """What comes until all streams are ended. Raises `SessionEnded` at the end of a session."""
        ended = asyncio.create_task(self._over(session_end))
        try:
            async for item in _beside(items, ended):
                yield item
        finally:
            ended.cancel()
            with CancelScope(shield=True):
                await items.aclose()
        if ended.done() and not self._ended.is_set():
            raise SessionEnded(Problem.of("session_ended"))

    async def _over(self, session_end: SessionEnd | None) -> None:
        waiting: list[asyncio.Task[Any]] = [asyncio.create_task(self._ended.wait())]
        waiting += [asyncio.create_task(session_end())] if session_end else []
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            await end(waiting)


async def _beside(items: AsyncGenerator[T, None], ended: asyncio.Task[None]) -> AsyncIterator[T]:
    """What comes before the end. Who reads is cancelled again and again; what was begun is ended all the same."""
    while True:
        coming = asyncio.ensure_future(anext(items))
        try:
            await asyncio.wait({coming, ended}, return_when=asyncio.FIRST_COMPLETED)
            if ended.done():
                return
            yield coming.result()
        except StopAsyncIteration:
            return
        finally:
            with CancelScope(shield=True):
                await end([coming])


class Wanted(BaseModel):
    """Which events a stream has: all after the last that the caller saw, or from a place on, or only those to come."""

    from_sequence: int = 0
    live: bool = False
    name: frozenset[str] = frozenset()
    section: frozenset[str] = frozenset()

    def has(self, event: RecordedEvent) -> bool:
        section = getattr(event.contract, "section_id", None)
        return (not self.name or event.name in self.name) and (not self.section or section in self.section)


def wanted(
    from_sequence: Annotated[int, Query(ge=0, le=2**53, description="the first place in the log")] = 0,
    live: Annotated[bool, Query(description="only what comes from now on")] = False,
    name: Annotated[
        list[Token] | None, Query(max_length=MOST_NAMES, description="events of these names, such as `section-drafted`")
    ] = None,
    section: Annotated[list[Token] | None, Query(max_length=MOST_NAMES, description="events of these sections")] = None,
    last_event_id: Annotated[
        int | None, Header(ge=0, le=2**53, description="the last id that was seen: go on behind it")
    ] = None,
) -> Wanted:
    start = from_sequence if last_event_id is None else last_event_id + 1
    return Wanted(
        from_sequence=start,
        live=live and last_event_id is None,
        name=frozenset(name or ()),
        section=frozenset(section or ()),
    )


def one_more(request: Request, session: Caller) -> Iterator[Streams]:
    streams: Streams = request.app.state.streams
    with streams.one_more(session.owner):
        yield streams


async def existing(session: Caller, document_id: DocumentId) -> str:
    if await session.client.position(document_id):
        return document_id
    raise DocumentNotFoundError.of("document_unknown", document_id=document_id)


async def begins_at(request: Request, session: Caller, wanted: Annotated[Wanted, Depends(wanted)]) -> int:
    """The place in the log from which on events are told.

    Raises `Conflict` for one that the log has not come to: what comes until then would be missed, without a word.
    """
    if wanted.live:
        return await session.client.position() + 1
    if wanted.from_sequence > 1 and not await has_come_to(session, wanted.from_sequence - 1):
        field = "last_event_id" if "last-event-id" in request.headers else "from_sequence"
        raise Conflict(Problem.of("stream_behind", field))
    return wanted.from_sequence


def session_end(request: Request, session: Caller) -> SessionEnd | None:
    """Waits until the session of a browser ends, and with it what it follows; None for a bearer token."""
    cookies, signed_in = request.app.state.bearer.cookies, getattr(request.state, "signed_in", None)
    if signed_in is None:
        return None

    async def ended() -> None:
        while left_s := cookies.ends_in(signed_in):
            await asyncio.sleep(min(left_s, LOOKED_AFTER_S))
            if cookies.has_ended(signed_in) or await session.client.signed_out.has(signed_in.name):
                return

    return ended


WantedEvents = Annotated[Wanted, Depends(wanted)]
BeginsAt = Annotated[int, Depends(begins_at)]
OpenStreams = Annotated[Streams, Depends(one_more)]
Document = Annotated[str, Depends(existing)]
End = Annotated[SessionEnd | None, Depends(session_end)]


@router.get("/documents/{document_id}/events", response_class=EventSourceResponse)
async def follow_document(
    session: Caller, document: Document, wanted: WantedEvents, begin: BeginsAt, streams: OpenStreams, end: End
) -> AsyncIterable[ServerSentEvent]:
    """The events of a document, those that are there and those to come; each once and in order."""
    events = session.client.follow(document, from_sequence=begin)
    async for told in with_reason(session, _events(streams.until_ended(events, end), wanted)):
        yield told


@router.get("/events", response_class=EventSourceResponse)
async def follow_all(
    session: Caller, wanted: WantedEvents, begin: BeginsAt, streams: OpenStreams, end: End
) -> AsyncIterable[ServerSentEvent]:
    """The events of all documents of the tenant."""
    events = session.client.follow_all(from_sequence=begin)
    async for told in with_reason(session, _events(streams.until_ended(events, end), wanted)):
        yield told


@router.get("/documents/{document_id}/live", response_class=EventSourceResponse)
async def follow_text(
    session: Caller, document: Document, streams: OpenStreams, end: End
) -> AsyncIterable[ServerSentEvent]:
    """Text as it is written, piece by piece. What is missed does not come again."""
    pieces = session.client.follow_live(document)
    async for told in with_reason(session, _texts(streams.until_ended(pieces, end))):
        yield told


async def _events(events: AsyncGenerator[RecordedEvent, None], wanted: Wanted) -> AsyncGenerator[ServerSentEvent, None]:
    async with aclosing(events) as coming:
        async for event in coming:
            if wanted.has(event):
                yield ServerSentEvent(raw_data=event.view.model_dump_json(), id=str(event.sequence))


async def _texts(pieces: AsyncGenerator[LiveText, None]) -> AsyncGenerator[ServerSentEvent, None]:
    async with aclosing(pieces) as coming:
        async for piece in (one async for one in coming if one.text):
            yield ServerSentEvent(data={"section_id": piece.section_id, "text": piece.text})


async def with_reason(
    session: Session, told: AsyncGenerator[ServerSentEvent, None]
) -> AsyncGenerator[ServerSentEvent, None]:
    """What is told, and last why there is no more of it; if the process ends, who comes back gets the rest."""
    try:
        with still_admitted(session):
            async with aclosing(told) as coming:
                async for one in coming:
                    yield one
    except (HttpError, StemmaError) as error:
        get_logger().warning("stream_ended", error=error)
        yield ServerSentEvent(event=PROBLEM, raw_data=problem_of(error).model_dump_json(exclude_defaults=True))
