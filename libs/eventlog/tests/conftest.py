"""A provisioned server of its own for the tests of the event log."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import nats
import pytest
from nats.aio.client import Client
from stemma_provisioning.permissions import inbox_prefix
from stemma_provisioning.server import NatsServer
from stemma_testkit.servers import provisioned_server


@pytest.fixture
def server(tmp_path: Path) -> Iterator[NatsServer]:
    """A running server with every stream."""
    with provisioned_server(tmp_path / "nats", ack_wait_s=None) as server:
        yield server


@pytest.fixture
async def orchestrator(server: NatsServer) -> AsyncIterator[Client]:
    """A connection with the rights of the orchestrator."""
    connection = await connect(server, "orchestrator")
    yield connection
    await connection.close()


async def connect(server: NatsServer, user: str) -> Client:
    return await nats.connect(
        server.url, user=user, password=server.passwords[user], inbox_prefix=inbox_prefix(user).encode()
    )
