"""Threads: paused, resumed once by whoever comes first, told with their tenants, dropped."""

import asyncio
import hashlib
import json
import sqlite3
import sys
from pathlib import Path
from typing import Any

import psycopg
import pytest
from generation_asking import ASKING, resumption, run, run_on
from generation_late import QUESTIONS, Durability, asking_twice, late_replica
from generation_workshop import HEAD, Workshop
from langgraph.types import Command
from stemma_artifacts.store import reference
from stemma_contracts.v1.jobs import DropThreads, EraseThreads, GenerateSection, ResumeGraph
from stemma_contracts.v1.needs import GivenAnswer
from stemma_contracts.v1.outcomes import ThreadsHeld
from stemma_generation_graph.checkpoints import CheckpointsUnusable, open_checkpointer
from stemma_generation_graph.checkpoints.saving import MOST, HoldsThreads, report_threads
from stemma_generation_graph.handlers import Tools, on_drop_threads, on_erase_threads
from stemma_generation_graph.runner import PauseNotStored, Runner, ThreadLostError
from stemma_generation_graph.sources import Library
from stemma_messaging import InvalidMessage
from stemma_messaging.errors import TakenOver
from stemma_messaging.running import JobCancelledError
from stemma_testkit.clocks import clock_ahead
from stemma_testkit.scripted import ScriptedModel
from stemma_testkit.working import ANY_KIND

SHORT = [("sqlite", "sync"), ("postgresql", "exit")]
LONG = [pytest.param(*pair, marks=pytest.mark.full) for pair in (("sqlite", "exit"), ("postgresql", "sync"))]
FENCED = pytest.mark.parametrize(("empty_place", "durability"), [*SHORT, *LONG], indirect=["empty_place"])
DONE = {"steps": ["prepared", "blue", "round", "closed"]}


@pytest.mark.req("F2")
@FENCED
async def test_a_late_answer_is_none_to_the_question_that_was_asked_meanwhile(
    place: Path | str, job: GenerateSection, durability: Durability
) -> None:
    async with late_replica(place, asking_twice(durability)) as (awake, sleepy, stop):
        blue = resumption(job, await run_on(awake, job, ""))
        late = asyncio.create_task(run_on(sleepy, blue, "blue"))
        await stop.stopped()
        asked = await run_on(awake, blue, "blue")
        assert asked["question"] == QUESTIONS[1]
        stop.wake()
        with pytest.raises(TakenOver):
            await late
        assert await run_on(awake, blue, "blue") == asked
        assert await run_on(awake, resumption(job, asked, "doc.3.resume"), "round") == DONE


@pytest.mark.req("F2")
@FENCED
async def test_a_late_beginning_leaves_the_thread_that_began_without_it(
    place: Path | str, job: GenerateSection, durability: Durability
) -> None:
    async with late_replica(place, asking_twice(durability)) as (awake, sleepy, stop):
        late = asyncio.create_task(run_on(sleepy, job, ""))
        await stop.stopped()
        blue = resumption(job, await run_on(awake, job, ""))
        stop.wake()
        with pytest.raises(TakenOver):
            await late
        round_ = resumption(job, await run_on(awake, blue, "blue"), "doc.3.resume")
        assert await run_on(awake, round_, "round") == DONE


@pytest.mark.req("F2")
@FENCED
async def test_a_late_start_is_cancelled_once_its_question_was_answered(
    place: Path | str, job: GenerateSection, durability: Durability
) -> None:
    async with late_replica(place, asking_twice(durability)) as (awake, _, stop):
        asked = await run_on(awake, resumption(job, await run_on(awake, job, "")), "blue")
        with pytest.raises(JobCancelledError):
            await run_on(awake, job, "")
        stop.wake()
        assert await run_on(awake, resumption(job, asked, "doc.3.resume"), "round") == DONE


@pytest.mark.req("F2", "F4")
@FENCED
async def test_a_graph_whose_question_was_not_stored_is_not_finished_and_asks_once_it_can(
    place: Path | str, job: GenerateSection, durability: Durability
) -> None:
    forget_questions(place)
    async with open_checkpointer(place) as checkpointer:
        runner = Runner({"asking": asking_twice(durability)}, None, checkpointer)  # type: ignore[arg-type]
        with pytest.raises(PauseNotStored):
            await run_on(runner, job, "")
        remember_questions(place)
        assert (await run_on(runner, job, ""))["question"] == QUESTIONS[0]


@pytest.mark.req("F2", "F4")
@FENCED
async def test_a_run_that_ended_between_what_a_node_gave_and_its_checkpoint_goes_on_there(
    place: Path | str, job: GenerateSection, durability: Durability
) -> None:
    async with open_checkpointer(place) as checkpointer:
        runner = Runner({"asking": asking_twice("sync")}, None, checkpointer)  # type: ignore[arg-type]
        blue = resumption(job, await run_on(runner, job, ""))
        asked = await run_on(runner, blue, "blue")
        execute(place, f"DELETE FROM checkpoints WHERE checkpoint_id = '{asked['checkpoint_id']}'")
        again = await run_on(runner, blue, "blue")
        assert again["question"] == QUESTIONS[1]
        assert await run_on(runner, resumption(job, again, "doc.3.resume"), "round") == DONE


@pytest.mark.req("F2", "F6")
@FENCED
async def test_a_lost_thread_that_is_begun_anew_asks_nobody_what_was_answered(
    place: Path | str, job: GenerateSection, durability: Durability
) -> None:
    given = (answered(QUESTIONS[0], "blue"), answered(QUESTIONS[1], "round"))
    async with open_checkpointer(place) as checkpointer:
        runner = Runner({"asking": asking_twice(durability)}, None, checkpointer)  # type: ignore[arg-type]
        both = job.model_copy(update={"answered_before": given})
        assert await run_on(runner, both, "") == {"steps": ["prepared", *map(resumed_with, given), "closed"]}
        one = job.model_copy(update={"answered_before": given[:1], "thread_id": "doc.7.generate.a"})
        assert (await run_on(runner, one, ""))["question"] == QUESTIONS[1]
        other = job.model_copy(update={"answered_before": given[1:], "thread_id": "doc.8.generate.a"})
        assert (await run_on(runner, other, ""))["question"] == QUESTIONS[0]


@pytest.mark.req("F2", "F6")
@FENCED
async def test_a_question_that_comes_more_often_than_it_was_answered_is_asked(
    place: Path | str, job: GenerateSection, durability: Durability
) -> None:
    given = (answered(QUESTIONS[0], "blue"), answered(QUESTIONS[0], "red"))
    async with open_checkpointer(place) as checkpointer:
        graph = asking_twice(durability, (QUESTIONS[0],) * 3)
        runner = Runner({"asking": graph}, None, checkpointer)  # type: ignore[arg-type]
        asked = await run_on(runner, job.model_copy(update={"answered_before": given}), "")
        done = await run_on(runner, resumption(job, asked), "green")
        assert done == {"steps": ["prepared", *map(resumed_with, given), "green", "closed"]}


def answered(question: str, words: str) -> GivenAnswer:
    return GivenAnswer(
        question=hashlib.sha256(question.encode()).hexdigest(),
        answer=reference(words.encode(), "text/plain", "answer.txt"),
    )


def resumed_with(given: GivenAnswer) -> dict[str, Any]:
    return {"artifact": given.answer.model_dump(mode="json"), "failed": False, "detail": ""}


def forget_questions(place: Path | str) -> None:
    """Let the store lose every interrupt that it is to keep."""
    if isinstance(place, Path):
        execute(
            place,
            "CREATE TRIGGER lost BEFORE INSERT ON writes WHEN NEW.channel = '__interrupt__' "
            "BEGIN SELECT RAISE(IGNORE); END",
        )
        return
    execute(
        place,
        "CREATE FUNCTION lost() RETURNS trigger AS 'BEGIN RETURN NULL; END' LANGUAGE plpgsql",
        "CREATE TRIGGER lost BEFORE INSERT ON checkpoint_writes FOR EACH ROW "
        "WHEN (NEW.channel = '__interrupt__') EXECUTE FUNCTION lost()",
    )


def remember_questions(place: Path | str) -> None:
    execute(place, "DROP TRIGGER lost" if isinstance(place, Path) else "DROP TRIGGER lost ON checkpoint_writes")


def execute(place: Path | str, *statements: str) -> None:
    connection: Any = sqlite3.connect(place) if isinstance(place, Path) else psycopg.connect(place)
    with connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()


async def in_new_process(job: ResumeGraph, place: Path | str) -> Any:
    script = str(Path(__file__).with_name("generation_asking.py"))
    arguments = (script, job.model_dump_json(), "blue", str(place))
    process = await asyncio.create_subprocess_exec(sys.executable, *arguments, stdout=asyncio.subprocess.PIPE)
    out, _ = await process.communicate()
    return json.loads(out)


@pytest.mark.full
@pytest.mark.req("P2")
async def test_a_paused_graph_goes_on_in_another_process_and_only_once(place: Path | str, job: GenerateSection) -> None:
    paused = await run(job, "", place)
    assert paused["question"] == "Which colour?"
    resume = resumption(job, paused)
    finished = await in_new_process(resume, place)
    assert finished == {"steps": ["prepared", "blue", "closed"]}
    assert await run(resume, "red", place) == finished


@pytest.mark.req("F3", "P2")
async def test_a_thread_goes_on_in_a_process_whose_clock_is_an_hour_behind(
    place: Path | str, job: GenerateSection
) -> None:
    resume = resumption(job, await run(job, "", place))
    with clock_ahead(-3600):
        finished = await run(resume, "blue", place)
    assert finished == {"steps": ["prepared", "blue", "closed"]}
    assert await run(resume, "blue", place) == finished


@pytest.mark.req("P2")
async def test_a_job_that_was_killed_between_two_nodes_goes_on_there(place: Path | str, job: GenerateSection) -> None:
    async with open_checkpointer(place) as checkpointer:
        graph = ASKING.build(None).compile(checkpointer=checkpointer, interrupt_after=["prepare"])  # type: ignore[arg-type]
        await graph.ainvoke({"steps": []}, {"configurable": {"thread_id": job.thread_id}})
    paused = await run(job, "", place)
    assert (await run(resumption(job, paused), "blue", place))["steps"] == ["prepared", "blue", "closed"]


@pytest.mark.req("P2")
async def test_a_repeated_answer_goes_on_where_the_lost_job_came_to(place: Path | str, job: GenerateSection) -> None:
    paused = await run(job, "", place)
    async with open_checkpointer(place) as checkpointer:
        graph = ASKING.build(None).compile(checkpointer=checkpointer, interrupt_after=["ask"])  # type: ignore[arg-type]
        lost: Any = {"configurable": {"thread_id": job.thread_id}, "metadata": {"job_id": "doc.2.resume"}}
        await graph.ainvoke(Command(resume="blue"), lost, durability="sync")
    with pytest.raises(ThreadLostError, match="the thread is at another checkpoint"):
        await run(resumption(job, paused, "doc.3.resume"), "red", place)
    finished = await run(resumption(job, paused, "doc.4.resume"), "blue", place)
    assert finished == {"steps": ["prepared", "blue", "closed"]}


@pytest.mark.req("P2")
async def test_a_redelivered_job_pauses_at_its_checkpoint_and_an_answer_for_another_is_refused(
    place: Path | str, job: GenerateSection
) -> None:
    paused = await run(job, "", place)
    assert await run(job, "", place) == paused
    with pytest.raises(ThreadLostError, match="the thread is at another checkpoint"):
        await run(resumption(job, {**paused, "checkpoint_id": "other"}), "blue", place)


async def test_an_unknown_graph_is_put_aside_and_the_permissive_decoder_refuses_to_start(
    workshop: Workshop, job: GenerateSection, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InvalidMessage, match="the graph is unknown"):
        await workshop.run(job, [])
    monkeypatch.setattr("langgraph.checkpoint.serde._msgpack.STRICT_MSGPACK_ENABLED", False)
    with pytest.raises(CheckpointsUnusable, match="LANGGRAPH_STRICT_MSGPACK must be true"):
        open_checkpointer(Path("nowhere"))


class Told:
    def __init__(self) -> None:
        self.messages: dict[str, ThreadsHeld] = {}

    async def publish(self, held: ThreadsHeld, message_id: str) -> None:
        self.messages[message_id] = held


class Many:
    """A checkpointer with very many threads."""

    async def held(self) -> list[tuple[str, str]]:
        return [(f"doc.{number}.generate.a", "default") for number in range(MOST + 1)] + [("doc.1.generate.a", "other")]


@pytest.mark.req("F4")
async def test_waiting_and_ended_threads_are_told_and_dropped_ones_are_gone(
    place: Path | str, job: GenerateSection, workshop: Workshop
) -> None:
    deps = workshop.tools(ScriptedModel(script=[])).deps
    async with open_checkpointer(place) as checkpointer:
        runner = Runner({"asking": asking_twice("sync")}, deps, checkpointer)
        assert isinstance(checkpointer, HoldsThreads)
        assert await checkpointer.held() == []
        ended = job.model_copy(update={"thread_id": "doc.9.generate.ended"})
        for one in (job, ended):
            asked = await run_on(runner, one, "")
        asked = await run_on(runner, resumption(ended, asked), "blue")
        await run_on(runner, resumption(ended, asked, "doc.3.resume"), "round")
        told = Told()
        await report_threads(checkpointer, told.publish)
        [held] = told.messages.values()
        assert (held.tenant, held.document_id) == (HEAD.tenant, HEAD.document_id)
        assert set(held.threads) == {job.thread_id, ended.thread_id}
        drop = DropThreads(job_id="doc.9.drop.threads", document=HEAD, threads=(ended.thread_id, "doc.1.unknown"))
        tools = Tools(runner, deps, Library(workshop.artifacts), workshop.publish, ANY_KIND)
        await on_drop_threads(drop, tools=tools)
        assert await checkpointer.held() == [(job.thread_id, HEAD.tenant)]


@pytest.mark.req("F4", "O7")
async def test_all_threads_of_an_erased_document_are_gone_and_those_of_others_stay(
    place: Path | str, job: GenerateSection, workshop: Workshop
) -> None:
    deps = workshop.tools(ScriptedModel(script=[])).deps
    async with open_checkpointer(place) as checkpointer:
        runner = Runner({"asking": asking_twice("sync")}, deps, checkpointer)
        other = f"{HEAD.document_id}2.1.generate.a"
        for thread_id in (job.thread_id, f"{HEAD.document_id}.9.generate.b", other):
            await run_on(runner, job.model_copy(update={"thread_id": thread_id}), "")
        tools = Tools(runner, deps, Library(workshop.artifacts), workshop.publish, ANY_KIND)
        erase = EraseThreads(job_id="doc.9.erase.document", document=HEAD)
        told = [(await on_erase_threads(erase, tools=tools)).threads for _ in range(2)]
        assert isinstance(checkpointer, HoldsThreads)
        assert (told, await checkpointer.held()) == ([2, 0], [(other, HEAD.tenant)])


@pytest.mark.req("F4")
async def test_very_many_threads_are_told_in_several_messages_and_by_tenant() -> None:
    told = Told()
    await report_threads(Many(), told.publish)
    assert [(held.tenant, len(held.threads)) for held in told.messages.values()] == [
        ("default", MOST),
        ("default", 1),
        ("other", 1),
    ]
    await report_threads(Many(), told.publish)
    assert len(told.messages) == 3
