import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from generation_asking import ASKING, resumption, run
from generation_workshop import Workshop
from langgraph.types import Command
from stemma_contracts.v1.jobs import GenerateSection, ResumeGraph
from stemma_generation_graph.checkpoints import open_checkpointer
from stemma_generation_graph.runner import ThreadLostError
from stemma_messaging import InvalidMessage
from stemma_testkit.clocks import clock_ahead

pytestmark = pytest.mark.req("P2")


async def in_new_process(job: ResumeGraph, place: Path | str) -> Any:
    script = str(Path(__file__).with_name("generation_asking.py"))
    arguments = (script, job.model_dump_json(), "blue", str(place))
    process = await asyncio.create_subprocess_exec(sys.executable, *arguments, stdout=asyncio.subprocess.PIPE)
    out, _ = await process.communicate()
    return json.loads(out)


@pytest.mark.full
async def test_a_paused_graph_goes_on_in_another_process_and_only_once(place: Path | str, job: GenerateSection) -> None:
    paused = await run(job, "", place)
    assert paused["question"] == "Which colour?"
    resume = resumption(job, paused)
    finished = await in_new_process(resume, place)
    assert finished == {"steps": ["prepared", "blue", "closed"]}
    assert await run(resume, "red", place) == finished


@pytest.mark.req("F3")
async def test_a_thread_goes_on_in_a_process_whose_clock_is_an_hour_behind(
    place: Path | str, job: GenerateSection
) -> None:
    resume = resumption(job, await run(job, "", place))
    with clock_ahead(-3600):
        finished = await run(resume, "blue", place)
    assert finished == {"steps": ["prepared", "blue", "closed"]}
    assert await run(resume, "blue", place) == finished


async def test_a_redelivered_job_pauses_again_at_the_same_checkpoint(place: Path | str, job: GenerateSection) -> None:
    assert await run(job, "", place) == await run(job, "", place)


async def test_an_answer_for_another_checkpoint_is_refused(place: Path | str, job: GenerateSection) -> None:
    other = {**await run(job, "", place), "checkpoint_id": "other"}
    with pytest.raises(ThreadLostError, match="the thread is at another checkpoint"):
        await run(resumption(job, other), "blue", place)


async def test_a_job_that_was_killed_between_two_nodes_goes_on_there(place: Path | str, job: GenerateSection) -> None:
    async with open_checkpointer(place) as checkpointer:
        graph = ASKING.build(None).compile(checkpointer=checkpointer, interrupt_after=["prepare"])  # type: ignore[arg-type]
        await graph.ainvoke({"steps": []}, {"configurable": {"thread_id": job.thread_id}})
    paused = await run(job, "", place)
    assert (await run(resumption(job, paused), "blue", place))["steps"] == ["prepared", "blue", "closed"]


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


async def test_a_refused_job_is_put_aside_at_once(workshop: Workshop, job: GenerateSection) -> None:
    with pytest.raises(InvalidMessage, match="the graph is unknown"):
        await workshop.run(job, [])


async def test_refuses_to_start_with_the_permissive_decoder() -> None:
    code = (
        "import os; os.environ['LANGGRAPH_STRICT_MSGPACK'] = 'false'\n"
        "from stemma_generation_graph.checkpoints import require_strict_decoder as check\n"
        "check()"
    )
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, stderr=asyncio.subprocess.PIPE)
    _, err = await process.communicate()
    assert b"CheckpointsUnusable: LANGGRAPH_STRICT_MSGPACK must be true" in err
