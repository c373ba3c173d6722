"""Two replicas of generation-graph on one document: the one that works is killed, the other one goes on."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from faults_here import GENERATION, replica
from stemma_cli.local.supervisor import LocalStemma, service_names
from stemma_client import Client
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.review import ReviewMode
from stemma_testkit.crashing import Crashes, Point
from stemma_testkit.driving import ENDS, request_sample, wait_for


async def finished(client: Client) -> str:
    """The text of the sample's document, once it is done."""
    document_id = await request_sample(client, ReviewMode.NONE, "agentic")
    *_, asked = await wait_for(client, document_id, lambda event: isinstance(event, e.SectionNeedRaised))
    assert isinstance(asked.contract, e.SectionNeedRaised)
    await client.answer_need(document_id, "document", asked.contract.need.need_id, "skip")
    await wait_for(client, document_id, lambda event: isinstance(event, ENDS))
    view = await client.document(document_id)
    assert view.status is DocumentStatus.COMPLETED
    draft = view.sections["document"].draft
    assert draft is not None
    return (await client.artifact(document_id, draft)).decode()


@pytest.mark.full
@pytest.mark.req("P2", "G11")
async def test_a_document_moves_to_the_other_replica_in_the_middle_of_its_loop(tmp_path: Path) -> None:
    others = [name for name in service_names() if name != GENERATION]
    crashes = Crashes(tmp_path / "crashes")
    async with AsyncExitStack() as stack:
        stemma = await stack.enter_async_context(
            LocalStemma(tmp_path / "data", processes=True, services=others, ack_wait_s=2)
        )
        client = await stack.enter_async_context(stemma.client())
        replicas = [await stack.enter_async_context(replica(stemma, name, crashes.env)) for name in ("one", "two")]
        undisturbed = await finished(client)
        crashes.forget()
        crashes.arm(Point("write record", 8, "after"))
        assert await finished(client) == undisturbed
        assert [process.is_running() for process in replicas].count(True) == 1
        assert not crashes.armed
