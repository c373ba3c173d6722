"""Who else has the editor of a section open: kept while somebody looks, and forgotten after a silence."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager, suppress

from anyio import CancelScope
from stemma_client import Client, StemmaError
from stemma_messaging.cancellation import end

from .keeping import Keeper

EVERY_S = 5.0
SILENT_FOR_S = 16.0
LINGERS_S = 5.0


class Editors:
    """The people other than oneself who have editors of one document open."""

    def __init__(self, client: Client, own: str, document_id: str) -> None:
        self._client = client
        self._own = own
        self._document_id = document_id
        self._heard: dict[tuple[str, str], float] = {}
        self._keeper = Keeper(self._keep, LINGERS_S)

    async def follow(self, section_id: str) -> AsyncGenerator[tuple[str, ...], None]:
        """The names of those at a section now, and again whenever they are others."""
        told, seen = None, 0
        async with self._keeper.followed():
            while True:
                if (names := self._at(section_id)) != told:
                    yield (told := names)
                with suppress(TimeoutError):
                    async with asyncio.timeout(EVERY_S):
                        seen = await self._keeper.news_after(seen)

    async def stop(self) -> None:
        """Hear no more."""
        await self._keeper.stop()

    def _at(self, section_id: str) -> tuple[str, ...]:
        long_ago = time.monotonic() - SILENT_FOR_S
        there = (person for (person, at), heard in self._heard.items() if at == section_id and heard > long_ago)
        return tuple(sorted(person for person in there if person != self._own))

    async def _keep(self) -> None:
        async with aclosing(self._client.follow_presence(self._document_id)) as told:
            async for presence in told:
                self._heard.pop(who := (presence.person, presence.section_id), None)
                if presence.here:
                    self._heard[who] = time.monotonic()
                self._keeper.tell()


@asynccontextmanager
async def told_of(client: Client, document_id: str, section_id: str) -> AsyncIterator[None]:
    """Tell the others, while the block runs, that one has the editor of a section open."""
    telling = asyncio.create_task(_tell(client, document_id, section_id))
    try:
        yield
    finally:
        with CancelScope(shield=True), suppress(StemmaError):
            await end([telling])
            await client.tell_presence(document_id, section_id, here=False)


async def _tell(client: Client, document_id: str, section_id: str) -> None:
    while True:
        with suppress(StemmaError):
            await client.tell_presence(document_id, section_id, here=True)
        await asyncio.sleep(EVERY_S)
