"""The verdict is carried out: the message is acknowledged, given back, or left to who has it."""

from __future__ import annotations

from typing import Any, assert_never

from faststream.message import StreamMessage

from stemma_messaging.held import Held, held_of
from stemma_messaging.outages import Patience
from stemma_messaging.verdict import Ack, DeadLetter, Leave, PutBack, RetryLater, Verdict

from .chain import CallNext


class Settlement:
    """Settles a message once the middlewares within have come to a verdict; what hinders that leaves it to the server,
    which delivers it again."""

    def __init__(self, patience: Patience) -> None:
        self._patience = patience

    async def consume_scope(self, call_next: CallNext, msg: StreamMessage[Any]) -> Any:
        """Settle by the newest delivery; an outage is waited for."""
        result, held = await call_next(msg), held_of(msg)
        verdict = held.verdict
        if verdict is not None and held.hindrance is None:
            held.hindrance = await self._patience.through(lambda: _hindrance(held, verdict))
        return result


async def _hindrance(held: Held, verdict: Verdict) -> Exception | None:
    try:
        await _settle(held, verdict)
    except Exception as hindrance:
        return hindrance
    return None


async def _settle(held: Held, verdict: Verdict) -> None:
    message = held.message
    match verdict:
        case Ack() | DeadLetter() | PutBack():
            await message.ack()
        case RetryLater(delay_s):
            deliveries = message.metadata.num_delivered or 1
            await message.nak(delay=held.terms.to_ask_s(delay_s, deliveries))
        case Leave():
            pass
        case _:
            assert_never(verdict)
