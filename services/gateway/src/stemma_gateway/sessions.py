"""Connections to the bus: one client for each token in use, shared by all who show it, closed when nobody does."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field

from stemma_client import AccessDeniedError, Client, NobodyAdmitsError
from stemma_client.settings import ServerAddress
from stemma_telemetry import get_logger

from .followed import Followed
from .problems import Busy, Unauthenticated

Find = Callable[[], Awaitable[ServerAddress]]
"""Tells who calls, at which server; may ask there."""
SWEEPS = 4
"""How often, in the time after which a session is idle, idle ones are looked for."""


@dataclass(frozen=True)
class Session:
    """Whoever calls: a person or a program of a tenant, and its client on the bus."""

    client: Client
    key: str
    user: str
    is_person: bool
    followed: Followed

    @property
    def tenant(self) -> str:
        """The tenant that it belongs to."""
        return self.client.tenant


@dataclass
class _Entry:
    opening: asyncio.Task[Session]
    stack: AsyncExitStack
    users: int = 0
    idle_since: float = field(default_factory=time.monotonic)

    @property
    def is_lost(self) -> bool:
        """Whether it was open, and is connected no longer."""
        ready = self.opening.done() and not self.opening.cancelled() and self.opening.exception() is None
        return ready and not self.opening.result().client.is_connected


class Sessions:
    """The sessions of one process."""

    def __init__(self, most: int, idle_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._idle_s = idle_s
        self._clock = clock
        self._entries: dict[str, _Entry] = {}

    def __contains__(self, key: str) -> bool:
        return key in self._entries

    @asynccontextmanager
    async def swept(self) -> AsyncIterator[None]:
        """Close sessions that are idle while the block runs, and all at its end."""
        sweeping = asyncio.create_task(self._sweep())
        try:
            yield
        finally:
            sweeping.cancel()
            for key in list(self._entries):
                await self._close(key)

    @asynccontextmanager
    async def session(self, find: Find, key: str) -> AsyncIterator[Session]:
        """The session of whoever is found, at least until the block ends.

        Raises `Unauthenticated`, what else connecting raises, and `Busy`. One that lost the server is not waited for:
        whether it would still be admitted is asked anew, while those who follow something by the old one go on.
        """
        entry = await self._entry(find, key)
        entry.users += 1
        try:
            yield await asyncio.shield(entry.opening)
        except BaseException:
            if entry.opening.done() and self._failed(entry) and self._entries.get(key) is entry:
                del self._entries[key]
            raise
        finally:
            entry.users -= 1
            entry.idle_since = self._clock()
            if not entry.users and self._entries.get(key) is not entry:
                await entry.stack.aclose()

    def _failed(self, entry: _Entry) -> bool:
        return entry.opening.cancelled() or entry.opening.exception() is not None

    async def _entry(self, find: Find, key: str) -> _Entry:
        while True:
            known = self._entries.get(key)
            if known is not None and not known.is_lost:
                return known
            if known is not None:
                await self._close(key)
            elif len(self._entries) >= self._most:
                await self._make_room()
            else:
                return self._begin(find, key)

    def _begin(self, find: Find, key: str) -> _Entry:
        stack = AsyncExitStack()
        self._entries[key] = entry = _Entry(asyncio.create_task(self._open(find, key, stack)), stack)
        return entry

    async def _open(self, find: Find, key: str, stack: AsyncExitStack) -> Session:
        try:
            address = await find()
            client = await stack.enter_async_context(Client.connect_to(address, told=_told))
        except NobodyAdmitsError:
            raise
        except AccessDeniedError as error:
            raise Unauthenticated(str(error)) from None
        followed = Followed(client, address.user or "")
        stack.push_async_callback(followed.stop)
        return Session(client, key, address.user or "", address.login is not None, followed)

    async def _make_room(self) -> None:
        idle = {key: entry.idle_since for key, entry in self._entries.items() if not entry.users}
        if not idle:
            raise Busy("as many callers are connected as this gateway takes (max_sessions)", "sessions")
        await self._close(min(idle, key=lambda key: idle[key]))

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(self._idle_s / SWEEPS)
            long_ago = self._clock() - self._idle_s
            for key in self._idle_since(long_ago):
                await self._close(key)

    def _idle_since(self, moment: float) -> Iterator[str]:
        """Those that are idle for so long, each looked at once the one before it is closed."""
        for key in list(self._entries):
            entry = self._entries.get(key)
            if entry is not None and not entry.users and entry.idle_since < moment:
                yield key

    async def _close(self, key: str) -> None:
        """Forget a session; whoever uses it still closes it in the end."""
        entry = self._entries.pop(key)
        if not entry.users:
            with suppress(asyncio.CancelledError):
                entry.opening.cancel()
            await entry.stack.aclose()


def _told(line: str) -> None:
    get_logger().warning("session", reason=line)
