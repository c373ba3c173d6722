import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from stemma_provisioning import NatsServer
from stemma_testkit.servers import provisioned_server


@pytest.fixture(scope="session")
def nats_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with provisioned_server(tmp_path_factory.mktemp("nats"), tenants=("default", "other")) as server:
        yield server


@pytest.fixture(scope="session")
def program() -> Path:
    """The command ``stemma-provision``."""
    return Path(sys.executable).with_name("stemma-provision")


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[NatsServer]:
    """A server of the test's own with one tenant."""
    with provisioned_server(tmp_path, ack_wait_s=None) as server:
        yield server


@pytest.fixture
def own_server_of_two(tmp_path: Path) -> Iterator[NatsServer]:
    """The same with two tenants."""
    with provisioned_server(tmp_path, tenants=("default", "other"), ack_wait_s=None) as server:
        yield server
