"""Connections to the bus: one client for each token in use, shared by all who show it, closed when nobody does."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass, field

from stemma_client import AccessDeniedError, Client, NobodyAdmitsError
from stemma_client.settings import ServerAddress
from stemma_contracts.v1.answers import Problem
from stemma_telemetry import get_logger

from .followed import Followed
from .limits import Owner, to_displace
from .problems import Busy, Limited, TooMany, Unauthenticated, problem_in

Find = Callable[[], Awaitable[ServerAddress]]
"""Tells who calls, at which server; may ask there."""
Attempt = Callable[[], AbstractAsyncContextManager[None]]
"""What a session is opened in: it may delay or refuse that."""
OF_ONE_CALLER = 8
"""Sessions: one caller has several where it shows several tokens, such as those of a provider."""
SWEEPS = 4
"""How often, in the time after which a session is idle, idle ones are looked for."""


@dataclass(frozen=True)
class Session:
    """Whoever calls: a person or a program of a tenant, and its client on the bus."""

    client: Client
    owner: Owner
    is_person: bool
    followed: Followed
    displaced: asyncio.Event = field(default_factory=asyncio.Event)
    """Set where its place went to another caller: what it follows ends."""

    @property
    def tenant(self) -> str:
        """The tenant that it belongs to."""
        return self.owner.tenant

    @property
    def user(self) -> str:
        """The name of the person, or the user of the program."""
        return self.owner.user


@dataclass(eq=False)
class _Entry:
    key: str
    opening: asyncio.Task[Session] = field(init=False)
    stack: AsyncExitStack = field(default_factory=AsyncExitStack)
    users: int = 0
    idle_since: float = field(default_factory=time.monotonic)

    @property
    def session(self) -> Session | None:
        """The session, once it is open."""
        ready = self.opening.done() and not self.opening.cancelled() and self.opening.exception() is None
        return self.opening.result() if ready else None

    @property
    def is_lost(self) -> bool:
        """Whether it was open, and is connected no longer."""
        return self.session is not None and not self.session.client.is_connected


class Sessions:
    """The sessions of one process."""

    def __init__(self, most: int, idle_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._places: dict[_Entry, Owner] = {}
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
    async def session(self, find: Find, key: str, attempt: Attempt = nullcontext) -> AsyncIterator[Session]:
        """The session of whoever is found, at least until the block ends; one that is not open is opened in an attempt.

        Raises `Unauthenticated`, what else connecting raises, `Busy` and `TooMany`. One that lost the server is not
        waited for: whether it would still be admitted is asked anew, while those who follow something by the old one go
        on.
        """
        entry = await self._entry(find, key, attempt)
        entry.users += 1
        try:
            yield await asyncio.shield(entry.opening)
        finally:
            entry.users -= 1
            entry.idle_since = self._clock()
            if not entry.users and self._entries.get(key) is not entry:
                await entry.stack.aclose()

    async def _entry(self, find: Find, key: str, attempt: Attempt) -> _Entry:
        while (known := self._entries.get(key)) is not None:
            if not known.is_lost:
                return known
            await self._close(key)
        self._entries[key] = entry = _Entry(key)
        entry.opening = asyncio.create_task(self._open(find, attempt, entry))
        entry.opening.add_done_callback(lambda _: self._forget_failed(entry))
        return entry

    def _forget_failed(self, entry: _Entry) -> None:
        if entry.session is None and self._entries.get(entry.key) is entry:
            del self._entries[entry.key]

    async def _open(self, find: Find, attempt: Attempt, entry: _Entry) -> Session:
        try:
            async with attempt():
                address = await find()
                client = await _connected(address, entry.stack)
            owner = Owner(client.tenant, address.user or "")
            await self._take_place(owner, entry)
        except BaseException:
            await entry.stack.aclose()
            raise
        followed = Followed(client, owner.user)
        entry.stack.push_async_callback(followed.stop)
        return Session(client, owner, address.login is not None, followed)

    async def _take_place(self, owner: Owner, entry: _Entry) -> None:
        """Take a place. Where all are taken, an idle session has to go, or else one of whoever has most."""
        while refusal := self._refusal(owner):
            if (other := self._idle(owner, refusal) or self._in_use(owner, refusal)) is None:
                raise refusal
            if other.session:
                other.session.displaced.set()
            await self._close(other.key)
        self._places[entry] = owner
        entry.stack.callback(self._places.pop, entry, None)

    def _refusal(self, owner: Owner) -> Limited | None:
        if list(self._places.values()).count(owner) >= OF_ONE_CALLER:
            return TooMany(Problem.of("caller_limit", most=OF_ONE_CALLER, what="sessions"), "sessions")
        if len(self._places) >= self._most:
            return Busy(Problem.of("gateway_full", what="sessions", setting="max_sessions"), "sessions")
        return None

    def _idle(self, owner: Owner, refusal: Limited) -> _Entry | None:
        """The session that is idle for the longest time, of the tenant that has most; of the owner at their bound."""
        of_tenants = Counter(other.tenant for other in self._places.values())
        idle = [
            (-of_tenants[other.tenant], entry.idle_since, entry)
            for entry, other in self._places.items()
            if not entry.users and (other == owner or isinstance(refusal, Busy))
        ]
        return min(idle, key=lambda one: one[:2])[2] if idle else None

    def _in_use(self, owner: Owner, refusal: Limited) -> _Entry | None:
        open_ = {entry: other for entry, other in self._places.items() if entry.session}
        place = to_displace(list(open_.values()), owner) if isinstance(refusal, Busy) else None
        return None if place is None else list(open_)[place]

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
        """Forget a session, and give its place back; whoever uses it still closes it in the end."""
        entry = self._entries.pop(key)
        self._places.pop(entry, None)
        if not entry.users:
            with suppress(asyncio.CancelledError):
                entry.opening.cancel()
            await entry.stack.aclose()


async def _connected(address: ServerAddress, stack: AsyncExitStack) -> Client:
    """The client of an address, once the server has shown that the tenant and the user are those that its keys are of.

    What a token says of itself is not enough: its keys would be admitted under any name. The answer to a question about
    the tenant comes to the inbox of the user, and the server lets nobody else ask the one or listen at the other.
    """
    try:
        client = await stack.enter_async_context(Client.connect_to(address, told=_told))
        await client.position()
    except NobodyAdmitsError:
        raise
    except AccessDeniedError as error:
        raise Unauthenticated(problem_in(error)) from None
    return client


def _told(line: str) -> None:
    get_logger().warning("session", reason=line)
