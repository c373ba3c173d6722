from collections.abc import Iterator

import pytest
from stemma_provisioning import NatsServer
from stemma_testkit.servers import provisioned_server


@pytest.fixture(scope="session")
def nats_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with provisioned_server(tmp_path_factory.mktemp("nats"), tenants=("default", "other")) as server:
        yield server
