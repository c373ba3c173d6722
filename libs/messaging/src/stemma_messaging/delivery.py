"""A message: as a handler sees it, and while it is under way."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, TypeVar

from faststream.message import StreamMessage
from faststream.nats.message import NatsMessage
from nats.aio.msg import Msg
from nats.js.api import ConsumerConfig
from pydantic import ValidationError
from stemma_contracts import Contract, Envelope, InvalidEnvelope, registry, subjects
from stemma_contracts.misfits import misfits

from .addresses import template_of
from .errors import InvalidMessage
from .verdict import Verdict

C = TypeVar("C", bound=Contract)


@dataclass(frozen=True)
class Delivery:
    """One delivery of a stored message.

    ``stream_sequence`` and ``time`` are those of the stream, the same at every delivery; ``deliveries`` counts
    from 1. ``waiting`` is what its consumer still had to deliver. ``envelope`` is `None` if the headers are none: on
    request subjects anybody may publish plain JSON.
    """

    subject: str
    headers: Mapping[str, str]
    data: bytes
    stream: str
    consumer: str
    stream_sequence: int
    deliveries: int
    time: datetime
    waiting: int = 0

    @classmethod
    def of(cls, message: Msg) -> Delivery:
        """What a message of a JetStream consumer says of itself."""
        meta = message.metadata
        return cls(
            subject=message.subject,
            headers=message.headers or {},
            data=message.data,
            stream=meta.stream,
            consumer=meta.consumer,
            stream_sequence=meta.sequence.stream,
            deliveries=meta.num_delivered or 1,
            time=meta.timestamp,
            waiting=meta.num_pending or 0,
        )

    @cached_property
    def template(self) -> str:
        """The subject without tenants, documents and requests: what spans, logs and metrics call it."""
        return template_of(self.subject)

    @cached_property
    def envelope(self) -> Envelope | None:
        """The CloudEvents attributes, `None` if there are none or they are not valid."""
        try:
            return Envelope.from_headers(self.headers)
        except InvalidEnvelope:
            return None

    @cached_property
    def tenant(self) -> str:
        """Whose it is: as its subject says, else its envelope; empty if neither does."""
        about = self.envelope.subject if self.envelope else ""
        return subjects.tenant_of(self.subject) or about.partition("/")[0]

    def decode(self, expected: type[C]) -> C:
        """The contract in the message, through upcasters; raises `InvalidMessage` if it is not an ``expected``."""
        if self.envelope is None:
            raise InvalidMessage(InvalidEnvelope.__name__)
        try:
            contract = registry.decode(self.envelope.type, self.data)
        except ValidationError as error:
            raise InvalidMessage("; ".join(f"{one.field}: {one.kind}" for one in misfits(error))) from None
        except ValueError as error:
            raise InvalidMessage(type(error).__name__) from None
        if not isinstance(contract, expected):
            raise InvalidMessage(f"{type(contract).__name__} is not a {expected.__name__}")
        return contract


Handler = Callable[[Delivery], Awaitable[None]]

NANOSECOND_S = 1e-9
BEATS = 3
"""Signs of life in the shortest time that the consumer waits for one."""
HELD = "held"
Turn = Callable[[Delivery], AbstractAsyncContextManager[None]]


@dataclass(frozen=True)
class Terms:
    """On what terms a consumer delivers: how long it waits for a sign of life, and how often it delivers at most.

    ``waits_s`` are those of the first deliveries in turn; the last one stands for all that follow.
    """

    waits_s: Sequence[float] = (10.0,)
    max_deliver: int = -1

    @classmethod
    def of(cls, config: ConsumerConfig) -> Terms:
        """As the consumer was provisioned."""
        waits_s = config.backoff or ([config.ack_wait] if config.ack_wait else cls.waits_s)
        return cls(tuple(waits_s), config.max_deliver or -1)

    @property
    def beat_every_s(self) -> float:
        """How often to give a sign of life."""
        return self.waits_s[0] / BEATS

    def to_ask_s(self, delay_s: float, deliveries: int) -> float:
        """What to ask for, so that a message that came so often comes again after ``delay_s`` seconds.

        The server (2.15.1) sets the message back by the first wait and forward by the delay, and delivers it when the
        wait of its own delivery is over: what is asked for may be less than nothing. nats-py takes 0 for no delay.
        """
        own_s = self.waits_s[min(deliveries, len(self.waits_s)) - 1]
        return delay_s - (own_s - self.waits_s[0]) or NANOSECOND_S


@dataclass
class Held:
    """A message that is being handled, in its newest delivery, and what becomes of it.

    ``turn`` is what its handler waits for where it may not begin at once, ``handler`` what FastStream does within our
    middlewares. ``error`` is what the handler raised, ``hindrance`` what kept the verdict from being carried out.
    """

    message: Msg
    delivery: Delivery
    terms: Terms = Terms()
    turn: Turn | None = None
    handler: Callable[[Any], Awaitable[Any]] | None = None
    verdict: Verdict | None = None
    error: BaseException | None = None
    hindrance: BaseException | None = None


class Incoming(NatsMessage):
    """A message as middlewares see it."""

    def __init__(self, held: Held, **fields: Any) -> None:
        super().__init__(**fields)
        self.held = held


def held_of(message: StreamMessage[Any]) -> Held:
    """What is held of a message that FastStream hands on."""
    assert isinstance(message, Incoming)
    return message.held


async def parse(raw: Msg) -> Incoming:
    """FastStream's parser of every message; what no driver holds yet is held from now on.

    Nothing of a message is an address to answer to, whatever its headers say.
    """
    held = getattr(raw, HELD, None) or Held(raw, Delivery.of(raw))
    headers = held.delivery.headers
    return Incoming(
        held,
        raw_message=raw,
        body=raw.data,
        headers=dict(headers),
        correlation_id=headers.get("ce-correlationid") or "-",
        message_id=headers.get("ce-id") or "-",
        content_type="application/json",
    )
