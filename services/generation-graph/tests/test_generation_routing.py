"""Every job comes to its handler on both lanes, and its outcome is published: without a server."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from generation_asking import ASKING, resumption
from generation_workshop import HEAD, Workshop, evaluation
from langgraph.checkpoint.memory import InMemorySaver
from stemma_contracts import Contract, registry, subjects
from stemma_contracts.v1.jobs import (
    DropThreads,
    EraseThreads,
    EvaluateDraft,
    GenerateSection,
    Job,
    ProposeRequirements,
    ResumeGraph,
    SectionJob,
)
from stemma_contracts.v1.ledger import LedgerRows
from stemma_contracts.v1.outcomes import Outcome
from stemma_generation_graph.graphs.registry import SECTION
from stemma_generation_graph.handlers import Tools, routes
from stemma_generation_graph.runner import Runner
from stemma_messaging import WorkerBroker, WorkerSettings
from stemma_messaging.same_kind import SameKind
from stemma_testkit.scripted import ScriptedModel
from stemma_testkit.working import routed

pytestmark = [pytest.mark.req("E1", "E10"), pytest.mark.parametrize("lane", [subjects.job, subjects.bulk_job])]
DRAFT = "# Approach\n\nWe build the ferry.\n"
Lane = Callable[[str, str], str]


async def published(tools: Tools, lane: Lane, job: Job) -> list[tuple[str, Contract]]:
    broker = WorkerBroker(subjects.GENERATION, WorkerSettings())
    broker.include_router(routes(lambda: tools))
    return await routed(broker, subjects.JOBS, lane(subjects.GENERATION, registry.entry_of(job).token), job)


async def jobs_of(workshop: Workshop, asking: GenerateSection) -> tuple[GenerateSection, ResumeGraph, EvaluateDraft]:
    """The jobs that name the data of a document kind; the thread of the second is not there."""
    job = await workshop.job("approach")
    section = job.model_dump(exclude={"draft", "version"})
    judged = EvaluateDraft.model_validate({**section, "version": 1, "draft": await workshop.store(DRAFT)})
    return job, resumption(asking, {"thread_id": asking.thread_id, "checkpoint_id": "c1"}), judged


async def test_every_job_comes_to_its_handler_and_its_outcome_is_published(
    workshop: Workshop, job: GenerateSection, lane: Lane
) -> None:
    rows = await workshop.store(LedgerRows(rows=()).model_dump_json(), "requirements.json", "application/json")
    jobs: list[Job] = [
        *await jobs_of(workshop, job),
        ProposeRequirements(job_id="doc.5.propose.ledger", document=HEAD, sources=(), rows=rows),
        EraseThreads(job_id="doc.9.erase.document", document=HEAD),
        DropThreads(job_id="doc.9.drop.threads", document=HEAD, threads=("doc.1.unknown",)),
    ]
    tools = workshop.tools(ScriptedModel(script=[DRAFT, evaluation("approach")]))
    runner = Runner({"asking": ASKING, "section": SECTION}, tools.deps, InMemorySaver())
    told = [one for each in jobs for one in await published(replace(tools, runner=runner), lane, each)]
    tokens = ("section-generated", "thread-lost", "draft-evaluated", "requirements-proposed", "threads-erased")
    assert [subject for subject, _ in told] == [subjects.outcome(subjects.GENERATION, token) for token in tokens]
    said = [(one.job_id, one.section_id) for _, one in told if isinstance(one, Outcome)]
    about = [one.section.section_id if isinstance(one, SectionJob) else None for one in jobs[:-1]]
    assert said == list(zip([one.job_id for one in jobs[:-1]], about, strict=True))


@pytest.mark.failure("other-kind")
async def test_a_job_for_other_data_of_its_kind_is_not_begun(
    workshop: Workshop, job: GenerateSection, lane: Lane
) -> None:
    async def current(_: str) -> str | None:
        return None

    tools = replace(workshop.tools(ScriptedModel(script=[])), same_kind=SameKind({"proposal": "a" * 64}, current))
    for one in await jobs_of(workshop, job):
        assert await published(tools, lane, one.model_copy(update={"kind_digest": "b" * 64})) == []
