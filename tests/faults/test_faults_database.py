"""The database of checkpoints is cut off again and again in the middle of a run, and gone: the run goes on after it.

It would find: a run that fails or ends in a dead letter over it, a step that is not where it was, a call that is paid
again.
"""

import asyncio
from collections.abc import Mapping
from contextlib import aclosing
from itertools import chain, repeat
from pathlib import Path

import pytest
from faults_here import as_user, here
from psycopg.conninfo import make_conninfo
from stemma_cli.local.supervisor import LocalStemma
from stemma_client import Client
from stemma_contracts import subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.review import ReviewMode
from stemma_messaging.cancellation import end
from stemma_provisioning import PROVISIONER
from stemma_testkit.cutting import Cuttable, cuttable
from stemma_testkit.defects import takes_a_lost_database_for_a_failure
from stemma_testkit.driving import ENDS, request_sample
from stemma_testkit.model_server import model_server
from stemma_testkit.postgres import postgres_server

EVERY = 29
"""Messages between two cuts; few would never let a run get anywhere."""
FEW = 7
AT_FIRST = 20
"""So often the first run gets nowhere: more often than a job that fails is delivered."""
GONE_FOR_A_MOMENT_S = 1
GONE_S = 40
"""Longer than a run waits for a connection."""


async def written(client: Client, database: Cuttable, gone_s: float) -> None:
    """One document, and the database is gone for so long when its question is answered."""
    document_id = await request_sample(client, ReviewMode.NONE, "agentic")
    async with asyncio.timeout(gone_s + 400), aclosing(client.follow(document_id)) as events:
        async for event in events:
            match event.contract:
                case e.SectionNeedRaised(need=need) if need.kind in ("question", "upload"):
                    with database.gone():
                        await client.answer_need(document_id, "document", need.need_id, "skip")
                        await asyncio.sleep(gone_s)
                case contract if isinstance(contract, ENDS):
                    break
    assert (await client.document(document_id)).status is DocumentStatus.COMPLETED


async def written_without_its_database(
    folder: Path, gone_s: float, model: Mapping[str, str], at_first: int = AT_FIRST
) -> int:
    """How often a connection was broken while a document was written, of which nothing was lost or made again."""
    with postgres_server() as server:
        async with cuttable(server.host, server.port) as database, LocalStemma(folder, services=[]) as stemma:
            settings = {"checkpoint_dsn": make_conninfo(server.dsn(), port=database.port), **model}
            async with (
                here(stemma, subjects.SERVICES, stemma.url, settings),
                stemma.client() as client,
                as_user(stemma, PROVISIONER) as everything,
            ):
                cutting = asyncio.create_task(database.cut_again_and_again(chain(repeat(FEW, at_first), repeat(EVERY))))
                await written(client, database, gone_s)
                await end([cutting])
                js = everything.jetstream(timeout=10)
                assert (await js.stream_info(subjects.DEAD)).state.messages == 0
                records = (await js.stream_info(subjects.RECORDS)).state
                assert records.messages == records.last_seq, "a call is recorded once"
        return database.broken


@pytest.mark.full
@pytest.mark.req("F5")
async def test_the_proof_finds_a_lost_database_that_is_taken_for_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    takes_a_lost_database_for_a_failure(monkeypatch)
    with pytest.raises(AssertionError):
        await written_without_its_database(tmp_path, GONE_FOR_A_MOMENT_S, {}, at_first=5 * AT_FIRST)


@pytest.mark.full
@pytest.mark.timeout(900)
@pytest.mark.req("F5", "P2")
async def test_a_document_is_written_while_its_database_is_cut_off_and_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with model_server() as model:
        calling = {"model": "openai/offline", "api_base": model.base}
        assert await written_without_its_database(tmp_path, GONE_S, calling) > 20
        assert model.repeated == 0, "an answer that came is recorded before anything of it is stored"
