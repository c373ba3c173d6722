import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from generation_asking import ASKING, run
from generation_workshop import HEAD, Workshop
from stemma_artifacts.store import MemoryArtifactStore
from stemma_contracts.v1.jobs import GenerateSection, ResumeGraph
from stemma_contracts.v1.outcomes import GraphPaused
from stemma_generation_graph.app import GenerationSettings, open_runner
from stemma_generation_graph.checkpoints import CheckpointsUnusable, open_checkpointer, set_up
from stemma_generation_graph.handlers import Desk, on_generate_section
from stemma_generation_graph.runner import JobRefused, Runner
from stemma_generation_graph.sources.library import Library
from stemma_messaging import BadSettings, InvalidMessage
from stemma_testkit.scripted import ScriptedModel

pytestmark = pytest.mark.req("P2")


@pytest.fixture
async def database(tmp_path: Path) -> Path:
    path = tmp_path / "new" / "checkpoints.sqlite"
    await set_up(path)
    return path


@pytest.fixture
async def job(workshop: Workshop) -> GenerateSection:
    job = await workshop.job("approach")
    return job.model_copy(update={"section": job.section.model_copy(update={"graph": "asking"})})


async def resumption(job: GenerateSection, paused: dict[str, Any], job_id: str = "doc.2.resume") -> ResumeGraph:
    return ResumeGraph(
        job_id=job_id,
        document=HEAD,
        section=job.section,
        thread_id=paused["thread_id"],
        checkpoint_id=paused["checkpoint_id"],
        answer=await MemoryArtifactStore().put("default", "doc", b"blue", media_type="text/plain", name="answer.txt"),
    )


async def in_new_process(job: ResumeGraph, database: Path) -> Any:
    script = str(Path(__file__).with_name("generation_asking.py"))
    process = await asyncio.create_subprocess_exec(
        sys.executable, script, job.model_dump_json(), "blue", str(database), stdout=asyncio.subprocess.PIPE
    )
    out, _ = await process.communicate()
    return json.loads(out)


async def test_a_paused_graph_goes_on_in_another_process_and_only_once(database: Path, job: GenerateSection) -> None:
    paused = await run(job, "", database)
    assert paused["question"] == "Which colour?"
    resume = await resumption(job, paused)
    finished = await in_new_process(resume, database)
    assert finished == {"steps": ["prepared", "blue", "closed"]}
    assert await run(resume, "red", database) == finished


async def test_a_redelivered_job_pauses_again_at_the_same_checkpoint(database: Path, job: GenerateSection) -> None:
    assert await run(job, "", database) == await run(job, "", database)


async def test_a_job_that_was_killed_between_two_nodes_goes_on_there(database: Path, job: GenerateSection) -> None:
    async with open_checkpointer(database) as checkpointer:
        graph = ASKING.build(None).compile(checkpointer=checkpointer, interrupt_after=["prepare"])  # type: ignore[arg-type]
        await graph.ainvoke({"steps": []}, {"configurable": {"thread_id": job.thread_id}})
    paused = await run(job, "", database)
    assert (await run(await resumption(job, paused), "blue", database))["steps"] == ["prepared", "blue", "closed"]


async def test_refuses_an_answer_for_a_thread_that_nobody_knows(database: Path, job: GenerateSection) -> None:
    resume = await resumption(job, {"thread_id": "unknown", "checkpoint_id": "1"})
    with pytest.raises(JobRefused, match="the thread is unknown"):
        await run(resume, "blue", database)


async def test_refuses_an_answer_for_another_checkpoint(database: Path, job: GenerateSection) -> None:
    paused = await run(job, "", database)
    with pytest.raises(JobRefused, match="the thread is at another checkpoint"):
        await run(await resumption(job, {**paused, "checkpoint_id": "other"}), "blue", database)


async def test_refuses_a_second_answer_by_another_job(database: Path, job: GenerateSection) -> None:
    paused = await run(job, "", database)
    await run(await resumption(job, paused), "blue", database)
    with pytest.raises(JobRefused, match="the thread is at another checkpoint"):
        await run(await resumption(job, paused, "doc.3.resume"), "red", database)


async def test_a_refused_job_is_put_aside_at_once(workshop: Workshop, job: GenerateSection) -> None:
    with pytest.raises(InvalidMessage, match="the graph is unknown"):
        await workshop.run(job, [])


async def test_a_pause_is_an_outcome_with_the_question(
    database: Path, job: GenerateSection, workshop: Workshop
) -> None:
    desk = workshop.desk(ScriptedModel(script=[]))
    async with open_checkpointer(database) as checkpointer:
        runner = Runner({"asking": ASKING}, desk.parts, checkpointer)
        pausing = Desk(runner, desk.parts, Library(workshop.artifacts), workshop.publish)
        outcome = await on_generate_section(job, desk=pausing)
    assert isinstance(outcome, GraphPaused)
    assert (outcome.thread_id, outcome.need.kind) == (job.thread_id, "question")
    assert outcome.need.question is not None
    assert await workshop.read(outcome.need.question) == "Which colour?"


async def test_refuses_to_start_without_the_checkpointers_tables(tmp_path: Path) -> None:
    path = tmp_path / "checkpoints.sqlite"
    with pytest.raises(CheckpointsUnusable, match="database is missing"):
        await open_checkpointer(path).__aenter__()
    path.write_bytes(b"")
    with pytest.raises(CheckpointsUnusable, match=r"tables are missing \(checkpoints, writes\)"):
        await open_checkpointer(path).__aenter__()


async def test_the_service_makes_the_tables_and_then_starts_graphs_that_pause(tmp_path: Path) -> None:
    graphs, parts = {"asking": ASKING}, Workshop().desk(ScriptedModel(script=[])).parts
    settings = GenerationSettings(data_dir=tmp_path)
    with pytest.raises(BadSettings, match="run stemma-generation-graph --setup"):
        await open_runner(settings, graphs, parts).__aenter__()
    code = "import sys; sys.argv[1:] = ['--setup']; from stemma_generation_graph.app import main; main()"
    environment = {**os.environ, "STEMMA_DATA_DIR": str(tmp_path)}
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, env=environment)
    assert await process.wait() == 0
    async with open_runner(settings, graphs, parts) as runner:
        assert isinstance(runner, Runner)


async def test_refuses_to_start_with_the_permissive_decoder() -> None:
    code = (
        "import os; os.environ['LANGGRAPH_STRICT_MSGPACK'] = 'false'\n"
        "from stemma_generation_graph.checkpoints import require_strict_decoder as check\n"
        "check()"
    )
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, stderr=asyncio.subprocess.PIPE)
    _, err = await process.communicate()
    assert b"CheckpointsUnusable: LANGGRAPH_STRICT_MSGPACK must be true" in err
