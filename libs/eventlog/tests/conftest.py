"""A provisioned server of its own for the tests of the event log."""

from collections.abc import AsyncIterator, Iterator
from uuid import uuid4

import nats
import pytest
from nats.aio.client import Client
from stemma_eventlog import StreamId
from stemma_provisioning.permissions import inbox_prefix
from stemma_provisioning.server import NatsServer
from stemma_testkit.servers import provisioned_server


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    """A running server with every stream; each test has documents of its own."""
    with provisioned_server(tmp_path_factory.mktemp("nats"), ack_wait_s=None) as server:
        yield server


@pytest.fixture
def stream() -> StreamId:
    return StreamId("default", uuid4().hex)


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
