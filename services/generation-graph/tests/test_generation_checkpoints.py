"""One suite for both checkpointers, and what PostgreSQL alone can do: be away, be old, keep a secret."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Literal

import psycopg
import pytest
from generation_asking import ASKING, AskingState, close, resumption, run_on
from generation_workshop import Workshop
from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt
from pydantic import ValidationError
from stemma_contracts.v1.jobs import GenerateSection
from stemma_generation_graph.app import main, open_runner
from stemma_generation_graph.checkpoints import CheckpointsUnusable, open_checkpointer, set_up
from stemma_generation_graph.deps import GraphDeps, RunContext
from stemma_generation_graph.graphs.registry import Graph
from stemma_generation_graph.runner import Runner, ThreadLostError
from stemma_generation_graph.settings import GenerationSettings
from stemma_messaging import BadSettings
from stemma_messaging.errors import TakenOver
from stemma_testkit.ports import free_port
from stemma_testkit.postgres import PostgresServer
from stemma_testkit.scripted import ScriptedModel

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


async def test_a_job_that_two_replicas_got_ends_alike_on_both(place: Path | str, job: GenerateSection) -> None:
    async with AsyncExitStack() as stack:
        here, there = await replicas(stack, place, meeting(asyncio.Barrier(2), "sync"))
        resume = resumption(job, await run_on(here, job, ""))

        results = await asyncio.gather(
            run_on(here, resume, "blue"), run_on(there, resume, "blue"), return_exceptions=True
        )

        assert [isinstance(result, TakenOver) for result in results].count(True) == 1
        again = [await run_on(replica, resume, "blue") for replica in (here, there)]
        assert again == [{"steps": ["blue", "closed"]}] * 2


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


async def test_refuses_to_start_with_tables_of_an_older_version(postgres: PostgresServer) -> None:
    dsn = postgres.create_database("older")
    await set_up(dsn)
    with psycopg.connect(dsn) as connection:
        connection.execute("DELETE FROM checkpoint_migrations WHERE v > 3")
    with pytest.raises(CheckpointsUnusable, match="older version: run stemma-generation-graph --setup"):
        await open_checkpointer(dsn).__aenter__()


async def test_a_named_postgresql_must_have_its_tables_whether_or_not_a_graph_pauses(postgres: PostgresServer) -> None:
    deps = Workshop().tools(ScriptedModel(script=[])).deps
    with pytest.raises(BadSettings, match="tables are missing"):
        await open_runner(settings_of(postgres.create_database("nothing")), {}, deps).__aenter__()


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
