"""Make anew what can be derived from the log: of each document its summary, its open jobs in their queues, timers."""

from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from nats.js import JetStreamContext
from stemma_contracts import subjects
from stemma_contracts.subjects import ANY
from stemma_contracts.v1.events import AnyEvent
from stemma_domain.commands import Command
from stemma_domain.state import State
from stemma_eventlog import Cause, EventStore, FoldFailed, StreamId
from stemma_messaging.stored import message_at, messages_in
from stemma_telemetry import get_logger, names

from .job_publisher import JobPublisher
from .projector import Projector, document_of
from .timers import Timers

_BEGINNINGS = subjects.event(ANY, ANY, "document-requested")


@dataclass(frozen=True)
class Repair:
    """Goes through all documents; harmless beside a running orchestrator, and as often as one likes."""

    jetstream: JetStreamContext
    store: EventStore[Command, State, AnyEvent]
    projector: Projector
    jobs: JobPublisher
    timers: Timers

    async def run(self) -> int:
        """Repair every document that can be folded; how many that are."""
        cause = Cause(id="repair", source=subjects.ORCHESTRATOR, time=datetime.now(UTC))
        repaired = 0
        async for stream in self._documents():
            try:
                await self._repair(stream, cause)
                repaired += 1
            except FoldFailed as error:
                get_logger().error(names.Log.DOCUMENT_NOT_REPAIRED, error=error, reason=str(error))
        return repaired

    async def _repair(self, stream: StreamId, cause: Cause) -> None:
        folded = await self.store.load(stream)
        await self.projector.write(stream, folded.sequence, anew=True)
        await self.jobs.publish_lost(stream, folded.state, cause, self._is_queued)
        await self.timers.set(stream, folded.state)

    async def _documents(self) -> AsyncIterator[StreamId]:
        async for found in messages_in(self.jetstream, subjects.EVENTS, _BEGINNINGS):
            with suppress(ValueError):  # no event of ours has such a subject
                yield document_of(found.subject or "")

    async def _is_queued(self, sequence: int) -> bool:
        return await message_at(self.jetstream, subjects.JOBS, sequence) is not None
