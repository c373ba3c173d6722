"""Work that is taken in turns: who has much of it does not hold up who has little."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from typing import Any

from nats.aio.msg import Msg

from stemma_messaging.delivery import Delivery

from .base import Handle


class Turns:
    """So many messages at a time, whosever they are; of those that wait, one of each tenant in turn."""

    def __init__(self, at_a_time: int) -> None:
        self._free = at_a_time
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    def of(self, delivery: Delivery) -> AbstractAsyncContextManager[None]:
        """The turn of a message, which is that of its tenant; it is held meanwhile."""
        return self.turn(delivery.tenant)

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


class LaneTurns(Turns):
    """Turns of which bulk takes half at most, so that what goes before it finds one soon."""

    def __init__(self, at_a_time: int, bulk: str) -> None:
        super().__init__(at_a_time)
        self._bulk = bulk
        self._of_bulk = Turns(max(1, at_a_time // 2))

    def of(self, delivery: Delivery) -> AbstractAsyncContextManager[None]:
        """The turn of a message; those that the consumer ``bulk`` delivers wait for one of their own before."""
        return self._behind(delivery) if delivery.consumer == self._bulk else super().of(delivery)

    @asynccontextmanager
    async def _behind(self, delivery: Delivery) -> AsyncIterator[None]:
        async with self._of_bulk.of(delivery), super().of(delivery):
            yield


def in_turn(handle: Handle, turns: Turns | None) -> Callable[[Msg], Coroutine[Any, Any, None]]:
    """Handle messages as it is their tenant's turn, if turns are given."""
    return handle if turns is None else partial(handle, turn=turns.of)
