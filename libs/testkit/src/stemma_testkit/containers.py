"""Servers in containers, of the images that docker-compose.yml names; needs the extra ``containers``."""

import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import yaml
from stemma_provisioning import Bounds, NatsServer
from stemma_provisioning.config import AdmissionKeys, ServerConfig
from stemma_provisioning.topology import DEFAULT_BOUNDS, DEFAULT_TENANTS

from stemma_testkit.serving import free_port

from .postgres import PostgresServer

COMPOSE_FILE = Path(__file__).resolve().parents[4] / "docker-compose.yml"
CONFIGURATION = "/etc/nats/nats.conf"
START_WITHIN_S = 30.0
STOP_WITHIN_S = 20
CONNECT_WITHIN_S = 2.0
POLL_S = 0.02


def image(service: str) -> str:
    return str(yaml.safe_load(COMPOSE_FILE.read_text(encoding="utf-8"))["services"][service]["image"])


class Container:
    """A container that can be stopped, killed and started again, and keeps its files and its port until removed."""

    def __init__(self, service: str, port: int, at: int, command: Sequence[str]) -> None:
        """``port`` is what the server listens on inside, ``at`` the one of the engine's machine."""
        self.definition = import_module("testcontainers.core.container").DockerContainer(image(service))
        self.definition.with_bind_ports(port, at).with_command(list(command))
        self._port = port
        self._started = False

    @property
    def address(self) -> tuple[str, int]:
        return str(self.definition.get_container_host_ip()), int(self.definition.get_exposed_port(self._port))

    @property
    def running(self) -> bool:
        self.definition.reload()
        return bool(self.definition.status == "running")

    def start(self) -> None:
        if self._started:
            self._engines.start()
        else:
            self.definition.start()
            self._started = True

    def stop(self) -> None:
        self._engines.stop(timeout=STOP_WITHIN_S)

    def kill(self) -> None:
        self._engines.kill()

    def suspend(self) -> None:
        self._engines.pause()

    def resume(self) -> None:
        self._engines.unpause()

    def log(self) -> str:
        return str(b"".join(self.definition.get_logs()).decode(errors="replace"))

    def remove(self) -> None:
        self.definition.stop()

    @property
    def _engines(self) -> Any:
        return self.definition.get_wrapped_container()


class ContainerNatsServer(NatsServer):
    """The same server in a container; it has no process of this machine."""

    def __init__(
        self, folder: Path, *, tenants: Sequence[str] = DEFAULT_TENANTS, bounds: Bounds = DEFAULT_BOUNDS
    ) -> None:
        super().__init__(folder, tenants=tenants, bounds=bounds)
        self._address = ("", 0)
        self._container = Container("nats", 4222, free_port(), ["-c", CONFIGURATION])
        keys = AdmissionKeys(self.seals.user.public, self.seals.issuer.public)
        rendered = ServerConfig(Path("/data"), self.passwords, keys, tenants, bounds, host="0.0.0.0").render()
        self._container.definition.with_copy_into_container(rendered.encode(), CONFIGURATION)

    @property
    def url(self) -> str:
        host, port = self._address
        return f"nats://{host}:{port}"

    @property
    def running(self) -> bool:
        return self._container.running

    def start(self) -> Self:
        self._container.start()
        self._address = self._container.address
        wait_for(self._greets, self._container)
        self.let_in()
        return self

    def stop(self) -> None:
        self.let_nobody_in()
        self._container.stop()

    def kill(self) -> None:
        self._container.kill()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.let_nobody_in()
        self._container.remove()

    def _greets(self) -> bool:
        try:
            with socket.create_connection(self._address, CONNECT_WITHIN_S) as connection:
                return connection.recv(4) == b"INFO"
        except OSError:
            return False


class ContainerPostgres(PostgresServer):
    def __init__(self, password: str, port: int, user: str) -> None:
        super().__init__(password, port, user)
        self.container = Container("postgres", 5432, port, ["-c", "fsync=off"])
        self.container.definition.with_envs(POSTGRES_USER=user, POSTGRES_PASSWORD=password, POSTGRES_DB="postgres")

    def start(self) -> None:
        self.container.start()
        self.host, self.port = self.container.address
        wait_for(self.answers, self.container)

    def stop(self) -> None:
        self.container.stop()

    def kill(self) -> None:
        self.container.kill()

    def suspend(self) -> None:
        self.container.suspend()

    def resume(self) -> None:
        self.container.resume()


@contextmanager
def postgres_container(password: str, port: int, user: str) -> Iterator[PostgresServer]:
    """A running server; its container goes with the context."""
    server = ContainerPostgres(password, port, user)
    try:
        server.start()
        yield server
    finally:
        server.container.remove()


def wait_for(answers: Callable[[], bool], container: Container) -> None:
    """Wait until a server answers; raises `TimeoutError` with what it printed."""
    deadline = time.monotonic() + START_WITHIN_S
    while not answers():
        if time.monotonic() > deadline or not container.running:
            raise TimeoutError(container.log()[-2000:])
        time.sleep(POLL_S)
