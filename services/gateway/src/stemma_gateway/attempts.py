"""Attempts to get in with what this process has not seen: counted, delayed where many were wrong, few at a time."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from .limits import RateLimit
from .problems import Busy, TooMany, Unauthenticated

LONGEST_S = 5.0
"""Nobody who shows what is right waits longer, whatever others at the same address show."""
MOST_DELAYED = 200
OF_AN_ADDRESS, IN_ALL = 16, 64
"""Attempts that the bus is asked about at a time."""
MOST_WAITING = 500
"""Attempts from one address that wait for their turn."""
OF_ALL_NAMES = 10
"""How many times the wrong attempts of one name an address may make before all of its attempts are delayed."""


class Attempts:
    """What the bus is asked about at a time, and how often what one address showed was wrong, also for each name."""

    def __init__(self, per_s: float, at_once: int) -> None:
        self._wrong_of_names = RateLimit("refusals", per_s, at_once)
        self._wrong_of_addresses = RateLimit("refusals", per_s * OF_ALL_NAMES, at_once * OF_ALL_NAMES)
        self._delayed = 0
        self._turns = asyncio.Semaphore(IN_ALL)
        self._turns_of_addresses: dict[str, asyncio.Semaphore] = {}
        self._waiting: Counter[str] = Counter()

    @asynccontextmanager
    async def attempt(self, address: str, name: str) -> AsyncIterator[None]:
        """Ask the bus in the block; it counts as wrong where that raises `Unauthenticated`.

        Raises `TooMany` and `Busy` where too many wait already.
        """
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
        if not wait_s:
            return
        if self._delayed >= MOST_DELAYED:
            raise TooMany("many wrong tokens or passwords came from this address", "refusals", LONGEST_S)
        self._delayed += 1
        try:
            await asyncio.sleep(wait_s)
        finally:
            self._delayed -= 1

    @asynccontextmanager
    async def _turn(self, address: str) -> AsyncIterator[None]:
        if self._waiting[address] >= MOST_WAITING:
            raise Busy("many callers of this address wait to be let in", "refusals")
        self._waiting[address] += 1
        turns = self._turns_of_addresses.setdefault(address, asyncio.Semaphore(OF_AN_ADDRESS))
        try:
            async with turns, self._turns:
                yield
        finally:
            self._waiting[address] -= 1
            if not self._waiting[address]:
                del self._waiting[address], self._turns_of_addresses[address]
