"""Sees to messages that lie in a queue and that no consumer will see again.

Where what is found is wrong, a message is handled twice, which changes nothing, and the next look finds the right one.
Requests and outcomes are handled here, jobs are put into their queue anew.

The server tells of what it gave up by an advisory: that message is put with the dead letters, and of a job the
orchestrator is told, so that its section fails visibly instead of waiting for ever.
"""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from nats.js import JetStreamContext
from nats.js.api import RawStreamMsg
from pydantic import BaseModel, Field, ValidationError
from stemma_contracts import subjects
from stemma_messaging import Delivery, Handler, InvalidMessage, Publisher
from stemma_messaging.dead import publish_dead_letter
from stemma_messaging.lost import MOMENT_S, Queue, lost_messages
from stemma_messaging.outages import is_outage, reason_of
from stemma_messaging.publisher import store_again
from stemma_messaging.stored import message_at
from stemma_messaging.verdict import DeadLetter
from stemma_telemetry import get_logger, names

_QUEUES = (subjects.REQUESTS, subjects.JOBS, subjects.OUTCOMES)


class WorkerDied(Exception):
    """No handling of the message ever came to an end."""


@contextmanager
def told_if_failed() -> Iterator[None]:
    """Tell of a part of a sweep that failed: the rest of it goes on, and the next sweep tries it again."""
    try:
        yield
    except Exception as error:
        get_logger().warning(names.Log.SWEEP_FAILED, error=error, reason=reason_of(error))


class Advisory(BaseModel):
    """What the server says of a message that a consumer gave up."""

    stream: str
    stream_seq: int = Field(ge=1, lt=2**63)
    consumer: str
    deliveries: int = 0


class AdvisoryHandler:
    def __init__(self, jetstream: JetStreamContext, publisher: Publisher) -> None:
        self._js = jetstream
        self._publisher = publisher

    async def on_advisory(self, delivery: Delivery) -> None:
        try:
            advisory = Advisory.model_validate_json(delivery.data)
        except ValidationError as error:
            raise InvalidMessage(type(error).__name__) from None
        stream, sequence = advisory.stream, advisory.stream_seq
        if stream not in _QUEUES:
            return
        if (message := await message_at(self._js, stream, sequence)) is None:
            return
        given_up = stored_delivery(message, stream, advisory.consumer, advisory.deliveries)
        await publish_dead_letter(
            given_up, DeadLetter("exhausted"), WorkerDied(), subjects.ORCHESTRATOR, self._publisher
        )
        await self._js.delete_msg(stream, sequence)


def stored_delivery(message: RawStreamMsg, stream: str, consumer: str, deliveries: int = 0) -> Delivery:
    return Delivery(
        subject=message.subject or "",
        headers=message.headers or {},
        data=message.data or b"",
        stream=stream,
        consumer=consumer,
        stream_sequence=message.seq or 0,
        deliveries=deliveries,
        time=message.time or datetime.now(UTC),
    )


SWEEP_EVERY_S = 180.0


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
            with told_if_failed():
                await self.bring_back()
            await asyncio.sleep(every_s)

    async def bring_back(self) -> int:
        """See to every lost message; how many there were."""
        found = 0
        for queue, number in await lost_messages(self.jetstream, self.moment_s):
            found += await self._bring_back(queue, number)
        return found

    async def _bring_back(self, queue: Queue, number: int) -> bool:
        if (lost := await message_at(self.jetstream, queue.stream, number)) is None:
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
