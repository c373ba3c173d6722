"""Artifacts of documents that were never made: stored for a request that was refused, or by who died before its event.

What a document of the log has is left, whatever refers to it: artifacts and checkpoints name each other.
"""

import json
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from nats.js import JetStreamContext
from nats.js.api import RawStreamMsg
from stemma_artifacts import objects
from stemma_contracts import subjects
from stemma_contracts.subjects import ANY
from stemma_messaging.lost import consumers_of
from stemma_messaging.stored import message_at, messages_in

from .erasing import Eraser, Piece

AGE = timedelta(days=8)
"""Whoever stored it has made its document by then, or never will."""
MOST = 10_000
"""So many are taken by one call."""


@dataclass
class Orphans:
    """They are found beside a running orchestrator; to take them away again is harmless."""

    jetstream: JetStreamContext
    eraser: Eraser
    _known: dict[tuple[str, str], bool] = field(default_factory=dict)

    async def swept(self, now: datetime, *, take: bool, most: int = MOST) -> int:
        """How many there are, or were if they are to be taken away: at most so many."""
        found = [one async for one in self._all(now - AGE)][:most]
        for tenant, piece in found if take else ():
            await self.eraser.take(piece, tenant)
        return len(found)

    async def _all(self, before: datetime) -> AsyncIterator[tuple[str, Piece]]:
        async for one in messages_in(self.jetstream, subjects.ARTIFACTS, subjects.artifact(ANY, ANY, ANY)):
            tenant, document_id = (one.subject or "").split(".")[3:5]
            if await self._is_orphan(one, tenant, document_id, before):
                yield tenant, Piece("artifacts", subjects.ARTIFACTS, one.seq or 0)
        for info in await consumers_of(self.jetstream, subjects.REQUESTS):
            tenant = subjects.tenant_of_requests(info.name)
            async for piece in self._large(tenant, before):
                yield tenant, piece

    async def _large(self, tenant: str, before: datetime) -> AsyncIterator[Piece]:
        bucket = subjects.artifacts_bucket(tenant)
        async for one in messages_in(self.jetstream, f"OBJ_{bucket}", f"$O.{bucket}.M.{ANY}"):
            with suppress(objects.BadObject, ValueError):
                described, named = objects.read(one.data or b""), json.loads(one.data or b"{}")
                _, document_id, _ = str(named.get("name")).split("/")
                if await self._is_orphan(one, tenant, document_id, before):
                    yield Piece("artifacts", f"OBJ_{bucket}", one.seq or 0, f"$O.{bucket}.C.{described.nuid}")

    async def _is_orphan(self, stored: RawStreamMsg, tenant: str, document_id: str, before: datetime) -> bool:
        if stored.time is None or stored.time >= before:
            return False
        about = (tenant, document_id)
        if about not in self._known:
            events = subjects.event(tenant, document_id, ANY)
            self._known[about] = await message_at(self.jetstream, subjects.EVENTS, 1, events) is not None
        return not self._known[about]
