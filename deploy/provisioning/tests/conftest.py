from collections.abc import Iterator
from pathlib import Path

import pytest
from stemma_provisioning import NatsServer
from stemma_testkit.commands import copied_programs
from stemma_testkit.servers import provisioned_server


@pytest.fixture(scope="session")
def nats_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with provisioned_server(tmp_path_factory.mktemp("nats"), tenants=("default", "other")) as server:
        yield server


@pytest.fixture(scope="session")
def program() -> Iterator[Path]:
    """``stemma-provision``, whose imports are made once."""
    name = "stemma-provision"
    with copied_programs(name) as programs:
        yield programs / name
