import asyncio
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import pytest
from stemma_provisioning import PROVISIONER, NatsServer
from stemma_provisioning.cli import main
from stemma_testkit.servers import provisioned_server


@pytest.fixture(scope="session")
def nats_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with provisioned_server(tmp_path_factory.mktemp("nats"), tenants=("default", "other")) as server:
        yield server


@dataclass(frozen=True)
class Ended:
    """How the command ``stemma-provision`` ended, and what it printed."""

    returncode: object
    stdout: str
    stderr: str


class Program:
    """The command, in this process."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._patch = patch

    def run(self, url: str, password: str, *arguments: str) -> Ended:
        self._patch.setenv("STEMMA_NATS_PASSWORD", password)
        said, complained = StringIO(), StringIO()
        with redirect_stdout(said), redirect_stderr(complained), pytest.raises(SystemExit) as ended:
            main(["--server", url, *arguments])
        return Ended(ended.value.code, said.getvalue(), complained.getvalue())

    async def at(self, server: NatsServer, *arguments: str) -> Ended:
        return await asyncio.to_thread(self.run, server.url, server.passwords[PROVISIONER], *arguments)


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch) -> Program:
    return Program(monkeypatch)


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
