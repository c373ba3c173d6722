"""The handler is tried, through outages, and what it raised becomes a verdict: nothing passes this middleware."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any

from faststream.message import StreamMessage
from nats.js.api import Header

from stemma_messaging.again import times_again
from stemma_messaging.held import held_of
from stemma_messaging.outages import Patience
from stemma_messaging.verdict import verdict_for

from .chain import CallNext


class Judgement:
    """Notes what the handler raised, and what is to become of the message; `verdict_for` decides."""

    def __init__(self, patience: Patience) -> None:
        self._patience = patience

    async def consume_scope(self, call_next: CallNext, msg: StreamMessage[Any]) -> Any:
        """Try it; while a store is away, again and again, for that is no fault of the message."""
        held = held_of(msg)
        held.error = await self._patience.through(lambda: _error_of(call_next(msg)))
        delivery, base_s = held.delivery, self._patience.retry_base_s
        put_back = times_again(delivery.headers.get(Header.MSG_ID, ""))
        held.verdict = verdict_for(held.error, delivery.deliveries, held.terms.max_deliver, base_s, put_back)


async def _error_of(attempt: Awaitable[Any]) -> BaseException | None:
    try:
        await attempt
    except (Exception, asyncio.CancelledError) as error:
        return error
    return None
