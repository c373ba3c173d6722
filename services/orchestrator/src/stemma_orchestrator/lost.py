"""Finds messages that lie in a queue and that no consumer will see again, and sees to them.

A consumer gives a message up after its last delivery. If then neither a dead letter nor the server's advisory could
be stored, the message is stored, delivered, not pending and not acknowledged: nobody would ever hear of it. A
consumer tells how many messages it waits for and not which: of those that were delivered and are there still, the
oldest are the lost ones. Where that is wrong, a message is handled twice, which changes nothing, and the next look
finds the right one. Requests and outcomes are handled here, jobs are put into their queue anew.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from nats.js import JetStreamContext
from nats.js.api import RawStreamMsg
from nats.js.errors import NotFoundError
from stemma_contracts import subjects
from stemma_contracts.subjects import ANY, REST
from stemma_messaging import Delivery, Handler, Publisher
from stemma_messaging.again import store_again
from stemma_messaging.consumers import consumers_of
from stemma_messaging.dead import publish_dead_letter
from stemma_messaging.outages import is_outage, reason_of
from stemma_messaging.verdict import DeadLetter
from stemma_telemetry import get_logger, names

from .advisories import stored_delivery

MOMENT_S = 2.0
"""A message is taken out of its stream a little later than it is acknowledged."""
SWEEP_EVERY_S = 180.0


@dataclass(frozen=True)
class Queue:
    """The messages of a work queue that one consumer is to handle; of requests each tenant has one."""

    stream: str
    durable: str
    subject: str


SHARED = (
    Queue(subjects.OUTCOMES, subjects.ORCHESTRATOR, subjects.outcome(ANY, ANY)),
    *(
        Queue(subjects.JOBS, durable, jobs)
        for service in subjects.WORKERS
        for durable, jobs in subjects.job_consumers(service).items()
    ),
)


@dataclass(frozen=True)
class LostMessages:
    """Compares queues with their consumers; ``handlers`` are of the streams whose messages are handled at once.

    What it does is harmless beside others that do the same.
    """

    jetstream: JetStreamContext
    publisher: Publisher
    handlers: Mapping[str, Handler]
    moment_s: float = MOMENT_S

    async def sweep_for_ever(self, every_s: float = SWEEP_EVERY_S) -> None:
        """Bring back what is lost, now and every so many seconds, until cancelled."""
        while True:
            try:
                await self.bring_back()
            except Exception as error:
                get_logger().warning(names.Log.SWEEP_FAILED, error=error, reason=reason_of(error))
            await asyncio.sleep(every_s)

    async def bring_back(self) -> int:
        """See to every lost message; how many there were."""
        queues = [*await self._of_tenants(), *SHARED]
        before = [await self._lost(queue) for queue in queues]
        if not any(before):
            return 0
        await asyncio.sleep(self.moment_s)
        found = 0
        for queue, earlier in zip(queues, before, strict=True):
            for number in [one for one in await self._lost(queue) if one in earlier]:
                found += await self._bring_back(queue, number)
        return found

    async def _of_tenants(self) -> list[Queue]:
        found = await consumers_of(self.jetstream, subjects.REQUESTS)
        return [Queue(subjects.REQUESTS, info.name, info.config.filter_subject or REST) for info in found]

    async def _lost(self, queue: Queue) -> list[int]:
        """The places of as many messages as are there and not waited for, the oldest of those that were delivered."""
        info = await self.jetstream.consumer_info(queue.stream, queue.durable)
        delivered = info.delivered.stream_seq if info.delivered else 0
        there: list[int] = []
        while found := await self._next(queue, there[-1] + 1 if there else 1):
            if (found.seq or 0) > delivered:
                break
            there.append(found.seq or 0)
        return there[: max(0, len(there) - (info.num_ack_pending or 0))]

    async def _next(self, queue: Queue, number: int) -> RawStreamMsg | None:
        try:
            return await self.jetstream.get_msg(queue.stream, seq=number, subject=queue.subject, next=True)
        except NotFoundError:
            return None

    async def _bring_back(self, queue: Queue, number: int) -> bool:
        try:
            lost = await self.jetstream.get_msg(queue.stream, number)
        except NotFoundError:
            return False
        get_logger().warning(names.Log.LOST_FOUND, stream=queue.stream, consumer=queue.durable, sequence=number)
        if (handler := self.handlers.get(queue.stream)) is not None:
            await self._handle(handler, stored_delivery(lost, queue.stream, queue.durable))
        else:
            await store_again(lost.subject or "", lost.data or b"", lost.headers or {}, self.publisher)
        await self.jetstream.delete_msg(queue.stream, number)
        return True

    async def _handle(self, handler: Handler, delivery: Delivery) -> None:
        try:
            await handler(delivery)
        except Exception as error:
            if is_outage(error):
                raise
            await publish_dead_letter(delivery, DeadLetter("exhausted"), error, subjects.ORCHESTRATOR, self.publisher)
