"""The gateway on a real server, with what the orchestrator would say; its callers speak HTTP."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from prometheus_client.parser import text_string_to_metric_families
from stemma_client.bearer import bearer_of
from stemma_client.logins import login_of, new_password, public_key
from stemma_client.settings import ServerAddress
from stemma_contracts import subjects
from stemma_gateway.app import service
from stemma_provisioning import NatsServer, client_user
from stemma_provisioning.admitted import Keys
from stemma_provisioning.roles import Role
from stemma_testkit.backstage import Backstage, document_id, open_backstage
from stemma_testkit.servers import POLL_S, provisioned_server
from stemma_testkit.service_processes import service_process
from stemma_testkit.serving import free_port
from stemma_testkit.working import at_work

from .desk_pages import browser, bus, desk

__all__ = ["browser", "bus", "desk", "document_id", "open_backstage"]
TENANTS = ("default", "garden")
Gateway = Callable[..., AbstractAsyncContextManager[str]]
Caller = Callable[..., httpx.AsyncClient]
Person = Callable[..., dict[str, str]]
KEYS = "k" * 32
PAGES = {"Accept": "text/html,application/xhtml+xml"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All tests of this folder run in the loop in which the gateways and pages are that they share."""
    for item in items:
        if item.path.parent == Path(__file__).parent and pytest_asyncio.is_async_test(item):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with provisioned_server(tmp_path_factory.mktemp("nats"), tenants=TENANTS) as running:
        yield running


@pytest.fixture(scope="session")
def gateway(server: NatsServer, tmp_path_factory: pytest.TempPathFactory) -> Gateway:
    """A gateway that runs in a block; its address."""
    return partial(running_gateway, server, tmp_path_factory.mktemp("gateway"))


@asynccontextmanager
async def running_gateway(server: NatsServer, folder: Path, port: int = 0, **settings: Any) -> AsyncIterator[str]:
    """A gateway of a server, with its files in a folder; its address."""
    port = port or free_port()
    ready = folder / f"ready-{port}"
    ready.unlink(missing_ok=True)
    loaded = service.load_settings(**{"nats_url": server.url, "port": port, "ready_file": ready, **settings})
    async with asyncio.timeout(120), at_work(service.run(loaded)):
        while not ready.exists():
            await asyncio.sleep(POLL_S)
        yield f"http://127.0.0.1:{port}"


@dataclass(frozen=True)
class Process:
    """A gateway that runs as a process, and nobody starts again."""

    url: str
    pid: int
    health_port: int
    log: Path

    async def metrics(self) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
        """What it measured, by name and labels."""
        async with httpx.AsyncClient() as http:
            text = (await http.get(f"http://127.0.0.1:{self.health_port}/metrics")).text
        samples = (sample for family in text_string_to_metric_families(text) for sample in family.samples)
        return {(sample.name, frozenset(sample.labels.items())): sample.value for sample in samples}

    def peak_bytes(self) -> int:
        """The most memory that it ever had."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        return 1024 * int(status.partition("VmHWM:")[2].split()[0])


@pytest.fixture
def process(server: NatsServer, tmp_path: Path) -> Callable[..., AbstractAsyncContextManager[Process]]:
    """A gateway as a process of its own, killed at the end of a block."""

    @asynccontextmanager
    async def run(port: int = 0, **settings: object) -> AsyncIterator[Process]:
        port, ready, log = port or free_port(), tmp_path / "ready", tmp_path / "gateway.log"
        told = {f"STEMMA_GATEWAY_{name.upper()}": str(value) for name, value in {"port": port, **settings}.items()}
        env = {**os.environ, **told, "STEMMA_NATS_URL": server.url}
        async with service_process(subjects.GATEWAY, env, ready, log) as started:
            yield Process(f"http://127.0.0.1:{port}", started.pid, int(ready.read_text()), log)

    return run


@pytest.fixture
def token(server: NatsServer) -> Callable[..., str]:
    """The token of the programs of a tenant."""

    def of(tenant: str = "default", password: str | None = None) -> str:
        user = client_user(tenant)
        return bearer_of(ServerAddress(server.url, tenant, user, password or server.passwords[user]))

    return of


@pytest.fixture
def caller(token: Callable[..., str]) -> Caller:
    """An HTTP client of a tenant."""

    def of(url: str, tenant: str = "default", **options: object) -> httpx.AsyncClient:
        headers = {"Authorization": f"Bearer {token(tenant)}"}
        return httpx.AsyncClient(base_url=url, headers=headers, timeout=30, **options)  # type: ignore[arg-type]

    return of


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def address(gateway: Gateway) -> AsyncIterator[str]:
    """A gateway of all tests of a file that need no other settings."""
    async with gateway(cookie_keys=KEYS, requests_at_once=100_000, refusals_at_once=100) as url:
        yield url


@pytest_asyncio.fixture(loop_scope="session")
async def http(address: str, caller: Caller) -> AsyncIterator[httpx.AsyncClient]:
    """A program of the tenant ``default`` at this gateway."""
    async with caller(address) as client:
        yield client


@pytest_asyncio.fixture(loop_scope="session")
async def visitor(address: str) -> AsyncIterator[httpx.AsyncClient]:
    """A client that keeps its cookies, as a browser does, at this gateway."""
    async with at(address) as client:
        yield client


@pytest_asyncio.fixture(loop_scope="session")
async def backstage(server: NatsServer, open_backstage: Callable[..., Any]) -> AsyncIterator[Backstage]:
    """The other side of the bus."""
    async with open_backstage(server) as stage:
        yield stage


@pytest.fixture
def person(server: NatsServer) -> Iterator[Person]:
    """Admits a person; what the person types in."""
    admitted: list[str] = []

    def of(name: str, role: Role = Role.REVIEWER) -> dict[str, str]:
        login = login_of(server.url, "default", name, password := new_password())
        keys = Keys(public_key(login.reading_seed), public_key(login.asking_seed))
        server.admitted("default").add(name, role, keys)
        admitted.append(name)
        return {"user": name, "password": password}

    yield of
    for name in admitted:
        if name in server.admitted("default").people():
            server.admitted("default").remove(name)


@asynccontextmanager
async def at(url: str) -> AsyncIterator[httpx.AsyncClient]:
    """A client that keeps its cookies and says where it comes from, as a browser does."""
    async with httpx.AsyncClient(base_url=url, timeout=30, headers={"Origin": url}) as client:
        yield client


def problem(response: httpx.Response) -> tuple[int, str]:
    """The status of an error, and its kind."""
    return response.status_code, response.json()["type"].removeprefix("urn:stemma:problem:")
