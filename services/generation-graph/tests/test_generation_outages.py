"""A database of checkpoints that takes no more: the run waits for it, and goes on where it was."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import aiosqlite
import psycopg
import pytest
from generation_asking import run_on
from generation_late import Durability, asking_twice
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from stemma_contracts.v1.jobs import GenerateSection
from stemma_generation_graph.checkpoints import open_checkpointer
from stemma_generation_graph.runner import Runner
from stemma_messaging.errors import Outage

LONG = "Which colour? " * 5000
"""More than what is left of the pages that a new database has."""
REFUSE = (
    "CREATE FUNCTION refuse() RETURNS trigger AS "
    "$$BEGIN RAISE EXCEPTION USING ERRCODE = '53100', MESSAGE = 'no space left on device'; END$$ LANGUAGE plpgsql"
)
BEFORE_EACH = "CREATE TRIGGER refuse BEFORE {} ON {} FOR EACH ROW EXECUTE FUNCTION refuse()"


@pytest.mark.req("F1")
@pytest.mark.failure("no-room")
@pytest.mark.parametrize("durability", ["exit", "sync"])
async def test_a_database_that_takes_no_more_is_an_outage_and_the_run_goes_on_after_it(
    place: Path | str, job: GenerateSection, durability: Durability
) -> None:
    async with open_checkpointer(place) as saver:
        runner = Runner({"asking": asking_twice(durability, [LONG])}, None, saver)  # type: ignore[arg-type]
        await fill(saver, place)
        with pytest.raises(Outage, match=r"database or disk is full|no space left on device"):
            await run_on(runner, job, "")
        await make_room(saver, place)
        assert (await run_on(runner, job, ""))["question"] == LONG


@pytest.mark.req("F1")
async def test_a_thread_waits_to_be_dropped_while_the_database_lets_nobody_write(
    place: Path | str, job: GenerateSection
) -> None:
    async with open_checkpointer(place) as saver:
        runner = Runner({"asking": asking_twice("sync", [LONG])}, None, saver)  # type: ignore[arg-type]
        await run_on(runner, job, "")
        async with nobody_writes(saver, place):
            with pytest.raises(Outage, match=r"database is locked|no space left on device"):
                await runner.drop([job.thread_id])
        await runner.drop([job.thread_id])
        assert (await run_on(runner, job, ""))["question"] == LONG


@pytest.mark.req("F1")
async def test_a_table_that_is_gone_is_a_bug_that_nobody_waits_out(place: Path | str, job: GenerateSection) -> None:
    async with open_checkpointer(place) as saver:
        await lose_a_table(saver, place)
        runner = Runner({"asking": asking_twice("sync", [LONG])}, None, saver)  # type: ignore[arg-type]
        with pytest.raises((sqlite3.OperationalError, psycopg.ProgrammingError), match=r"no such table|does not exist"):
            await run_on(runner, job, "")


async def lose_a_table(saver: Any, place: Path | str) -> None:
    if isinstance(place, Path):
        await saver.setup()  # LangGraph's saver makes missing tables before it is used for the first time
        await saver.conn.execute("DROP TABLE writes")
    else:
        execute(place, "DROP TABLE checkpoint_writes")


@asynccontextmanager
async def nobody_writes(saver: Any, place: Path | str) -> AsyncIterator[None]:
    """Somebody else holds the file, or the server takes nothing, in this block."""
    if isinstance(place, Path):
        await saver.conn.execute("PRAGMA busy_timeout = 0")
        with closing(sqlite3.connect(place)) as other:
            other.execute("CREATE TABLE others (id)")
            other.execute("INSERT INTO others VALUES (1)")
            yield
            other.commit()
    else:
        execute(place, REFUSE, BEFORE_EACH.format("DELETE", "checkpoints"))
        yield
        execute(place, "DROP TRIGGER refuse ON checkpoints")


async def fill(saver: Any, place: Path | str) -> None:
    if isinstance(place, Path):
        await pages(saver, 1)
    else:
        execute(place, REFUSE, BEFORE_EACH.format("INSERT", "checkpoint_writes"))


async def make_room(saver: Any, place: Path | str) -> None:
    if isinstance(place, Path):
        await pages(saver, 1_000_000)
    else:
        execute(place, "DROP TRIGGER refuse ON checkpoint_writes")


async def pages(saver: AsyncSqliteSaver, most: int) -> None:
    connection: aiosqlite.Connection = saver.conn
    await connection.execute(f"PRAGMA max_page_count = {most}")


def execute(place: str, *statements: str) -> None:
    with psycopg.connect(place) as connection:
        for statement in statements:
            connection.execute(statement.encode())
