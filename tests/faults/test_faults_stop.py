"""Replicas of generation-graph that are stopped past ``ack_wait`` and wake up: nothing tells that they were.

It would find: an old answer given to a later question, a dead letter or a failure of a late worker, a text or a call
that is not those of an undisturbed run.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import psutil
import pytest
from faults_here import GENERATION, as_user, completes, here, need, replica
from nats.js import JetStreamContext
from stemma_cli.local.supervisor import LocalStemma, service_names
from stemma_client import Client
from stemma_contracts import subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.review import ReviewMode
from stemma_provisioning import PROVISIONER
from stemma_testkit.customizing import env_of
from stemma_testkit.defects import code_of, resumes_at_the_newest
from stemma_testkit.driving import ENDS, request_sample
from stemma_testkit.postgres import postgres_server
from stemma_testkit.stopping import stopped_of, stops_after_its_look

ACK_WAIT_S = 1
WITHOUT_CHECKS = (subjects.ORCHESTRATOR, subjects.CONVERTER)
STEP_S = 60
LASTS_S = 3.0 * ACK_WAIT_S
"""How long a stop lasts. A process that is stopped in a transaction holds the file of SQLite that long as well."""
BEATS_S = 0.2
"""Within what time after an answer a replica is stopped, so that it is in the middle of something."""


Told = tuple[str, Counter[str]]
"""The text of a document, and its events by kind."""


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


@dataclass(frozen=True)
class Replicated:
    """An installation with two replicas of generation-graph."""

    stemma: LocalStemma
    client: Client
    jetstream: JetStreamContext
    replicas: list[psutil.Process]

    async def assert_nobody_tells(self) -> None:
        """No message was put aside, and no replica ended."""
        assert (await self.jetstream.stream_info(subjects.DEAD)).state.messages == 0
        assert all(process.is_running() for process in self.replicas)


@asynccontextmanager
async def installation(folder: Path, others: Sequence[str], env: Mapping[str, str]) -> AsyncIterator[Replicated]:
    """``env`` is that of the replicas, ``others`` run beside them."""
    async with AsyncExitStack() as stack:
        stemma = await stack.enter_async_context(
            LocalStemma(folder, processes=True, services=others, ack_wait_s=ACK_WAIT_S)
        )
        client = await stack.enter_async_context(stemma.client())
        replicas = [await stack.enter_async_context(replica(stemma, name, env)) for name in ("one", "two")]
        everything = await stack.enter_async_context(as_user(stemma, PROVISIONER))
        yield Replicated(stemma, client, everything.jetstream(timeout=10), replicas)


@dataclass
class Seen:
    """What the documents had, all together."""

    documents: int = 0
    answered: Counter[str] = field(default_factory=Counter)
    superseded: int = 0


async def told(client: Client, stops: Stops, seen: Seen) -> Told:
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
    seen.documents += 1
    seen.superseded += kinds.pop(e.OutcomeSuperseded.__name__, 0)
    return await text_of(client, document_id), kinds


async def text_of(client: Client, document_id: str) -> str:
    """That of the sample, which is completed."""
    view = await client.document(document_id)
    assert view.status is DocumentStatus.COMPLETED
    draft = view.sections["document"].draft
    assert draft is not None
    return (await client.artifact(document_id, draft)).decode()


async def stopped_at_needs(folder: Path, dsn: str, number: int) -> Seen:
    """What all documents had while replicas were stopped so often; none differs from one without a stop."""
    seen = Seen()
    others = [name for name in service_names() if name != GENERATION]
    async with installation(folder, others, {"STEMMA_CHECKPOINT_DSN": dsn} if dsn else {}) as installed:
        undisturbed = await told(installed.client, Stops(installed.replicas, Random(0), 0), Seen())
        stops = Stops(installed.replicas, Random(1), number)
        while stops.done < number:
            assert await told(installed.client, stops, seen) == undisturbed
        await installed.assert_nobody_tells()
    return seen


async def stopped_after_looks(folder: Path, looks: Sequence[int], defect: str = "") -> None:
    """Who takes an answer is stopped behind such a look at the thread, and wakes up at the question after that.

    ``defect`` is code that the replicas run. None of the documents differs from one without a stop.
    """
    armed = folder / "armed"
    first = env_of(folder / "first", stops_after_its_look(armed) + defect)
    async with installation(folder / "data", WITHOUT_CHECKS, first) as installed:
        undisturbed = await told_late(installed, armed, 0)
        for look in looks:
            assert await told_late(installed, armed, look) == undisturbed
        await installed.assert_nobody_tells()


async def told_late(installed: Replicated, armed: Path, look: int) -> Told:
    """The sample, whose first answer is late for the second question; ``look`` 0 stops nobody."""
    client = installed.client
    document_id = await request_sample(client, ReviewMode.NONE, "agentic")
    question = await need(client, document_id, "question")
    if look:
        armed.write_text(str(look))
    await client.answer_need(document_id, "document", question.need.need_id, "skip")
    late = await stopped_of(installed.replicas) if look else None
    await need(client, document_id, "validation")
    if late:
        late.resume()
    async with here(installed.stemma, (subjects.VALIDATOR,), installed.stemma.url):
        await completes(client, document_id)
    kinds = Counter(type(event.contract).__name__ for event in await client.history(document_id))
    return await text_of(client, document_id), kinds


@pytest.mark.full
@pytest.mark.req("F2", "F5")
@pytest.mark.parametrize("look", [1, 2])
async def test_a_worker_that_is_stopped_after_its_look_answers_no_later_question(tmp_path: Path, look: int) -> None:
    await stopped_after_looks(tmp_path, (look,))


@pytest.mark.full
@pytest.mark.req("F5")
async def test_the_proof_finds_a_run_that_goes_on_at_the_newest_checkpoint(tmp_path: Path) -> None:
    # Its document is another one, or never comes to its end.
    with pytest.raises((AssertionError, TimeoutError)):
        await stopped_after_looks(tmp_path, (1, 2), code_of(resumes_at_the_newest))


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
