"""Clocks that are an hour wrong, each another way: no outcome, no order and no time in the log is another one.

It would find: a thread that a replica with an earlier clock does not go on with, a job that is given up or a call that
is not made because of a clock, events or documents in another order, a time of the log that is not the server's.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from faults_here import GENERATION, asked, completes, here, need, replica
from stemma_cli.local.supervisor import LocalStemma, service_names
from stemma_client import RecordedEvent
from stemma_contracts import subjects
from stemma_contracts.v1.review import ReviewMode
from stemma_testkit.clocks import clock_ahead, clock_env
from stemma_testkit.defects import takes_the_latest_for_the_last
from stemma_testkit.driving import DEADLINE_S, listed, request_sample

HOUR_S = 3600
FEW = timedelta(minutes=20)
OTHERS = [name for name in service_names() if name != GENERATION]
WRITING = (subjects.ORCHESTRATOR, subjects.GENERATION, subjects.VALIDATOR)


async def gone_on_with_after_the_clock_was_set_back(folder: Path, within_s: float) -> None:
    """A thread that was begun before it, and a document of its own."""
    inputs = folder / "inputs"
    inputs.mkdir()
    (inputs / "plan.md").write_text("# Plan\n\nThe library has 12 bicycles.\n\n![The site](site.png)\n")
    began = datetime.now(UTC)
    async with LocalStemma(folder / "data", services=[]) as stemma, stemma.client() as client:
        with clock_ahead(HOUR_S):
            async with here(stemma, WRITING, stemma.url):
                accepted = await client.create_document("agentic", brief="Write it down.", inputs=[inputs])
                earlier = accepted.document_id
                question = await need(client, earlier, "question")
        with clock_ahead(-HOUR_S):
            async with here(stemma, WRITING, stemma.url):
                await client.answer_need(earlier, "document", question.need.need_id, "skip")
                await need(client, earlier, "conversion", within_s=within_s)
                later = await asked(client, ReviewMode.NONE, "later")
                await completes(client, later)
                await listed(client, earlier)
                assert [summary.document_id for summary in await client.documents()] == [later, earlier]
        assert_times(await client.history(earlier), began)


@pytest.mark.full
@pytest.mark.req("F3", "F5")
async def test_a_thread_and_new_documents_go_on_after_the_clock_was_set_back(tmp_path: Path) -> None:
    await gone_on_with_after_the_clock_was_set_back(tmp_path, DEADLINE_S)


@pytest.mark.full
@pytest.mark.req("F5")
async def test_the_proof_finds_a_thread_that_is_read_by_the_time_of_day(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    takes_the_latest_for_the_last(monkeypatch)
    with pytest.raises(TimeoutError):
        await gone_on_with_after_the_clock_was_set_back(tmp_path, within_s=5)


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
    async with (
        LocalStemma(folder / "data", processes=True, services=OTHERS, env=env) as stemma,
        stemma.client() as client,
    ):
        async with replica(stemma, "one", clocks["1"]):
            document_id = await request_sample(client, ReviewMode.NONE, "agentic")
            question = await need(client, document_id, "question")
        async with replica(stemma, "two", clocks["2"]):
            await client.answer_need(document_id, "document", question.need.need_id, "skip")
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
