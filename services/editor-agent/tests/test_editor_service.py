from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
from nats.js import JetStreamContext
from nats.js.errors import NotFoundError
from stemma_artifacts.store import JetStreamArtifactStore
from stemma_contracts import registry, subjects
from stemma_contracts.v1.document import DocumentHead
from stemma_contracts.v1.jobs import ReviseDraft
from stemma_contracts.v1.outcomes import DraftRevised
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.section import SectionPlan
from stemma_editor_agent.app import service
from stemma_messaging import Publisher
from stemma_provisioning import NatsServer
from stemma_testkit.servers import connected, eventually, provisioned_server
from stemma_testkit.working import access, at_work

DRAFT = "# Budget\n\nThe van costs 100 euros.\n\n*  odd list\n"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[NatsServer]:
    with provisioned_server(tmp_path) as started:
        yield started


@asynccontextmanager
async def running(server: NatsServer) -> AsyncIterator[None]:
    async with at_work(service.run(service.load_settings(**access(server, subjects.EDITOR)))):
        yield


async def order(js: JetStreamContext, instruction: str) -> None:
    async def put(text: str) -> ArtifactRef:
        store = JetStreamArtifactStore(js)
        return await store.put("default", "doc-1", text.encode(), media_type="text/markdown", name="budget.md")

    job = ReviseDraft(
        job_id="doc-1.7.revise.budget",
        document=DocumentHead(
            document_id="doc-1", tenant="default", kind="proposal", created_at=datetime(2025, 1, 1, tzinfo=UTC)
        ),
        section=SectionPlan(section_id="budget", title="Budget", kind="budget", graph="section"),
        version=1,
        draft=await put(DRAFT),
        instruction=await put(instruction),
        brief=await put("The brief."),
    )
    subject = subjects.job(subjects.EDITOR, registry.entry_of(job).token)
    await Publisher(js, "test").publish(subject, job, id=job.job_id, about="default/doc-1/budget")


@pytest.mark.req("P8")
async def test_a_job_on_the_bus_becomes_a_revised_draft(server: NatsServer) -> None:
    async with connected(server) as client, running(server):
        js = client.jetstream()
        await order(js, 'Replace "van" with "bicycle"')
        subject = subjects.outcome(subjects.EDITOR, "draft-revised")

        async def answered() -> bool:
            with suppress(NotFoundError):
                return bool(await js.get_last_msg(subjects.OUTCOMES, subject))
            return False

        await eventually(answered)
        outcome = DraftRevised.model_validate_json((await js.get_last_msg(subjects.OUTCOMES, subject)).data or b"")
        revised = await JetStreamArtifactStore(js).get("default", "doc-1", outcome.draft)
    assert revised.decode() == DRAFT.replace("van", "bicycle")
    assert outcome.provenance.model == "offline"
