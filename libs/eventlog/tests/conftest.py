"""A provisioned server of its own for the tests of the event log."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import nats
import pytest
from nats.aio.client import Client
from stemma_provisioning.permissions import inbox_prefix
from stemma_provisioning.provision import provision
from stemma_provisioning.server import NatsServer


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[NatsServer]:
    """A running server with every stream."""
    with NatsServer(tmp_path / "nats") as server:
        admin = await connect(server, "provisioner")
        await provision(admin)
        await admin.close()
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
