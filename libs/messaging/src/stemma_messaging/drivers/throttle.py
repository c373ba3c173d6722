"""Turns of crowds: a tenant of whom many messages wait is slowed down, so that others find the processors free."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from stemma_messaging.delivery import Delivery

from .turns import Turns

CROWD = 6
"""A tenant with more messages than these that are handled or wait, here or at the server, is a crowd."""
RESTS = 9.0
"""How many times as long as one of a crowd took the next has to wait: a crowd has a tenth of the time of one turn."""
MOST_REST_S = 2.0
LATELY_S = 10.0


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
        with self._counted(tenant):
            await self._next[tenant].acquire()
            slowed_down = self._is_crowd(delivery) and self._others_are_at_work(tenant)
            if not slowed_down:
                self._next[tenant].release()
            async with self._rested(delivery) if slowed_down else self._within.of(delivery):
                yield

    @contextmanager
    def _counted(self, tenant: str) -> Iterator[None]:
        self._seen[tenant] = _now()
        self._in_hand[tenant] += 1
        try:
            yield
        finally:
            self._in_hand[tenant] -= 1

    @asynccontextmanager
    async def _rested(self, delivery: Delivery) -> AsyncIterator[None]:
        """A turn after which the next of the tenant comes some time later; how long it waited itself does not count."""
        rest_s = 0.0
        try:
            async with self._within.of(delivery):
                began = _now()
                try:
                    yield
                finally:
                    rest_s = min(MOST_REST_S, RESTS * (_now() - began))
        finally:
            asyncio.get_running_loop().call_later(rest_s, self._next[delivery.tenant].release)

    def _is_crowd(self, delivery: Delivery) -> bool:
        return self._in_hand[delivery.tenant] + delivery.waiting > CROWD

    def _others_are_at_work(self, tenant: str) -> bool:
        since = _now() - LATELY_S
        return any(seen >= since or self._in_hand[other] for other, seen in self._seen.items() if other != tenant)


def _now() -> float:
    return asyncio.get_running_loop().time()
