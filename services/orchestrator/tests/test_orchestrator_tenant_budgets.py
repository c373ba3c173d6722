"""The budget of a tenant on a real server: what its documents came to is what the log tells, whoever was killed."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from stemma_client import Client
from stemma_contracts import registry, subjects
from stemma_contracts.v1.budgets import BudgetQuestion
from stemma_contracts.v1.outcomes import JobCancelled, Outcome, ThreadsErased
from stemma_contracts.v1.requests import CancelDocument, EraseDocument
from stemma_contracts.v1.usage import Usage
from stemma_messaging import Publisher
from stemma_orchestrator.app import service
from stemma_provisioning import NatsServer, client_user
from stemma_testkit.servers import connected, eventually, provisioned_server
from stemma_testkit.working import access, at_work

pytestmark = pytest.mark.req("L6")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[NatsServer]:
    with provisioned_server(tmp_path) as running:
        yield running


@asynccontextmanager
async def orchestrator(server: NatsServer, calls: int) -> AsyncIterator[None]:
    budgets = {"*": {"calls": 0}, "default": {"calls": calls}}
    settings = service.load_settings(sweep_every_s=0.2, tenant_budgets=budgets, **access(server, subjects.ORCHESTRATOR))
    async with at_work(service.run(settings)):
        yield


async def test_its_documents_add_up_after_a_kill_and_an_erasure_and_what_waited_goes_on_once_there_is_room(
    server: NatsServer,
) -> None:
    user = client_user("default")
    password = server.passwords[user]
    async with connected(server) as nats, Client.connect(server.url, user=user, password=password) as client:
        publisher = Publisher(nats.jetstream(), "/test")

        async def told(outcome: Outcome) -> None:
            subject = subjects.outcome(subjects.GENERATION, registry.entry_of(outcome).token)
            await publisher.publish(subject, outcome, id=outcome.job_id, about="default")

        async def begun() -> str:
            return (await client.create_document("proposal", brief="A ferry.")).document_id

        async def question(document_id: str) -> BudgetQuestion | None:
            budget = (await client.document(document_id)).budget
            return budget.question if budget else None

        async def erased() -> bool:
            return [event.name for event in await client.history(first)] == ["document-erased"]

        async def goes_on() -> bool:
            return await question(second) is None

        async with orchestrator(server, calls=5):
            first = await begun()
            about: dict[str, Any] = {"tenant": "default", "document_id": first}
            await told(JobCancelled(job_id=f"{first}.1.generate.x", usage=Usage(calls=5), **about))
            await eventually(lambda: _spent(client, first, 5))
        async with orchestrator(server, calls=5):
            second = await begun()
            asked = await question(second)
            assert asked is not None
            assert (asked.whose, asked.bound, asked.usage.calls) == ("tenant", "calls", 5)
            await client.request(CancelDocument(document_id=first))
            plan = await client.request(EraseDocument(document_id=first))
            await client.request(EraseDocument(document_id=first, sequence=plan.sequence))
            pattern = subjects.job(subjects.GENERATION, "erase-threads")
            erase = await nats.jetstream().get_msg(subjects.JOBS, 1, pattern, next=True)
            await told(ThreadsErased(job_id=str((erase.headers or {})["ce-id"]), threads=0, **about))
            await eventually(erased)
            assert await question(await begun()) is not None, "what is erased was paid all the same"
        async with orchestrator(server, calls=7):
            await eventually(goes_on)


async def _spent(client: Client, document_id: str, calls: int) -> bool:
    return (await client.document(document_id)).usage.calls == calls
