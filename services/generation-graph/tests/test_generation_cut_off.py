"""A database of checkpoints that is cut off, at whatever message to it, or gone: the run goes on where it was."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from itertools import count, repeat
from typing import Any
from uuid import uuid4

import pytest
from generation_asking import resumption, run_on
from generation_late import QUESTIONS, asking_twice
from psycopg.conninfo import make_conninfo
from stemma_contracts.v1.jobs import GenerateSection
from stemma_generation_graph.checkpoints import open_checkpointer, set_up
from stemma_generation_graph.runner import Runner
from stemma_messaging.cancellation import end
from stemma_testkit.cutting import Cuttable, cuttable
from stemma_testkit.postgres import PostgresServer
from stemma_testkit.servers import eventually

pytestmark = [pytest.mark.req("F5", "P2"), pytest.mark.failure("no-room")]
DONE = {"steps": ["prepared", "blue", "round", "closed"]}
EVERY = 13
"""Messages between two cuts; few would never let a run get anywhere."""


@asynccontextmanager
async def behind_a_proxy(postgres: PostgresServer) -> AsyncIterator[tuple[Runner, Cuttable]]:
    """A runner whose database can be cut off."""
    dsn = postgres.create_database(f"test_{uuid4().hex}")
    await set_up(dsn)
    async with (
        cuttable(postgres.host, postgres.port) as database,
        open_checkpointer(make_conninfo(dsn, port=database.port)) as saver,
    ):
        yield Runner({"asking": asking_twice("sync")}, None, saver), database  # type: ignore[arg-type]


class Deliveries:
    """Does what a job asks for again and again, as its message is handled, while there is an outage."""

    def __init__(self) -> None:
        self.outages = 0

    async def of(self, run: Callable[[], Awaitable[dict[str, Any]]]) -> dict[str, Any]:
        while True:
            try:
                return await run()
            except Exception as error:
                if not getattr(error, "is_outage", False):
                    raise
                self.outages += 1


async def written(runner: Runner, job: GenerateSection, deliveries: Deliveries) -> None:
    """The thread of a job, with both of its answers, comes to what it comes to anyway."""
    asked = await deliveries.of(lambda: run_on(runner, job, ""))
    blue = resumption(job, asked, f"{job.job_id}.blue")
    asked = await deliveries.of(lambda: run_on(runner, blue, "blue"))
    round_ = resumption(job, asked, f"{job.job_id}.round")
    assert await deliveries.of(lambda: run_on(runner, round_, "round")) == DONE


async def test_a_run_goes_on_where_it_was_while_its_database_is_cut_off_again_and_again(
    postgres: PostgresServer, job: GenerateSection
) -> None:
    deliveries = Deliveries()
    async with behind_a_proxy(postgres) as (runner, database):
        cutting = asyncio.create_task(database.cut_again_and_again(repeat(EVERY)))
        await written(runner, job, deliveries)
        await end([cutting])
    assert deliveries.outages


async def test_a_run_waits_for_a_database_that_is_gone(postgres: PostgresServer, job: GenerateSection) -> None:
    async with behind_a_proxy(postgres) as (runner, database):
        asked = await run_on(runner, job, "")
        with database.gone():
            before = database.broken
            answered = asyncio.create_task(Deliveries().of(lambda: run_on(runner, resumption(job, asked), "blue")))
            await eventually(lambda: _refuses(database, before))
            assert not answered.done()
        assert (await answered)["question"] == QUESTIONS[1]


async def _refuses(database: Cuttable, before: int) -> bool:
    return database.broken > before


@pytest.mark.full
@pytest.mark.parametrize("acts", [False, True], ids=["before-it-acts", "after-it-acts"])
async def test_a_run_goes_on_at_whatever_message_its_database_is_cut_off(
    postgres: PostgresServer, job: GenerateSection, acts: bool
) -> None:
    deliveries = Deliveries()
    async with behind_a_proxy(postgres) as (runner, database):
        for message in count(1):
            database.cut_at(message, acts=acts)
            about = {"job_id": f"doc.{message}.generate", "thread_id": f"doc.{message}.generate.a"}
            await written(runner, job.model_copy(update=about), deliveries)
            if not await database.has_come():
                break
    assert deliveries.outages
