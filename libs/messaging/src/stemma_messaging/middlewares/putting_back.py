"""What is for another worker is put into its queue anew before it is acknowledged: no delivery is lost by it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from faststream.message import StreamMessage

from stemma_messaging.again import store_again
from stemma_messaging.held import Held, held_of
from stemma_messaging.outages import Patience
from stemma_messaging.publisher import Publisher
from stemma_messaging.verdict import PutBack

from .chain import CallNext


class PuttingBack:
    """Stores a message again that is to be put back; where that cannot be done, it stays unsettled."""

    def __init__(self, publisher: Callable[[], Publisher], patience: Patience) -> None:
        self._publisher = publisher
        self._patience = patience

    async def consume_scope(self, call_next: CallNext, msg: StreamMessage[Any]) -> Any:
        """Put back by the verdict of the middlewares within; an outage is waited for."""
        result, held = await call_next(msg), held_of(msg)
        if isinstance(held.verdict, PutBack):
            held.hindrance = await self._patience.through(lambda: self._hindrance(held))
        return result

    async def _hindrance(self, held: Held) -> Exception | None:
        delivery = held.delivery
        try:
            await store_again(delivery.subject, delivery.data, delivery.headers, self._publisher())
        except Exception as hindrance:
            return hindrance
        return None
