"""A message as a handler sees it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TypeVar

from nats.aio.msg import Msg
from pydantic import ValidationError
from stemma_contracts import Contract, Envelope, InvalidEnvelope, registry, subjects
from stemma_contracts.misfits import misfits

from .addresses import template_of
from .errors import InvalidMessage

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
