"""Artifacts of documents that were never made: stored for a request that was refused, or by who died before its event.

What a document of the log has is left, whatever refers to it: artifacts and checkpoints name each other. How old they
are the server alone tells, by its latest event: no clock is asked, and a log that is empty, or not there, tells of
nothing.
"""

import json
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from nats.js import JetStreamContext
from nats.js.api import RawStreamMsg
from nats.js.errors import NotFoundError
from stemma_artifacts import objects
from stemma_contracts import subjects
from stemma_contracts.subjects import ANY
from stemma_contracts.tokens import is_token
from stemma_eventlog import StreamId
from stemma_messaging import InvalidMessage
from stemma_messaging.lost import consumers_of
from stemma_messaging.stored import message_at, messages_in

from .erasing import Eraser, Piece
from .requests import read_request

AGE = timedelta(days=8)
"""Whoever stored it has made its document by then, or never will."""
MOST = 10_000
"""So many are taken by one call."""


@dataclass(frozen=True)
class Orphans:
    """They are found beside a running orchestrator; to take them away again is harmless."""

    jetstream: JetStreamContext
    eraser: Eraser
    age: timedelta = AGE

    async def swept(self, *, take: bool, most: int = MOST) -> int:
        """How many there are, or were if they are to be taken away: at most so many."""
        found = dict[StreamId, list[Piece]]()
        async for stream, piece in self._all():
            found.setdefault(stream, []).append(piece)
            if (most := most - 1) <= 0:
                break
        for stream in list(found) if take else ():
            if await self._is_known(stream):  # by now: a request may come again
                del found[stream]
            for piece in found.get(stream, ()):
                await self._take(piece, stream.tenant)
        return sum(map(len, found.values()))

    async def _take(self, piece: Piece, tenant: str) -> None:
        """What describes an object goes first: without its chunks nobody is to take it for one."""
        await self.eraser.take(replace(piece, chunks=""), tenant)
        if piece.chunks:
            await self.eraser.take(piece, tenant)

    async def _all(self) -> AsyncIterator[tuple[StreamId, Piece]]:
        known, before = dict[StreamId, bool](), await self._before()
        async for one, stream, piece in self._stored():
            if before is None or one.time is None or one.time >= before or not is_token(stream.document_id):
                continue
            if stream not in known:
                known[stream] = await self._is_known(stream)
            if not known[stream]:
                yield stream, piece

    async def _before(self) -> datetime | None:
        try:
            latest = await self.jetstream.get_last_msg(subjects.EVENTS, subjects.event(ANY, ANY, ANY))
        except NotFoundError:
            return None
        return latest.time - self.age if latest.time else None

    async def _is_known(self, stream: StreamId) -> bool:
        """Whether there is a document, or a request that would make it, whose artifacts are stored already."""
        events = subjects.event(stream.tenant, stream.document_id, ANY)
        if await message_at(self.jetstream, subjects.EVENTS, 1, events) is not None:
            return True
        async for one in messages_in(self.jetstream, subjects.REQUESTS, subjects.requests_of(stream.tenant)):
            with suppress(InvalidMessage):
                received = read_request(one.subject or "", one.headers or {}, one.data or b"", one.seq or 0)
                if received.document_id == stream.document_id:
                    return True
        return False

    async def _stored(self) -> AsyncIterator[tuple[RawStreamMsg, StreamId, Piece]]:
        async for one in messages_in(self.jetstream, subjects.ARTIFACTS, subjects.artifact(ANY, ANY, ANY)):
            tenant, document_id = (one.subject or "").split(".")[3:5]
            yield one, StreamId(tenant, document_id), Piece("artifacts", subjects.ARTIFACTS, one.seq or 0)
        for info in await consumers_of(self.jetstream, subjects.REQUESTS):
            async for large in self._large(subjects.tenant_of_requests(info.name)):
                yield large

    async def _large(self, tenant: str) -> AsyncIterator[tuple[RawStreamMsg, StreamId, Piece]]:
        bucket = subjects.artifacts_bucket(tenant)
        async for one in messages_in(self.jetstream, f"OBJ_{bucket}", f"$O.{bucket}.M.{ANY}"):
            with suppress(objects.BadObject, ValueError):
                described, named = objects.read(one.data or b""), json.loads(one.data or b"{}")
                _, document_id, _ = str(named.get("name")).split("/")
                piece = Piece("artifacts", f"OBJ_{bucket}", one.seq or 0, f"$O.{bucket}.C.{described.nuid}")
                yield one, StreamId(tenant, document_id), piece
