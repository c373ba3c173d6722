"""Turns of crowds: a tenant of whom many messages wait is slowed down, so that others find the processors free."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from stemma_messaging.delivery import Delivery

from .turns import Turns

CROWD = 6
"""More messages of a tenant than these at the same time are a crowd; the server hands out eight of its requests."""
RESTS = 5.0
"""How many times as long as one of a crowd took the next has to wait: a crowd has a sixth of the time."""
LATELY_S = 60.0


class Throttle:
    """Turns within others: a crowd comes one at a time, with rests, while other tenants are at work.

    The more is to be done, the longer each message takes, and the longer the rests: how fast a crowd comes follows from
    what the machine can do. A tenant that is alone is never slowed down.
    """

    def __init__(self, within: Turns) -> None:
        self._within = within
        self._in_hand: Counter[str] = Counter()
        self._seen: dict[str, float] = {}
        self._next: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    @asynccontextmanager
    async def of(self, delivery: Delivery) -> AsyncIterator[None]:
        """The turn of a message, which is that of its tenant; it is held meanwhile."""
        tenant = delivery.tenant
        self._seen[tenant] = _now()
        with self._counted(tenant):
            await self._next[tenant].acquire()
            with self._held(tenant):
                async with self._within.of(delivery):
                    yield

    @contextmanager
    def _counted(self, tenant: str) -> Iterator[None]:
        self._in_hand[tenant] += 1
        try:
            yield
        finally:
            self._in_hand[tenant] -= 1

    @contextmanager
    def _held(self, tenant: str) -> Iterator[None]:
        """Let the next one come: of a crowd after this block and a rest, else at once."""
        if self._in_hand[tenant] <= CROWD or not self._others_are_at_work(tenant):
            self._next[tenant].release()
            yield
            return
        began = _now()
        try:
            yield
        finally:
            asyncio.get_running_loop().call_later(RESTS * (_now() - began), self._next[tenant].release)

    def _others_are_at_work(self, tenant: str) -> bool:
        since = _now() - LATELY_S
        return any(seen >= since for other, seen in self._seen.items() if other != tenant)


def _now() -> float:
    return asyncio.get_running_loop().time()
