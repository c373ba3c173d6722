"""Work that is taken in turns: who has much of it does not hold up who has little."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from .delivery import Delivery
from .handling import Handler


class Turns:
    """So many messages at a time, whosever they are; of those that wait, one of each tenant in turn."""

    def __init__(self, at_a_time: int) -> None:
        self._free = at_a_time
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    def in_turn(self, handler: Handler) -> Handler:
        """A handler that begins when it is its tenant's turn; its message is held meanwhile."""

        async def handle(delivery: Delivery) -> None:
            async with self.turn(delivery.tenant):
                await handler(delivery)

        return handle

    @asynccontextmanager
    async def turn(self, tenant: str) -> AsyncIterator[None]:
        """Wait for a turn, and have it until the context ends; who is cancelled while it is given one gives it on."""
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(tenant, deque()).append(turn)
        self._begin()
        try:
            await turn
            yield
        finally:
            if turn.done() and not turn.cancelled():
                self._free += 1
                self._begin()

    def _begin(self) -> None:
        """Give free turns to who waits: one to a tenant, which then is behind the others."""
        while self._free and self._waiting:
            tenant, waiting = self._waiting.popitem(last=False)
            turn = waiting.popleft()
            if waiting:
                self._waiting[tenant] = waiting
            if not turn.cancelled():
                self._free -= 1
                turn.set_result(None)
