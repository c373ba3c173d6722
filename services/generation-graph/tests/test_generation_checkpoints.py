"""One suite for both checkpointers: races, outages, a server that is cut off, old or keeps a secret."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, closing
from itertools import count, repeat
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

import aiosqlite
import psycopg
import pytest
from generation_asking import ASKING, AskingState, close, resumption, run_on
from generation_late import Durability, asking_twice
from generation_workshop import Workshop
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt
from psycopg.conninfo import make_conninfo
from pydantic import ValidationError
from stemma_contracts.v1.jobs import GenerateSection
from stemma_generation_graph.app import main, open_runner
from stemma_generation_graph.checkpoints import CheckpointsUnusable, open_checkpointer, set_up
from stemma_generation_graph.deps import GraphDeps, RunContext
from stemma_generation_graph.graphs.registry import Graph
from stemma_generation_graph.runner import Runner, ThreadLostError
from stemma_generation_graph.settings import GenerationSettings
from stemma_messaging import BadSettings
from stemma_messaging.cancellation import end
from stemma_messaging.errors import Outage, TakenOver
from stemma_testkit.cutting import Cuttable, cuttable
from stemma_testkit.postgres import PostgresServer
from stemma_testkit.scripted import ScriptedModel
from stemma_testkit.serving import free_port

pytestmark = pytest.mark.req("P2")


def meeting(barrier: asyncio.Barrier, durability: Literal["exit", "sync"]) -> Graph:
    """A graph that asks, and whose runs wait for each other before they go on with their answers."""

    async def ask(state: AskingState) -> dict[str, Any]:
        answer = interrupt({"kind": "question", "question": "Which colour?"})
        await barrier.wait()
        return {"steps": [answer]}

    def build(deps: GraphDeps) -> StateGraph[Any, Any, Any, Any]:
        graph = StateGraph(AskingState, context_schema=RunContext)
        graph.add_node("ask", ask)
        graph.add_node("close", close)
        graph.add_edge(START, "ask")
        graph.add_edge("ask", "close")
        graph.add_edge("close", END)
        return graph

    return Graph(build, lambda job: AskingState(steps=[]), pauses=True, durability=durability)


def settings_of(place: Path | str) -> GenerationSettings:
    return GenerationSettings(
        **{"checkpoint_path": place} if isinstance(place, Path) else {"STEMMA_CHECKPOINT_DSN": place}
    )


async def replicas(stack: AsyncExitStack, place: Path | str, graph: Graph) -> list[Runner]:
    savers = [await stack.enter_async_context(open_checkpointer(place)) for _ in range(2)]
    return [Runner({"asking": graph}, None, saver) for saver in savers]  # type: ignore[arg-type]


@pytest.mark.parametrize("durability", ["exit", "sync"])
async def test_of_two_replicas_that_resume_a_thread_at_once_one_wins(
    place: Path | str, job: GenerateSection, durability: Literal["exit", "sync"]
) -> None:
    async with AsyncExitStack() as stack:
        here, there = await replicas(stack, place, meeting(asyncio.Barrier(2), durability))
        paused = await run_on(here, job, "")
        jobs = [resumption(job, paused, "doc.2.resume"), resumption(job, paused, "doc.3.resume")]

        results = await asyncio.gather(
            run_on(here, jobs[0], "blue"), run_on(there, jobs[1], "red"), return_exceptions=True
        )

        won = 0 if isinstance(results[0], dict) else 1
        assert isinstance(results[1 - won], TakenOver)
        assert results[won] == {"steps": [("blue", "red")[won], "closed"]}
        assert await run_on(there, jobs[won], "again") == results[won]
        with pytest.raises(ThreadLostError, match="the thread is at another checkpoint"):
            await run_on(here, jobs[1 - won], "again")


async def test_refuses_to_start_without_its_tables_and_names_them(empty_place: Path | str) -> None:
    if isinstance(empty_place, Path):
        with pytest.raises(CheckpointsUnusable, match="database is missing: run stemma-generation-graph --setup"):
            await open_checkpointer(empty_place).__aenter__()
        empty_place.parent.mkdir()
        empty_place.touch()
    with pytest.raises(CheckpointsUnusable, match=r"missing \(.*checkpoints, stemma_one_successor.*\): run stemma-"):
        await open_checkpointer(empty_place).__aenter__()


@pytest.mark.parametrize("empty_place", ["postgresql", pytest.param("sqlite", marks=pytest.mark.full)], indirect=True)
async def test_setup_makes_the_tables_any_number_of_times_and_then_the_service_starts(
    empty_place: Path | str, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_file = isinstance(empty_place, Path)
    monkeypatch.setenv(
        "STEMMA_GENERATION_GRAPH_CHECKPOINT_PATH" if is_file else "STEMMA_CHECKPOINT_DSN", str(empty_place)
    )
    monkeypatch.setattr("sys.argv", ["stemma-generation-graph", "--setup"])
    graphs, deps = {"asking": ASKING}, Workshop().tools(ScriptedModel(script=[])).deps
    settings = settings_of(empty_place)
    with pytest.raises(BadSettings, match="run stemma-generation-graph --setup"):
        await open_runner(settings, graphs, deps).__aenter__()
    await asyncio.to_thread(main)
    await set_up(empty_place)
    async with open_runner(settings, graphs, deps) as runner:
        assert isinstance(runner, Runner)


async def test_a_named_postgresql_must_have_the_newest_tables_whether_or_not_a_graph_pauses(
    postgres: PostgresServer,
) -> None:
    deps, dsn = Workshop().tools(ScriptedModel(script=[])).deps, postgres.create_database("older")
    with pytest.raises(BadSettings, match="tables are missing"):
        await open_runner(settings_of(dsn), {}, deps).__aenter__()
    await set_up(dsn)
    execute(dsn, "DELETE FROM checkpoint_migrations WHERE v > 3")
    with pytest.raises(BadSettings, match="older version: run stemma-generation-graph --setup"):
        await open_runner(settings_of(dsn), {}, deps).__aenter__()


@pytest.mark.parametrize("wrong", ["password", "port"])
async def test_a_server_that_lets_nobody_in_refuses_start_without_its_secret(
    postgres: PostgresServer, wrong: str, capfd: pytest.CaptureFixture[str]
) -> None:
    port = free_port() if wrong == "port" else postgres.port
    dsn = f"postgresql://stemma:guessed@127.0.0.1:{port}/postgres"
    with pytest.raises(CheckpointsUnusable, match="does not answer, or lets nobody in") as refused:
        await open_checkpointer(dsn).__aenter__()
    with pytest.raises(CheckpointsUnusable, match=r"OperationalError.*STEMMA_CHECKPOINT_DSN, then") as not_set_up:
        await set_up(dsn)
    assert "guessed" not in f"{refused.value} {not_set_up.value}" + "".join(capfd.readouterr())


@pytest.mark.parametrize("dsn", ["", "postgresql://stemma:hidden@host:port/x?y=z", "hidden", "host=x hidden=hidden"])
def test_refuses_what_is_no_connection_string_without_quoting_it(dsn: str) -> None:
    with pytest.raises(ValidationError) as refused:
        settings_of(dsn)
    problem = refused.value.errors(include_input=False)[0]
    assert (problem["loc"], "hidden" in problem["msg"]) == (("STEMMA_CHECKPOINT_DSN",), False)


def test_the_secret_of_a_connection_string_is_not_shown(postgres: PostgresServer) -> None:
    assert postgres.password not in repr(settings_of(postgres.dsn()))


@pytest.mark.req("S7")
async def test_a_file_and_those_beside_it_are_for_their_owner_alone_whatever_the_folder_was(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    new, old = tmp_path / "new.sqlite", tmp_path / "old.sqlite"
    for place in (new, old):
        await set_up(place)
    old.chmod(0o644)
    async with open_checkpointer(new), open_checkpointer(old):
        rights = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    assert {"new.sqlite", "old.sqlite", "new.sqlite-wal"} <= set(rights)
    assert set(rights.values()) == {0o600}


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


@pytest.mark.req("F5")
@pytest.mark.failure("no-room")
async def test_a_run_goes_on_where_it_was_while_its_database_is_cut_off_again_and_again(
    postgres: PostgresServer, job: GenerateSection
) -> None:
    deliveries = Deliveries()
    async with behind_a_proxy(postgres) as (runner, database):
        cutting = asyncio.create_task(database.cut_again_and_again(repeat(EVERY)))
        await written(runner, job, deliveries)
        await end([cutting])
    assert deliveries.outages


@pytest.mark.full
@pytest.mark.req("F5")
@pytest.mark.failure("no-room")
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
