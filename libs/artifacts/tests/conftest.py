from collections.abc import AsyncIterator, Iterator

import pytest
from nats.js import JetStreamContext
from stemma_provisioning import NatsServer
from stemma_testkit.servers import connected, provisioned_server


@pytest.fixture(scope="session")
def nats_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with provisioned_server(tmp_path_factory.mktemp("nats"), tenants=("default", "other")) as server:
        yield server


@pytest.fixture
async def jetstream(nats_server: NatsServer) -> AsyncIterator[JetStreamContext]:
    async with connected(nats_server) as client:
        yield client.jetstream(timeout=10)
