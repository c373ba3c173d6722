"""A real, provisioned NATS server for tests, and connections to it as any of its users."""

import asyncio
import tarfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import cache, partial
from io import BytesIO
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import assert_never

import nats
from nats.aio.client import Client
from stemma_client.logins import Login, credentials, new_seed, public_key
from stemma_provisioning import PROVISIONER, Bounds, NatsServer, inbox_prefix, provision
from stemma_provisioning.admitted import Keys
from stemma_provisioning.copies import copies, reads_its_feed
from stemma_provisioning.permissions import person_inbox
from stemma_provisioning.providers import Trusted
from stemma_provisioning.roles import Role
from stemma_provisioning.topology import ACK_WAIT_S, DEFAULT_BOUNDS, DEFAULT_TENANTS

from .server_choice import Servers, servers

POLL_S = 0.02
DATA = "data"
"""Where a `NatsServer` keeps its data in its folder."""


@contextmanager
def provisioned_server(
    folder: Path,
    *,
    tenants: Sequence[str] = DEFAULT_TENANTS,
    ack_wait_s: float | None = ACK_WAIT_S,
    bounds: Bounds = DEFAULT_BOUNDS,
    trusted: Trusted | None = None,
) -> Iterator[NatsServer]:
    """A running server with every stream, consumer and bucket; for fixtures, also of a whole test module."""
    match servers():
        case Servers.PACKAGED:
            with _copied_server(folder, tuple(tenants), ack_wait_s, bounds, trusted) as server:
                yield server
        case Servers.CONTAINERS:
            from .containers import ContainerNatsServer

            with ContainerNatsServer(folder, tenants=tenants, bounds=bounds) as server:
                asyncio.run(_provision(server, tenants, ack_wait_s, bounds))
                yield server
        case other:
            assert_never(other)


@contextmanager
def _copied_server(
    folder: Path, tenants: tuple[str, ...], ack_wait_s: float | None, bounds: Bounds, trusted: Trusted | None
) -> Iterator[NatsServer]:
    """A server that finds what one before it was provisioned with: to make all that takes most of a second."""
    with tarfile.open(fileobj=BytesIO(_provisioned(tenants, ack_wait_s, bounds))) as data:
        data.extractall(folder, filter="data")
    with NatsServer(folder, tenants=tenants, bounds=bounds, trusted=trusted) as server:
        asyncio.run(_fed(server, tenants))
        try:
            yield server
        finally:
            server.let_nobody_in()
            server.kill()  # nobody reads what it would write down to end in good order


@cache
def _provisioned(tenants: tuple[str, ...], ack_wait_s: float | None, bounds: Bounds) -> bytes:
    with TemporaryDirectory() as folder:
        with NatsServer(Path(folder), tenants=tenants, bounds=bounds) as server:
            asyncio.run(_provision(server, tenants, ack_wait_s, bounds))
        archive = BytesIO()
        with tarfile.open(fileobj=archive, mode="w") as data:
            data.add(Path(folder) / DATA, DATA)
    return archive.getvalue()


async def _provision(server: NatsServer, tenants: Sequence[str], ack_wait_s: float | None, bounds: Bounds) -> None:
    async with connected(server) as client:
        await provision(client, tenants, ack_wait_s, bounds)


async def _fed(server: NatsServer, tenants: Sequence[str]) -> None:
    async with connected(server) as client:
        js = client.jetstream()
        for copy in chain.from_iterable(map(copies, tenants)):
            await eventually(partial(reads_its_feed, js, copy))


@asynccontextmanager
async def connected(
    server: NatsServer, user: str = PROVISIONER, on_error: Callable[[Exception], Awaitable[None]] | None = None
) -> AsyncIterator[Client]:
    client = await nats.connect(
        server.url,
        user=user,
        password=server.passwords[user],
        inbox_prefix=inbox_prefix(user),
        max_reconnect_attempts=-1,
        reconnect_time_wait=0.1,
        error_cb=on_error or _ignore,
    )
    try:
        yield client
    finally:
        await client.close()


def admit(server: NatsServer, name: str, role: Role, tenant: str = "default") -> Login:
    """Admit a person to a server; the login that is handed over."""
    login = Login(server.url, tenant, name, role, new_seed(), new_seed())
    server.admitted(tenant).add(name, role, Keys(public_key(login.reading_seed), public_key(login.asking_seed)))
    return login


@asynccontextmanager
async def connected_person(
    login: Login, *, asks: bool, on_error: Callable[[Exception], Awaitable[None]] | None = None
) -> AsyncIterator[Client]:
    """One of the two connections of a person; refused at once where the person is not admitted."""
    client = await nats.connect(
        login.url,
        **credentials(login.asking_seed if asks else login.reading_seed),
        inbox_prefix=person_inbox(login.person),
        allow_reconnect=False,
        error_cb=on_error or _ignore,
    )
    try:
        yield client
    finally:
        await client.close()


async def barrier(client: Client) -> None:
    """Return once the server has dealt with all that was sent: a ping goes ahead of what is still buffered."""
    await client.flush()
    await client.flush()


async def _ignore(_: Exception) -> None:
    """The client reconnects by itself; a test sees what matters in its calls."""


async def eventually(condition: Callable[[], Awaitable[bool]], within_s: float = 20.0) -> None:
    """Wait until a condition holds; raises `AssertionError` if it does not in time."""
    deadline = time.monotonic() + within_s
    while not await condition():
        assert time.monotonic() < deadline, f"not within {within_s} s"
        await asyncio.sleep(POLL_S)
