"""Clocks that are an hour wrong, each another way: no outcome, no order and no time in the log is another one.

It would find: a thread that a replica with an earlier clock does not go on with, a job that is given up or a call that
is not made because of a clock, events or documents in another order, a time of the log that is not the server's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from faults_documents import asked, completes
from faults_here import here
from faults_replicas import GENERATION, replica
from stemma_client import Client, RecordedEvent
from stemma_contracts import subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.values import ReviewMode
from stemma_local.supervisor import LocalStemma, service_names
from stemma_testkit.clocks import clock_ahead, clock_env
from stemma_testkit.driving import listed, request_sample, wait_for

HOUR_S = 3600
FEW = timedelta(minutes=20)
OTHERS = [name for name in service_names() if name != GENERATION]
WRITING = (subjects.ORCHESTRATOR, subjects.GENERATION, subjects.VALIDATOR)


async def needs(client: Client, document_id: str, kind: str) -> str:
    """The id of what its agent needs, once that is of this kind."""
    *_, raised = await wait_for(
        client, document_id, lambda event: isinstance(event, e.SectionNeedRaised) and event.need.kind == kind
    )
    assert isinstance(raised.contract, e.SectionNeedRaised)
    return raised.contract.need.need_id


@pytest.mark.req("F3", "F5")
async def test_a_thread_and_new_documents_go_on_after_the_clock_was_set_back(tmp_path: Path) -> None:
    inputs = tmp_path / "inputs"
    inputs.mkdir()
    (inputs / "plan.md").write_text("# Plan\n\nThe library has 12 bicycles.\n\n![The site](site.png)\n")
    began = datetime.now(UTC)
    async with LocalStemma(tmp_path / "data", services=[]) as stemma, stemma.client() as client:
        with clock_ahead(HOUR_S):
            async with here(stemma, WRITING, stemma.url):
                accepted = await client.create_document("agentic", brief="Write it down.", inputs=[inputs])
                earlier = accepted.document_id
                question = await needs(client, earlier, "question")
        with clock_ahead(-HOUR_S):
            async with here(stemma, WRITING, stemma.url):
                await client.answer_need(earlier, "document", question, "skip")
                await needs(client, earlier, "conversion")
                later = await asked(client, ReviewMode.NONE, "later")
                await completes(client, later)
                await listed(client, earlier)
                assert [summary.document_id for summary in await client.documents()] == [later, earlier]
        assert_times(await client.history(earlier), began)


@pytest.mark.full
@pytest.mark.timeout(900)
@pytest.mark.req("F3", "F5")
async def test_every_clock_may_be_wrong_either_way_and_nothing_differs(tmp_path: Path) -> None:
    undisturbed = await told(tmp_path / "right", 0, 0, 0)
    ways = ((HOUR_S, 0, 0), (-HOUR_S, 0, 0), (0, HOUR_S, 0), (0, 0, -HOUR_S), (-HOUR_S, HOUR_S, -HOUR_S))
    for number, wrong in enumerate(ways):
        assert await told(tmp_path / str(number), *wrong) == undisturbed, wrong


async def told(folder: Path, others_s: int, first_s: int, second_s: int) -> tuple[bytes, Counter[str]]:
    """The text of the sample and its events by kind; its thread is begun by one replica and ended by another."""
    clocks = {name: clock_env(folder / name, s) for name, s in (("o", others_s), ("1", first_s), ("2", second_s))}
    env = dict.fromkeys(OTHERS, clocks["o"])
    began = datetime.now(UTC)
    async with LocalStemma(folder / "data", services=OTHERS, env=env) as stemma, stemma.client() as client:
        async with replica(stemma, "one", clocks["1"]):
            document_id = await request_sample(client, ReviewMode.NONE, "agentic")
            question = await needs(client, document_id, "question")
        async with replica(stemma, "two", clocks["2"]):
            await client.answer_need(document_id, "document", question, "skip")
            await completes(client, document_id)
            history = await client.history(document_id)
            assert_times(history, began)
            draft = (await client.document(document_id)).sections["document"].draft
            assert draft is not None
            text = await client.artifact(document_id, draft)
    return text, Counter(type(event.contract).__name__ for event in history)


def assert_times(history: Sequence[RecordedEvent], began: datetime) -> None:
    """The events have the time of the server, whose clock is right."""
    times = [event.envelope.time for event in history]
    assert times == sorted(times)
    assert began - FEW < times[0] <= times[-1] < datetime.now(UTC) + FEW
