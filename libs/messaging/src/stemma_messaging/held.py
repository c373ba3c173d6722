"""A message under way, and what FastStream hands on of it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any

from faststream.message import StreamMessage
from faststream.nats.message import NatsMessage
from nats.aio.msg import Msg

from .delivery import Delivery
from .verdict import Verdict

ACK_WAIT_S = 10.0
HELD = "held"
Turn = Callable[[Delivery], AbstractAsyncContextManager[None]]


@dataclass(frozen=True)
class Terms:
    """On what terms a consumer delivers: how long it waits for a sign of life, and how often it delivers at most."""

    ack_wait_s: float = ACK_WAIT_S
    max_deliver: int = -1


@dataclass
class Held:
    """A message that is being handled, in its newest delivery, and what becomes of it.

    ``turn`` is what its handler waits for where it may not begin at once. ``error`` is what the handler raised,
    ``hindrance`` what kept the verdict from being carried out.
    """

    message: Msg
    delivery: Delivery
    terms: Terms = Terms()
    turn: Turn | None = None
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
