"""What a tenant that has as much as it may have is told, by name of the bound."""

from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
from nats.js.api import ConsumerConfig
from stemma_client import Client, TenantFullError, TooManyRequestsError
from stemma_client.logins import write_login
from stemma_contracts import subjects
from stemma_contracts.v1.requests import PauseDocument
from stemma_provisioning import Bounds, NatsServer
from stemma_provisioning.roles import Role
from stemma_testkit.servers import admit, provisioned_server

BOUNDS = Bounds(waiting_requests=3, upload_bytes=1024 * 1024, connections=2, consumers=3)
VIEWS = f"KV_{subjects.VIEWS_BUCKET}"
pytestmark = pytest.mark.req("S5")


@pytest.fixture(scope="module")
def narrow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with provisioned_server(tmp_path_factory.mktemp("nats"), bounds=BOUNDS, tenants=("default", "other")) as running:
        yield running


@asynccontextmanager
async def program(server: NatsServer, tenant: str = "default") -> AsyncIterator[Client]:
    user = f"client-{tenant}"
    async with Client.connect(server.url, tenant=tenant, user=user, password=server.passwords[user]) as client:
        yield client


async def test_a_full_queue_is_told_in_words(narrow: NatsServer) -> None:
    async with program(narrow) as client, program(narrow, "other") as other:
        for waiting in (client, other):
            for _ in range(BOUNDS.waiting_requests - (waiting is other)):
                subject = subjects.request(waiting.tenant, "pause-document")
                await waiting._connection.nats.publish(subject, b"{}")
            await waiting._connection.nats.flush()
        with pytest.raises(TooManyRequestsError, match="as many requests of the tenant as it may"):
            await client.request(PauseDocument(document_id="d1"))
        assert await other._connection.jetstream.publish(subjects.request("other", "pause-document"), b"{}")


async def test_uploads_beyond_the_bound_are_told_in_words_and_those_of_another_tenant_are_taken(
    narrow: NatsServer,
) -> None:
    async with program(narrow) as client, program(narrow, "other") as other:
        with pytest.raises(TenantFullError, match=r"as many bytes of uploads .*STEMMA_TENANT_UPLOAD_BYTES"):
            await client.upload(b"x" * (BOUNDS.upload_bytes + 1), name="plan.bin")
        assert (await other.upload(b"x" * (BOUNDS.upload_bytes // 2), name="plan.bin")).size


async def test_one_connection_too_many_is_refused_by_the_name_of_the_bound(narrow: NatsServer) -> None:
    login = narrow.folder / "ada.login"
    write_login(login, admit(narrow, "ada", Role.AUTHOR))
    async with AsyncExitStack() as stack:
        for _ in range(BOUNDS.connections):
            await stack.enter_async_context(program(narrow))
            await stack.enter_async_context(Client.connect(login=login))
        for late in (program(narrow), Client.connect(login=login)):
            with pytest.raises(TenantFullError, match=r"as many connections .*STEMMA_TENANT_CONNECTIONS"):
                await stack.enter_async_context(late)
        await stack.enter_async_context(program(narrow, "other"))
    async with program(narrow) as again:
        assert again.tenant == "default"


async def test_one_reader_too_many_is_refused_by_the_name_of_the_bound_and_who_has_read_counts_no_more(
    narrow: NatsServer,
) -> None:
    async with program(narrow) as client:
        for _ in range(2 * BOUNDS.consumers):
            assert await client.documents() == []
        for number in range(BOUNDS.consumers):
            await client._connection.jetstream.add_consumer(VIEWS, ConsumerConfig(name=f"reader-{number}"))
        with pytest.raises(TenantFullError, match=r"as many readers .*STEMMA_TENANT_CONSUMERS"):
            await client.documents()
