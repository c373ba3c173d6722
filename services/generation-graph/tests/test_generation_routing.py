"""Every job comes to its handler on both lanes, and its outcome is published: without a server."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from generation_asking import ASKING, resumption
from generation_workshop import HEAD, Workshop, evaluation
from stemma_contracts import Contract, registry, subjects
from stemma_contracts.v1.jobs import DropThreads, EvaluateDraft, GenerateSection, Job
from stemma_contracts.v1.outcomes import DraftEvaluated, SectionGenerated, ThreadLost
from stemma_generation_graph.checkpoints import open_checkpointer, set_up
from stemma_generation_graph.handlers import Tools, routes
from stemma_generation_graph.runner import Runner
from stemma_messaging import WorkerBroker, WorkerSettings
from stemma_messaging.same_kind import SameKind
from stemma_testkit.routing import routed
from stemma_testkit.scripted import ScriptedModel

pytestmark = [pytest.mark.req("E1", "E10"), pytest.mark.parametrize("lane", [subjects.job, subjects.bulk_job])]
DRAFT = "# Approach\n\nWe build the ferry.\n"
Lane = Callable[[str, str], str]


async def published(tools: Tools, lane: Lane, job: Job) -> list[tuple[str, Contract]]:
    broker = WorkerBroker(subjects.GENERATION, WorkerSettings())
    broker.include_router(routes(lambda: tools))
    return await routed(broker, subjects.JOBS, lane(subjects.GENERATION, registry.entry_of(job).token), job)


async def test_a_section_is_written(workshop: Workshop, lane: Lane) -> None:
    tools = workshop.tools(ScriptedModel(script=[DRAFT, evaluation("approach")]))
    [(subject, outcome)] = await published(tools, lane, await workshop.job("approach"))
    assert subject == subjects.outcome(subjects.GENERATION, "section-generated")
    assert isinstance(outcome, SectionGenerated)
    assert await workshop.read(outcome.draft) == DRAFT


@pytest.mark.failure("other-kind")
async def test_a_job_for_other_data_of_its_kind_is_not_begun(workshop: Workshop, lane: Lane) -> None:
    async def current(_: str) -> str | None:
        return None

    tools = replace(workshop.tools(ScriptedModel(script=[])), same_kind=SameKind({"proposal": "a" * 64}, current))
    job = await workshop.job("approach", kind_digest="b" * 64)
    section = job.model_dump(exclude={"draft", "version"})
    resume = resumption(job, {"thread_id": job.thread_id, "checkpoint_id": "c1"})
    judged = EvaluateDraft.model_validate({**section, "version": 1, "draft": await workshop.store(DRAFT)})
    for one in (job, resume.model_copy(update={"kind_digest": "b" * 64}), judged):
        assert await published(tools, lane, one) == []


async def test_a_draft_is_evaluated(workshop: Workshop, lane: Lane) -> None:
    tools, given = (
        workshop.tools(ScriptedModel(script=[evaluation("approach")])),
        await workshop.job("approach"),
    )
    as_given: Any = {name: value for name, value in given if name in EvaluateDraft.model_fields}
    job = EvaluateDraft(**as_given, version=1, draft=await workshop.store(DRAFT))
    [(subject, outcome)] = await published(tools, lane, job)
    assert subject == subjects.outcome(subjects.GENERATION, "draft-evaluated")
    assert isinstance(outcome, DraftEvaluated)


async def test_a_graph_that_waits_nowhere_is_told_to_be_lost(
    workshop: Workshop, job: GenerateSection, lane: Lane, tmp_path: Path
) -> None:
    resume = resumption(job, {"thread_id": job.thread_id, "checkpoint_id": "c1"})
    async with a_checkpointer(tmp_path) as checkpointer:
        [(subject, outcome)] = await published(with_runner(workshop, checkpointer), lane, resume)
    assert subject == subjects.outcome(subjects.GENERATION, "thread-lost")
    assert isinstance(outcome, ThreadLost)


async def test_threads_are_dropped_without_an_outcome(workshop: Workshop, lane: Lane, tmp_path: Path) -> None:
    job = DropThreads(job_id="doc.9.drop.threads", document=HEAD, threads=("doc.1.unknown",))
    async with a_checkpointer(tmp_path) as checkpointer:
        assert await published(with_runner(workshop, checkpointer), lane, job) == []


@asynccontextmanager
async def a_checkpointer(folder: Path) -> AsyncIterator[Any]:
    await set_up(folder / "checkpoints.sqlite")
    async with open_checkpointer(folder / "checkpoints.sqlite") as checkpointer:
        yield checkpointer


def with_runner(workshop: Workshop, checkpointer: Any) -> Tools:
    tools = workshop.tools(ScriptedModel(script=[]))
    return replace(tools, runner=Runner({"asking": ASKING}, tools.deps, checkpointer))
