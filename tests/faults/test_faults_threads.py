"""A paused graph is lost with its database: a retry begins anew, with what people answered and what was paid for.

It would find: a resumption that is repeated although its thread is gone, a question that comes once more, a call that
is made again.
"""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from faults_here import here, need
from stemma_cli.local.supervisor import LocalStemma
from stemma_client import Client
from stemma_contracts import Contract, subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.requests import RetrySection
from stemma_contracts.v1.review import ReviewMode
from stemma_testkit.driving import request_sample, wait_for
from stemma_testkit.model_server import model_server

WITHOUT_CHECKS = (subjects.ORCHESTRATOR, subjects.GENERATION)


def lose_threads(place: Path) -> None:
    """What a database is that was lost, and made again."""
    with closing(sqlite3.connect(place)) as connection, connection:
        connection.executescript("DELETE FROM checkpoints; DELETE FROM writes;")


def is_lost(event: Contract) -> bool:
    return isinstance(event, e.SectionThreadLost)


async def lost_and_retried(client: Client, stemma: LocalStemma, threads: Path) -> list[Contract | None]:
    """The events of a document whose thread is lost while it waits for a check, and which is retried."""
    document_id = await request_sample(client, ReviewMode.NONE, "agentic")
    question = await need(client, document_id, "question")
    await client.answer_need(document_id, "document", question.need.need_id, "skip")
    checked = await need(client, document_id, "validation")
    lose_threads(threads)
    async with here(stemma, (subjects.VALIDATOR,), stemma.url):
        await wait_for(client, document_id, is_lost)
        await client.request(RetrySection(document_id=document_id, section_id="document"))
        await need(client, document_id, "validation", but_of=checked.thread_id)
    return [event.contract for event in await client.history(document_id)]


@pytest.mark.req("F6", "F5")
@pytest.mark.failure("thread-lost")
async def test_a_retry_of_a_lost_thread_asks_nobody_again_and_pays_nothing_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    threads = tmp_path / "threads.sqlite"
    with model_server() as model:
        generation = {"model": "openai/offline", "api_base": model.base, "checkpoint_path": threads}
        async with (
            LocalStemma(tmp_path / "data", services=[]) as stemma,
            here(stemma, WITHOUT_CHECKS, stemma.url, generation),
            stemma.client() as client,
        ):
            events = await lost_and_retried(client, stemma, threads)
    asked = [event for event in events if isinstance(event, e.SectionNeedRaised) and event.need.kind == "question"]
    assert (len(asked), sum(map(is_lost, filter(None, events)))) == (1, 1)
    assert model.total > 1
    assert model.repeated == 0
