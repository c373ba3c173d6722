"""Replicas of generation-graph that are stopped past ``ack_wait`` and wake up: nothing tells that they were.

It would find: an old answer given to a later question, a dead letter or a failure of a late worker, a text or a call
that is not those of an undisturbed run.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import nats
import psutil
import pytest
from faults_replicas import GENERATION, replica
from nats.js import JetStreamContext
from stemma_client import Client
from stemma_contracts import subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.values import DocumentStatus, ReviewMode
from stemma_local.supervisor import LocalStemma, service_names
from stemma_provisioning import PROVISIONER, inbox_prefix
from stemma_testkit.driving import ENDS, request_sample
from stemma_testkit.postgres import postgres_server

ACK_WAIT_S = 1
STEP_S = 60
LASTS_S = 3.0 * ACK_WAIT_S
"""How long a stop lasts. A process that is stopped in a transaction holds the file of SQLite that long as well."""
BEATS_S = 0.2
"""Within what time after an answer a replica is stopped, so that it is in the middle of something."""


@dataclass
class Stops:
    """Stops the replicas by turns, never all."""

    replicas: list[psutil.Process]
    random: Random
    most: int
    done: int = 0

    async def stop(self) -> None:
        """One more is stopped in the middle of something, and wakes up, unless there were enough."""
        if self.done == self.most:
            return
        self.done += 1
        replica = self.replicas[self.done % len(self.replicas)]
        await asyncio.sleep(self.random.uniform(0, BEATS_S))
        replica.suspend()
        try:
            await asyncio.sleep(LASTS_S)
        finally:
            replica.resume()


@asynccontextmanager
async def installation(folder: Path, dsn: str) -> AsyncIterator[tuple[Client, JetStreamContext, list[psutil.Process]]]:
    others = [name for name in service_names() if name != GENERATION]
    env = {"STEMMA_CHECKPOINT_DSN": dsn} if dsn else {}
    async with AsyncExitStack() as stack:
        stemma = await stack.enter_async_context(LocalStemma(folder, services=others, ack_wait_s=ACK_WAIT_S))
        client = await stack.enter_async_context(stemma.client())
        replicas = [await stack.enter_async_context(replica(stemma, name, env)) for name in ("one", "two")]
        connection = await nats.connect(
            stemma.url,
            user=PROVISIONER,
            password=stemma.password(PROVISIONER),
            inbox_prefix=inbox_prefix(PROVISIONER),
        )
        stack.push_async_callback(connection.close)
        yield client, connection.jetstream(timeout=10), replicas


@dataclass
class Seen:
    """What the documents had, all together."""

    documents: int = 0
    answered: Counter[str] = field(default_factory=Counter)
    superseded: int = 0


async def told(client: Client, stops: Stops, seen: Seen) -> tuple[str, Counter[str]]:
    """The text of the sample and its events by kind; each need, of a person or a service, has a stop."""
    document_id = await request_sample(client, ReviewMode.NONE, "agentic")
    kinds: Counter[str] = Counter()
    stopping: asyncio.Task[None] | None = None
    async with asyncio.timeout(STEP_S * 20), aclosing(client.follow(document_id)) as events:
        async for event in events:
            kinds[type(event.contract).__name__] += 1
            match event.contract:
                case e.SectionNeedRaised(need=need) if need.kind in ("question", "upload"):
                    await client.answer_need(document_id, "document", need.need_id, "skip")
                case e.SectionNeedAnswered(answered_by=who):
                    seen.answered[who] += 1
                    if stopping is None or stopping.done():
                        stopping = asyncio.create_task(stops.stop())
                case contract if isinstance(contract, ENDS):
                    break
    if stopping is not None:
        await stopping
    view = await client.document(document_id)
    assert view.status is DocumentStatus.COMPLETED
    draft = view.sections["document"].draft
    assert draft is not None
    seen.documents += 1
    seen.superseded += kinds.pop(e.OutcomeSuperseded.__name__, 0)
    return (await client.artifact(document_id, draft)).decode(), kinds


async def stopped_at_needs(folder: Path, dsn: str, number: int) -> Seen:
    """What all documents had while replicas were stopped so often; none differs from one without a stop."""
    seen = Seen()
    async with installation(folder, dsn) as (client, js, replicas):
        undisturbed = await told(client, Stops(replicas, Random(0), 0), Seen())
        stops = Stops(replicas, Random(1), number)
        while stops.done < number:
            assert await told(client, stops, seen) == undisturbed
        assert (await js.stream_info(subjects.DEAD)).state.messages == 0
        assert all(process.is_running() for process in replicas)
    return seen


@pytest.mark.req("F2", "F5")
async def test_workers_that_are_stopped_past_their_lease_change_nothing(tmp_path: Path) -> None:
    await stopped_at_needs(tmp_path, "", 3)


@pytest.mark.full
@pytest.mark.timeout(7200)
@pytest.mark.req("F2", "F5")
@pytest.mark.parametrize("store", ["sqlite", "postgresql"])
async def test_two_hundred_stops_past_the_lease_change_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], store: str
) -> None:
    with postgres_server() if store == "postgresql" else nullcontext() as server:
        seen = await stopped_at_needs(tmp_path, server.dsn() if server else "", 200)
    with capsys.disabled():
        print(f"\n{store}: 200 stops, {seen.documents} documents, none different, no dead letter;", end=" ")
        print(f"answered by {dict(seen.answered)}, outcomes that came too late: {seen.superseded}")
