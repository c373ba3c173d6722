"""What happens, as it happens: server-sent events."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, Iterator
from contextlib import aclosing
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Query, Request
from fastapi.sse import EventSourceResponse, ServerSentEvent
from pydantic import BaseModel
from stemma_client import DocumentNotFoundError, RecordedEvent
from stemma_contracts.tokens import Token

from stemma_gateway.authentication import Caller
from stemma_gateway.recorded import recorded
from stemma_gateway.streaming import Streams

from .addresses import DocumentId

router = APIRouter(tags=["streams"])
MOST_NAMES = 100


class Wanted(BaseModel):
    """Which events a stream has: all after the last that the caller saw, or from a place on, or only those to come."""

    from_sequence: int = 0
    live: bool = False
    name: frozenset[str] = frozenset()
    section: frozenset[str] = frozenset()

    def has(self, event: RecordedEvent) -> bool:
        """Whether an event is wanted."""
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
    """What a caller wants to be told."""
    start = from_sequence if last_event_id is None else last_event_id + 1
    return Wanted(
        from_sequence=start,
        live=live and last_event_id is None,
        name=frozenset(name or ()),
        section=frozenset(section or ()),
    )


def one_more(request: Request) -> Iterator[Streams]:
    """The streams of this process, with a place for one more."""
    streams: Streams = request.app.state.streams
    with streams.one_more():
        yield streams


async def position(session: Caller, document_id: DocumentId) -> int:
    """Where the log of a document ends; raises `DocumentNotFoundError`."""
    if found := await session.client.position(document_id):
        return found
    raise DocumentNotFoundError(f"no document is called {document_id!r}")


def session_ends_in(request: Request, _: Caller) -> float | None:
    """In how many seconds the session of a browser ends, and with it what it follows; None for a bearer token."""
    signed_in = getattr(request.state, "signed_in", None)
    return request.app.state.bearer.cookies.ends_in(signed_in) if signed_in else None


WantedEvents = Annotated[Wanted, Depends(wanted)]
OpenStreams = Annotated[Streams, Depends(one_more)]
Position = Annotated[int, Depends(position)]
EndsIn = Annotated[float | None, Depends(session_ends_in)]


@router.get("/documents/{document_id}/events", response_class=EventSourceResponse)
async def follow_document(
    session: Caller,
    document_id: DocumentId,
    position: Position,
    wanted: WantedEvents,
    streams: OpenStreams,
    ends_in: EndsIn,
) -> AsyncIterable[ServerSentEvent]:
    """The events of a document, those that are there and those to come; each once and in order."""
    start = position + 1 if wanted.live else wanted.from_sequence
    events = session.client.follow(document_id, from_sequence=start)
    async for told in _told(streams.until_ended(events, ends_in), wanted):
        yield told


@router.get("/events", response_class=EventSourceResponse)
async def follow_all(
    session: Caller, wanted: WantedEvents, streams: OpenStreams, ends_in: EndsIn
) -> AsyncIterable[ServerSentEvent]:
    """The events of all documents of the tenant."""
    start = await session.client.position() + 1 if wanted.live else wanted.from_sequence
    events = session.client.follow_all(from_sequence=start)
    async for told in _told(streams.until_ended(events, ends_in), wanted):
        yield told


@router.get("/documents/{document_id}/live", response_class=EventSourceResponse)
async def follow_text(
    session: Caller, document_id: DocumentId, position: Position, streams: OpenStreams, ends_in: EndsIn
) -> AsyncIterable[ServerSentEvent]:
    """Text as it is written, piece by piece. What is missed does not come again."""
    async with aclosing(streams.until_ended(session.client.follow_live(document_id), ends_in)) as pieces:
        async for piece in pieces:
            yield ServerSentEvent(data={"section_id": piece.section_id, "text": piece.text})


async def _told(events: AsyncGenerator[RecordedEvent, None], wanted: Wanted) -> AsyncGenerator[ServerSentEvent, None]:
    async with aclosing(events) as coming:
        async for event in coming:
            if wanted.has(event):
                yield ServerSentEvent(raw_data=recorded(event).model_dump_json(), id=str(event.sequence))
