"""Calls are begun in turn: a tenant with many waits for itself and holds up no other."""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Turns:
    """At most ``at_a_time`` turns at a time, of one tenant at most ``per_tenant``; tenants come round robin."""

    def __init__(self, at_a_time: int, per_tenant: int) -> None:
        self._free = at_a_time
        self._per_tenant = per_tenant
        self._running: Counter[str] = Counter()
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    @asynccontextmanager
    async def turn(self, tenant: str) -> AsyncIterator[None]:
        """Wait for a turn and have it."""
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(tenant, deque()).append(turn)
        self._begin()
        try:
            await turn
            yield
        finally:
            self._end(tenant, turn)

    def _begin(self) -> None:
        for tenant in list(self._waiting):
            if not self._free:
                return
            if self._running[tenant] < self._per_tenant:
                self._begin_of(tenant)

    def _begin_of(self, tenant: str) -> None:
        waiting = self._waiting[tenant]
        turn = waiting.popleft()
        if not turn.cancelled():
            self._free -= 1
            self._running[tenant] += 1
            turn.set_result(None)
        if waiting:
            self._waiting.move_to_end(tenant)
        else:
            del self._waiting[tenant]

    def _end(self, tenant: str, turn: asyncio.Future[None]) -> None:
        """The turn is over, or whoever waited for it does not any more."""
        if turn.done() and not turn.cancelled():
            self._free += 1
            self._running -= Counter({tenant: 1})
        elif turn in (waiting := self._waiting.get(tenant, deque())):
            waiting.remove(turn)
            if not waiting:
                del self._waiting[tenant]
        self._begin()
