"""Work that is taken in turns: who has much of it does not hold up who has little."""

import asyncio
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from typing import Protocol

from .delivery import Delivery


class OneByOne(Protocol):
    """Says when a message may be handled."""

    def of(self, delivery: Delivery) -> AbstractAsyncContextManager[None]:
        """The turn of a message; it is held meanwhile."""


class Turns:
    """So many pieces of work at a time, of one tenant at most ``per_tenant``; tenants come round robin.

    With ``by_rank`` those with the smallest name come first instead, as often as they come.
    """

    def __init__(self, at_a_time: int, per_tenant: int | None = None, *, by_rank: bool = False) -> None:
        self._free = at_a_time
        self._per_tenant = per_tenant or at_a_time
        self._by_rank = by_rank
        self._running: Counter[str] = Counter()
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    def of(self, delivery: Delivery) -> AbstractAsyncContextManager[None]:
        """The turn of a message, which is that of its tenant; it is held meanwhile."""
        return self.turn(delivery.tenant)

    def waiting(self, tenant: str) -> int:
        """How many wait for a turn of a tenant."""
        return len(self._waiting.get(tenant, ()))

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
            self._end(tenant, turn)

    def _begin(self) -> None:
        for tenant in sorted(self._waiting) if self._by_rank else list(self._waiting):
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
            slowed_down = self._in_hand[delivery.tenant] + delivery.waiting > CROWD and self._others_are_at_work(tenant)
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

    def _others_are_at_work(self, tenant: str) -> bool:
        since = _now() - LATELY_S
        return any(seen >= since or self._in_hand[other] for other, seen in self._seen.items() if other != tenant)


def _now() -> float:
    return asyncio.get_running_loop().time()
