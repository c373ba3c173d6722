"""The gateway on a real server, with what the orchestrator would say; its callers speak HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import httpx
import pytest
from stemma_client.bearer import bearer_of
from stemma_client.settings import ServerAddress
from stemma_gateway.app import service
from stemma_provisioning import NatsServer, client_user
from stemma_testkit.backstage import Backstage, backstage, document_id, open_backstage
from stemma_testkit.ports import free_port
from stemma_testkit.servers import POLL_S, provisioned_server
from stemma_testkit.working import at_work

__all__ = ["Backstage", "backstage", "document_id", "open_backstage"]
TENANTS = ("default", "garden")
Gateway = Callable[..., AbstractAsyncContextManager[str]]
Caller = Callable[..., httpx.AsyncClient]


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with provisioned_server(tmp_path_factory.mktemp("nats"), tenants=TENANTS) as running:
        yield running


@pytest.fixture
def gateway(server: NatsServer, tmp_path: Path) -> Gateway:
    """A gateway that runs in a block; its address."""

    @asynccontextmanager
    async def run(port: int = 0, **settings: object) -> AsyncIterator[str]:
        port = port or free_port()
        ready = tmp_path / f"ready-{port}"
        ready.unlink(missing_ok=True)
        loaded = service.load_settings(nats_url=server.url, port=port, ready_file=ready, **settings)
        async with asyncio.timeout(120), at_work(service.run(loaded)):
            while not ready.exists():
                await asyncio.sleep(POLL_S)
            yield f"http://127.0.0.1:{port}"

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


@pytest.fixture
async def http(gateway: Gateway, caller: Caller) -> AsyncIterator[httpx.AsyncClient]:
    """A program of the tenant ``default`` at a gateway."""
    async with gateway() as url, caller(url) as client:
        yield client
