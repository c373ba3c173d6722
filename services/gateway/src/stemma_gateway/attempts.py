"""Attempts to get in with what this process has not seen: counted, delayed where many were wrong, few at a time."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager

from stemma_contracts.v1.answers import Problem

from .limits import RateLimit
from .problems import Busy, Unauthenticated

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
