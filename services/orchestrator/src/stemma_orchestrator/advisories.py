"""Clears up after workers that died over a message until the server gave it up.

The server then only emits an advisory. What it names is put with the dead letters, and for a job the
orchestrator is told, so that the section fails visibly instead of waiting for ever.
"""

from __future__ import annotations

from datetime import UTC, datetime

from nats.js import JetStreamContext
from nats.js.api import RawStreamMsg
from nats.js.errors import NotFoundError
from pydantic import BaseModel, Field, ValidationError
from stemma_contracts import subjects
from stemma_messaging import Delivery, InvalidMessage, Publisher
from stemma_messaging.dead import publish_dead_letter
from stemma_messaging.verdict import DeadLetter

_QUEUES = (subjects.REQUESTS, subjects.JOBS, subjects.OUTCOMES)


class WorkerDied(Exception):
    """No handling of the message ever came to an end."""


class Advisory(BaseModel):
    """What the server says of a message that a consumer gave up."""

    stream: str
    stream_seq: int = Field(ge=1, lt=2**63)
    consumer: str
    deliveries: int = 0


class AdvisoryHandler:
    """Handles the advisories about messages that no consumer will see again."""

    def __init__(self, jetstream: JetStreamContext, publisher: Publisher) -> None:
        self._js = jetstream
        self._publisher = publisher

    async def on_advisory(self, delivery: Delivery) -> None:
        """Bury the message that an advisory names, and take it out of its queue."""
        try:
            advisory = Advisory.model_validate_json(delivery.data)
        except ValidationError as error:
            raise InvalidMessage(type(error).__name__) from None
        stream, sequence = advisory.stream, advisory.stream_seq
        if stream not in _QUEUES:
            return
        try:
            message = await self._js.get_msg(stream, sequence)
        except NotFoundError:
            return
        given_up = stored_delivery(message, stream, advisory.consumer, advisory.deliveries)
        await publish_dead_letter(
            given_up, DeadLetter("exhausted"), WorkerDied(), subjects.ORCHESTRATOR, self._publisher
        )
        await self._js.delete_msg(stream, sequence)


def stored_delivery(message: RawStreamMsg, stream: str, consumer: str, deliveries: int = 0) -> Delivery:
    """A message as it lies in its stream, for who handles it there."""
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
