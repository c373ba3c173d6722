"""Which threads are kept is told with their tenants, and what the log does not need is deleted."""

from pathlib import Path

import pytest
from generation_asking import resumption, run_on
from generation_late import asking_twice
from generation_workshop import HEAD, Workshop
from stemma_contracts.v1.jobs import DropThreads, EraseThreads, GenerateSection
from stemma_contracts.v1.outcomes import ThreadsHeld
from stemma_generation_graph.checkpoints import open_checkpointer
from stemma_generation_graph.checkpoints.saving import MOST, HoldsThreads, report_threads
from stemma_generation_graph.handlers import Tools, on_drop_threads, on_erase_threads
from stemma_generation_graph.runner import Runner
from stemma_generation_graph.sources import Library
from stemma_testkit.scripted import ScriptedModel
from stemma_testkit.working import ANY_KIND

pytestmark = pytest.mark.req("F4")


class Told:
    def __init__(self) -> None:
        self.messages: dict[str, ThreadsHeld] = {}

    async def publish(self, held: ThreadsHeld, message_id: str) -> None:
        self.messages[message_id] = held


class Many:
    """A checkpointer with very many threads."""

    async def held(self) -> list[tuple[str, str]]:
        return [(f"doc.{number}.generate.a", "default") for number in range(MOST + 1)] + [("doc.1.generate.a", "other")]


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


@pytest.mark.req("O7")
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
