"""Finds messages that lie in a queue and that no consumer will see again.

A consumer gives a message up after its last delivery. If then neither a dead letter nor the server's advisory could
be stored, the message is stored, delivered, not pending and not acknowledged: nobody would ever hear of it. A
consumer tells how many messages it waits for and not which: of those that were delivered and are there still, the
oldest are the lost ones.
"""

import asyncio
from dataclasses import dataclass

from nats.js import JetStreamContext
from nats.js.api import ConsumerInfo
from stemma_contracts import subjects
from stemma_contracts.subjects import ANY, REST

from .stored import messages_in


async def consumers_of(jetstream: JetStreamContext, stream: str) -> list[ConsumerInfo]:
    """Every consumer of a stream; the server tells 256 at a time."""
    found: list[ConsumerInfo] = []
    while page := await jetstream.consumers_info(stream, offset=len(found)):
        found += page
    return found


MOMENT_S = 2.0
"""A message is taken out of its stream a little later than it is acknowledged."""


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


async def lost_messages(jetstream: JetStreamContext, moment_s: float = MOMENT_S) -> list[tuple[Queue, int]]:
    """The places of lost messages, in their queues: those that are lost a moment later, too."""
    queues = [*await _of_tenants(jetstream), *SHARED]
    before = [await _lost(jetstream, queue) for queue in queues]
    if not any(before):
        return []
    await asyncio.sleep(moment_s)
    found = []
    for queue, earlier in zip(queues, before, strict=True):
        found += [(queue, number) for number in await _lost(jetstream, queue) if number in earlier]
    return found


async def _of_tenants(jetstream: JetStreamContext) -> list[Queue]:
    found = await consumers_of(jetstream, subjects.REQUESTS)
    return [Queue(subjects.REQUESTS, info.name, info.config.filter_subject or REST) for info in found]


async def _lost(jetstream: JetStreamContext, queue: Queue) -> list[int]:
    """The places of as many messages as are there and not waited for, the oldest of those that were delivered."""
    info = await jetstream.consumer_info(queue.stream, queue.durable)
    delivered = info.delivered.stream_seq if info.delivered else 0
    there: list[int] = []
    async for found in messages_in(jetstream, queue.stream, queue.subject):
        if (found.seq or 0) > delivered:
            break
        there.append(found.seq or 0)
    return there[: max(0, len(there) - (info.num_ack_pending or 0))]
