"""Connections to the bus: one client for each token in use, shared by all who show it, closed when nobody does."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass, field

from stemma_client import AccessDeniedError, Client, NobodyAdmitsError
from stemma_client.settings import ServerAddress
from stemma_telemetry import get_logger

from .followed import Followed
from .limits import Owner, Shares
from .problems import Busy, Unauthenticated, problem_in

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

    @property
    def tenant(self) -> str:
        return self.owner.tenant

    @property
    def user(self) -> str:
        return self.owner.user


@dataclass
class _Entry:
    opening: asyncio.Task[Session]
    stack: AsyncExitStack
    users: int = 0
    idle_since: float = field(default_factory=time.monotonic)

    @property
    def owner(self) -> Owner | None:
        ready = self.opening.done() and not self.opening.cancelled() and self.opening.exception() is None
        return self.opening.result().owner if ready else None

    @property
    def is_lost(self) -> bool:
        return self.owner is not None and not self.opening.result().client.is_connected

    def is_of(self, tenant: str) -> bool:
        return self.owner is not None and self.owner.tenant == tenant


class Sessions:
    def __init__(self, most: int, idle_s: float) -> None:
        self._shares = Shares("sessions", "max_sessions", most, OF_ONE_CALLER)
        self._idle_s = idle_s
        self._entries: dict[str, _Entry] = {}

    def __contains__(self, key: str) -> bool:
        return key in self._entries

    @asynccontextmanager
    async def swept(self) -> AsyncIterator[None]:
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
            entry.idle_since = time.monotonic()
            if not entry.users and self._entries.get(key) is not entry:
                await entry.stack.aclose()

    async def _entry(self, find: Find, key: str, attempt: Attempt) -> _Entry:
        while (known := self._entries.get(key)) is not None:
            if not known.is_lost:
                return known
            await self._close(key)
        stack = AsyncExitStack()
        opening = asyncio.create_task(self._open(find, key, attempt, stack))
        self._entries[key] = entry = _Entry(opening, stack)
        opening.add_done_callback(lambda _: self._forget_failed(key, entry))
        return entry

    def _forget_failed(self, key: str, entry: _Entry) -> None:
        if entry.owner is None and self._entries.get(key) is entry:
            del self._entries[key]

    async def _open(self, find: Find, key: str, attempt: Attempt, stack: AsyncExitStack) -> Session:
        try:
            async with attempt():
                address = await find()
                client = await _connected(address, stack)
            owner = Owner(client.tenant, address.user or "")
            await self._take_place(owner, stack)
        except BaseException:
            await stack.aclose()
            raise
        followed = Followed(client, owner.user)
        stack.push_async_callback(followed.stop)
        return Session(client, owner, address.login is not None, followed)

    async def _take_place(self, owner: Owner, stack: AsyncExitStack) -> None:
        """Take a place, if need be that of an idle session: one of the same caller, or else of the same tenant.

        Where all places are taken, one session of another tenant has to go.
        """
        while self._shares.refusal(owner) and (idle := self._idle(self._may_replace(owner))):
            await self._close(idle)
        if isinstance(self._shares.refusal(owner), Busy) and (idle := self._idle(self._entries)):
            await self._close(idle)
        self._shares.take(owner)
        stack.callback(self._shares.give_back, owner)

    def _may_replace(self, owner: Owner) -> list[str]:
        of_tenant = {key: entry.owner for key, entry in self._entries.items() if entry.is_of(owner.tenant)}
        own = [key for key, other in of_tenant.items() if other == owner]
        return own if self._idle(own) or self._shares.is_at_own_bound(owner) else [*of_tenant]

    def _idle(self, keys: Iterable[str]) -> str | None:
        idle = {key: entry for key in keys if (entry := self._entries[key]).owner and not entry.users}
        return min(idle, key=lambda key: idle[key].idle_since, default=None)

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(self._idle_s / SWEEPS)
            long_ago = time.monotonic() - self._idle_s
            for key in list(self._entries):
                entry = self._entries.get(key)  # it may be gone, while the one before was closed
                if entry is not None and not entry.users and entry.idle_since < long_ago:
                    await self._close(key)

    async def _close(self, key: str) -> None:
        """Forget a session; whoever uses it still closes it in the end."""
        entry = self._entries.pop(key)
        if not entry.users:
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
