"""A tenant that comes while everybody is at work has its documents written, and nobody notices otherwise."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
from stemma_cli.local.run import WHO_ANSWER
from stemma_cli.local.supervisor import LocalStemma
from stemma_client import Client
from stemma_contracts import subjects
from stemma_contracts.v1 import events as e
from stemma_converter.app import service as converter
from stemma_generation_graph.app import service as generation
from stemma_generation_graph.checkpoints import set_up
from stemma_messaging import Service
from stemma_orchestrator.app import service as orchestrator
from stemma_provisioning import NatsServer, client_user, provision
from stemma_testkit.driving import wait_for
from stemma_testkit.servers import connected
from stemma_testkit.working import access, at_work
from stemma_validator.app import service as validator

SERVICES: dict[str, Service[Any]] = {
    subjects.ORCHESTRATOR: orchestrator,
    subjects.GENERATION: generation,
    subjects.VALIDATOR: validator,
}


@asynccontextmanager
async def services(server: NatsServer, folder: Path) -> AsyncIterator[None]:
    """The services, all at work until the end."""
    started = {name: _settings(server, name, folder) for name in SERVICES}
    await set_up(started[subjects.GENERATION].checkpoint_place)
    async with at_work(*(SERVICES[name].run(settings) for name, settings in started.items())):
        yield


def _settings(server: NatsServer, name: str, folder: Path) -> Any:
    own = {"data_dir": folder} if name == subjects.GENERATION else {}
    return SERVICES[name].load_settings(**access(server, name), **own)


async def drafted(server: NatsServer, tenant: str) -> e.SectionDrafted:
    """What the first section of a tenant's new document came to; its brief goes up as a file."""
    user = client_user(tenant)
    async with Client.connect(server.url, tenant=tenant, user=user, password=server.passwords[user]) as client:
        brief = "# A reading garden\n\n" + "The garden has twelve benches. " * 1200
        asked = await client.create_document("proposal", brief=brief)
        seen = await wait_for(client, asked.document_id, lambda event: isinstance(event, e.SectionReviewRequested))
        [draft] = [event.contract for event in seen if isinstance(event.contract, e.SectionDrafted)]
        assert await client.artifact(asked.document_id, draft.draft)
        assert [document.document_id for document in await client.documents()] == [asked.document_id]
    return draft


@pytest.mark.full
@pytest.mark.req("S1")
async def test_a_tenant_that_comes_later_has_its_document_written(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        server = stack.enter_context(NatsServer(tmp_path / "nats"))
        async with connected(server) as admin:
            await provision(admin)
            await stack.enter_async_context(services(server, tmp_path))
            assert (await drafted(server, "default")).section_id
            server.admit(("default", "late"))
            await provision(admin, ("default", "late"))
        assert (await drafted(server, "late")).section_id


@pytest.mark.full
@pytest.mark.req("S5")
@pytest.mark.asyncio(loop_scope="session")
async def test_who_works_leaves_the_processor_to_who_answers(apart: LocalStemma) -> None:
    nice = {name: psutil.Process(service.pid).nice() for name, service in apart.services.items()}
    answers = {*map(nice.pop, WHO_ANSWER), psutil.Process(apart.nats.pid).nice()}
    assert max(answers) < min(nice.values())


@pytest.mark.full
@pytest.mark.req("S5")
@pytest.mark.asyncio(loop_scope="session")
async def test_who_works_leaves_it_with_all_that_it_starts_where_sessions_share_it(
    apart: LocalStemma,
) -> None:
    shares = {name: _session_shares(service.pid) for name, service in apart.services.items()}
    if not any(shares.values()):
        pytest.skip("this system does not share the processor among sessions")
    assert [shares.pop(name) for name in WHO_ANSWER] == [{0}, {0}]
    assert all(min(each) > 0 for each in shares.values()), shares


def _session_shares(pid: int | None) -> set[int]:
    """How nice the sessions are of a process and of all that it started."""
    process = psutil.Process(pid)
    shares = set()
    for each in (process, *process.children(recursive=True)):
        with suppress(OSError):
            shares.add(int(Path(f"/proc/{each.pid}/autogroup").read_text().split()[-1]))
    return shares


@pytest.mark.req("S5")
def test_all_exports_that_a_tenant_may_have_open_leave_the_converter_places_for_others() -> None:
    assert converter.load_settings().slots > orchestrator.load_settings().max_open_exports
