"""Looks again after erasures: what a crash left undone is gone on with, and what was stored late goes, too."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from nats.js import JetStreamContext
from stemma_contracts import subjects
from stemma_contracts.subjects import ANY
from stemma_eventlog import Cause, StreamId
from stemma_messaging.stored import messages_in

from .command_service import CommandService
from .erasing import Eraser
from .lost import told_if_failed
from .projector import document_of

LOOKED_FOR = timedelta(days=8)
"""No job of a document comes so late."""


@dataclass(frozen=True)
class LateErasures:
    """Harmless beside others that do the same, and as often as one likes."""

    jetstream: JetStreamContext
    commands: CommandService
    eraser: Eraser

    async def sweep_for_ever(self, every_s: float) -> None:
        """Look now and every so many seconds, until cancelled."""
        while True:
            with told_if_failed():
                await self.sweep()
            await asyncio.sleep(every_s)

    async def sweep(self) -> None:
        """Look once; what is wrong with a document or a tenant keeps nobody from the others."""
        erased = defaultdict[str, list[StreamId]](list)
        async for stream in self._documents("document-erasure-requested"):
            await self._go_on(stream)
        async for stream in self._documents("document-erased"):
            await self._go_on(stream)  # of its log, or of the copy that readers have, there may be a rest
            erased[stream.tenant].append(stream)
        for tenant, streams in erased.items():
            with told_if_failed():
                await self.eraser.erase_late(tenant, streams)

    async def _go_on(self, stream: StreamId) -> None:
        now = datetime.now(UTC)
        with told_if_failed():
            await self.commands.follow(stream, Cause(f"erasing-{now.timestamp():.0f}", subjects.ORCHESTRATOR, now))

    async def _documents(self, name: str) -> AsyncIterator[StreamId]:
        since = datetime.now(UTC) - LOOKED_FOR
        async for found in messages_in(self.jetstream, subjects.EVENTS, subjects.event(ANY, ANY, name)):
            with suppress(ValueError):  # no event of ours has such a subject
                if found.time is None or found.time > since:
                    yield document_of(found.subject or "")
