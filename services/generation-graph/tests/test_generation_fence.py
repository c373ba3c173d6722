"""A worker that was stopped and wakes up: whatever it had in mind, another one has gone on, and it changes nothing."""

import asyncio
import hashlib
import sqlite3
from pathlib import Path
from typing import Any

import psycopg
import pytest
from generation_asking import resumption, run_on
from generation_late import QUESTIONS, Durability, asking_twice, late_replica
from generation_workshop import Workshop
from stemma_artifacts.store import reference
from stemma_contracts.v1.jobs import GenerateSection
from stemma_contracts.v1.needs import GivenAnswer
from stemma_contracts.v1.outcomes import ThreadLost
from stemma_generation_graph.checkpoints import open_checkpointer
from stemma_generation_graph.handlers import Tools, on_resume_graph
from stemma_generation_graph.runner import PauseNotStored, Runner
from stemma_generation_graph.sources import Library
from stemma_messaging.errors import TakenOver
from stemma_messaging.running import JobCancelledError
from stemma_testkit.scripted import ScriptedModel
from stemma_testkit.working import ANY_KIND

SHORT = [("sqlite", "sync"), ("postgresql", "exit")]
LONG = [pytest.param(*pair, marks=pytest.mark.full) for pair in (("sqlite", "exit"), ("postgresql", "sync"))]
pytestmark = [
    pytest.mark.req("F2"),
    pytest.mark.parametrize(("empty_place", "durability"), [*SHORT, *LONG], indirect=["empty_place"]),
]
DONE = {"steps": ["prepared", "blue", "round", "closed"]}


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


async def test_a_late_answer_is_none_to_a_thread_that_came_to_its_end(
    place: Path | str, job: GenerateSection, durability: Durability
) -> None:
    async with late_replica(place, asking_twice(durability)) as (awake, sleepy, stop):
        blue = resumption(job, await run_on(awake, job, ""))
        late = asyncio.create_task(run_on(sleepy, blue, "blue"))
        await stop.stopped()
        round_ = resumption(job, await run_on(awake, blue, "blue"), "doc.3.resume")
        assert await run_on(awake, round_, "round") == DONE
        stop.wake()
        with pytest.raises(TakenOver):
            await late
        assert await run_on(awake, round_, "again") == DONE


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


async def test_a_late_start_is_cancelled_once_its_question_was_answered(
    place: Path | str, job: GenerateSection, durability: Durability
) -> None:
    async with late_replica(place, asking_twice(durability)) as (awake, _, stop):
        asked = await run_on(awake, resumption(job, await run_on(awake, job, "")), "blue")
        with pytest.raises(JobCancelledError):
            await run_on(awake, job, "")
        stop.wake()
        assert await run_on(awake, resumption(job, asked, "doc.3.resume"), "round") == DONE


async def test_an_answer_to_a_thread_that_is_gone_is_an_outcome_and_no_dead_letter(
    place: Path | str, job: GenerateSection, workshop: Workshop, durability: Durability
) -> None:
    tools = workshop.tools(ScriptedModel(script=[]))
    async with open_checkpointer(place) as checkpointer:
        runner = Runner({"asking": asking_twice(durability)}, tools.deps, checkpointer)
        resume = resumption(job, await run_on(runner, job, ""))
        await checkpointer.adelete_thread(job.thread_id)
        outcome = await on_resume_graph(
            resume, tools=Tools(runner, tools.deps, Library(workshop.artifacts), workshop.publish, ANY_KIND)
        )
    assert isinstance(outcome, ThreadLost)
    assert (outcome.job_id, outcome.detail) == (resume.job_id, "the thread is unknown")


@pytest.mark.req("F4")
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


@pytest.mark.req("F4")
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


@pytest.mark.req("F6")
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


@pytest.mark.req("F6")
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
