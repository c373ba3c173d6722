"""Two replicas of generation-graph on one document: the one that works is killed, the other one goes on."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
from stemma_client import Client
from stemma_contracts import subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.values import DocumentStatus, ReviewMode
from stemma_local.supervisor import LocalStemma, service_names
from stemma_testkit.crashing import KILLED, Crashes, Point
from stemma_testkit.driving import ENDS, request_sample, wait_for
from stemma_testkit.servers import eventually

GENERATION = subjects.GENERATION


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "stemma_local.run", GENERATION, *arguments]


@asynccontextmanager
async def replica(stemma: LocalStemma, crashes: Crashes, name: str) -> AsyncIterator[Process]:
    """One more process of the service, ready, with a log of its own; nobody starts it again."""
    ready = stemma.folder.ready_file(name)
    env = {
        **os.environ,
        **crashes.env,
        "STEMMA_NATS_URL": stemma.url,
        "STEMMA_NATS_USER": GENERATION,
        "STEMMA_NATS_PASSWORD": stemma.password(GENERATION),
        "STEMMA_DATA_DIR": str(stemma.folder.root),
        "STEMMA_READY_FILE": str(ready),
    }
    setup = await asyncio.create_subprocess_exec(*command("--setup"), env=env, stdin=PIPE)
    assert await setup.wait() == 0
    with stemma.folder.log(name).open("ab") as log:
        process = await asyncio.create_subprocess_exec(*command(), env=env, stdin=PIPE, stdout=log, stderr=log)

    async def is_ready() -> bool:
        assert process.returncode is None
        return ready.exists()

    try:
        await eventually(is_ready, 60)
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


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
        stemma = await stack.enter_async_context(LocalStemma(tmp_path / "data", services=others, ack_wait_s=2))
        client = await stack.enter_async_context(stemma.client())
        replicas = [await stack.enter_async_context(replica(stemma, crashes, name)) for name in ("one", "two")]
        undisturbed = await finished(client)
        crashes.forget()
        crashes.arm(Point("write record", 8, "after"))
        assert await finished(client) == undisturbed
        assert [process.returncode for process in replicas].count(KILLED) == 1
        assert not crashes.armed
