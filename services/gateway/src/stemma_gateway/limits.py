"""Bounds on what one caller may take of this process, and on attempts to get in, so that others find what they need."""

import asyncio
import math
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Hashable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Network, ip_address

from stemma_contracts.v1.answers import Problem

from .problems import Busy, Limited, TooMany, Unauthenticated

ONE_NETWORK = 64
"""Bits of an IPv6 address that say whose it is; the others are as many addresses as one likes."""
FORGET_FROM = 10_000
"""Callers that are remembered, before those who have asked for nothing in a while are forgotten."""
OF_A_TENANT = 4
"""A tenant may take this many times what is still free: four fifths of all if it is alone, less beside others. A person
may take the fourth part of what their tenant may still take.
"""


@dataclass(frozen=True)
class Owner:
    """A person, or a program, of a tenant: what the bus admitted, not what a token says of itself."""

    tenant: str
    user: str


class Shares:
    """Places of a process, of which no tenant takes so many that others find none, and no person those of the tenant.

    What a tenant may take falls with what is free. ``setting`` is the bound of all of them.
    """

    def __init__(self, name: str, setting: str, most: int, of_one: int | None = None) -> None:
        self._name = name
        self._setting = setting
        self._most = most
        self._of_one = most if of_one is None else of_one
        self._taken: Counter[Owner] = Counter()
        self._of_tenants: Counter[str] = Counter()

    @property
    def total(self) -> int:
        return self._of_tenants.total()

    def refusal(self, owner: Owner, some: int = 1) -> Limited | None:
        """Why an owner may not take more now, None if they may."""
        free = self._most - self.total
        if some > free:
            return Busy(Problem.of("gateway_full", what=self._name, setting=self._setting), self._name)
        if self.is_at_own_bound(owner, some):
            return TooMany(Problem.of("caller_limit", most=self._of_one, what=self._name), self._name)
        if OF_A_TENANT * (self._taken[owner] + some) > OF_A_TENANT * free - self._of_tenants[owner.tenant]:
            return TooMany(Problem.of("fair_share_limit", what=self._name, setting=self._setting), self._name)
        return None

    def is_at_own_bound(self, owner: Owner, some: int = 1) -> bool:
        return self._taken[owner] + some > self._of_one

    def take(self, owner: Owner, some: int = 1) -> None:
        if refusal := self.refusal(owner, some):
            raise refusal
        self._taken[owner] += some
        self._of_tenants[owner.tenant] += some

    def give_back(self, owner: Owner, some: int = 1) -> None:
        self._taken = self._taken - Counter({owner: some})
        self._of_tenants = self._of_tenants - Counter({owner.tenant: some})

    @contextmanager
    def more(self, owner: Owner, some: int = 1) -> Iterator[None]:
        self.take(owner, some)
        try:
            yield
        finally:
            self.give_back(owner, some)


def counted_as(host: str) -> str:
    """Whose attempts are counted as one: those of an IPv4 address, and those of an IPv6 network of 64 bits."""
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, IPv4Address):
        return str(address)
    return str(address.ipv4_mapped or IPv6Network((address, ONE_NETWORK), strict=False))


@dataclass
class _Bucket:
    left: float
    as_of: float


class RateLimit:
    """So many requests in a second for each caller, and so many at once: a bucket that is filled evenly."""

    def __init__(self, name: str, per_s: float, at_once: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._name = name
        self._per_s = per_s
        self._at_once = at_once
        self._clock = clock
        self._buckets: dict[Hashable, _Bucket] = {}

    def take(self, caller: Hashable) -> None:
        bucket = self._bucket(caller)
        if bucket.left < 1:
            raise TooMany(Problem.of("rate_limit"), self._name, math.ceil(self._until(bucket)))
        bucket.left -= 1

    def wait_s(self, caller: Hashable, longest_s: float) -> float:
        """Count a request that is made in any case; the seconds until a caller who keeps to the limit would make it."""
        bucket = self._bucket(caller)
        wait_s = self._until(bucket)
        bucket.left = max(bucket.left - 1, -longest_s * self._per_s)
        return min(wait_s, longest_s)

    def take_back(self, caller: Hashable) -> None:
        bucket = self._bucket(caller)
        bucket.left = min(bucket.left + 1, self._at_once)

    def _bucket(self, caller: Hashable) -> _Bucket:
        now = self._clock()
        if len(self._buckets) >= FORGET_FROM:
            self._buckets = {name: b for name, b in self._buckets.items() if self._filled(b, now) < self._at_once}
        bucket = self._buckets.setdefault(caller, _Bucket(self._at_once, now))
        bucket.left, bucket.as_of = self._filled(bucket, now), now
        return bucket

    def _until(self, bucket: _Bucket) -> float:
        return max(0.0, (1 - bucket.left) / self._per_s)

    def _filled(self, bucket: _Bucket, now: float) -> float:
        return min(self._at_once, bucket.left + (now - bucket.as_of) * self._per_s)


LONGEST_S = 5.0
"""The longest delay that wrong attempts cause."""
OF_AN_ADDRESS, IN_ALL = 16, 64
"""Attempts that the bus is asked about at a time."""
TURN_WITHIN_S = 60.0
"""No attempt waits longer for its turn: the bus answers hundreds in a second, unless it is away."""
MOST_WAITING = 4000
"""Attempts that are delayed or wait. One address may have as many as there is room left for others: at most half."""
OF_ALL_NAMES = 10
"""How many times the wrong attempts of one name an address may make before all of its attempts are delayed."""


class Attempts:
    """What the bus is asked about at a time, and how often what one address showed was wrong, also for each name."""

    def __init__(self, per_s: float, at_once: int) -> None:
        self._wrong_of_names = RateLimit("refusals", per_s, at_once)
        self._wrong_of_addresses = RateLimit("refusals", per_s * OF_ALL_NAMES, at_once * OF_ALL_NAMES)
        self._turns = asyncio.Semaphore(IN_ALL)
        self._turns_of_addresses: dict[str, asyncio.Semaphore] = {}
        self._waiting: Counter[str] = Counter()

    @asynccontextmanager
    async def attempt(self, address: str, name: str) -> AsyncIterator[None]:
        """Ask the bus in the block; it counts as wrong where that raises `Unauthenticated`.

        Raises `Busy` where more wait than clients can be connected, or the bus answers too slowly.
        """
        with self._waits(address):
            try:
                await self._delay(address, name)
                async with self._turn(address):
                    yield
            except Unauthenticated:
                raise
            except BaseException:
                self._was_not_wrong(address, name)
                raise
            self._was_not_wrong(address, name)

    def _was_not_wrong(self, address: str, name: str) -> None:
        self._wrong_of_names.take_back((address, name))
        self._wrong_of_addresses.take_back(address)

    async def _delay(self, address: str, name: str) -> None:
        wait_s = max(
            self._wrong_of_names.wait_s((address, name), LONGEST_S),
            self._wrong_of_addresses.wait_s(address, LONGEST_S),
        )
        await asyncio.sleep(wait_s)

    @contextmanager
    def _waits(self, address: str) -> Iterator[None]:
        if self._waiting[address] >= MOST_WAITING - self._waiting.total():
            raise Busy(Problem.of("sign_in_limit"), "refusals")
        self._waiting[address] += 1
        try:
            yield
        finally:
            self._waiting[address] -= 1
            if not self._waiting[address]:
                del self._waiting[address]
                self._turns_of_addresses.pop(address, None)

    @asynccontextmanager
    async def _turn(self, address: str) -> AsyncIterator[None]:
        turns = self._turns_of_addresses.setdefault(address, asyncio.Semaphore(OF_AN_ADDRESS))
        async with AsyncExitStack() as held:
            try:
                async with asyncio.timeout(TURN_WITHIN_S):
                    await held.enter_async_context(turns)
                    await held.enter_async_context(self._turns)
            except TimeoutError:
                raise Busy(Problem.of("sign_in_limit"), "refusals") from None
            yield
