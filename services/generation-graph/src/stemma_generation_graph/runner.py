"""Runs a job on its thread: interrupt and resume are here and nowhere else.

A graph that never pauses runs without a checkpoint: its recorded model calls make a second run free. A graph
that pauses ends its job with `Paused`; the thread waits in the checkpointer until `Runner.resume`. Every
checkpoint carries the id of the job that wrote it, so that a redelivered job goes on where it was. A run begins at
the checkpoint that was looked at (`PinnedSaver`): if another process went on meanwhile, it raises `TakenOver`.
"""

import copy
import hashlib
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple
from langgraph.checkpoint.serde.types import INTERRUPT, RESUME
from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command, StateSnapshot
from pydantic import BaseModel, ConfigDict
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.jobs import GenerateSection, ResumeGraph
from stemma_contracts.v1.needs import GivenAnswer, MissingReference
from stemma_contracts.v1.references import ArtifactRef, InputFile
from stemma_contracts.v1.usage import Usage
from stemma_messaging.errors import InvalidMessage, TakenOver
from stemma_messaging.running import JobCancelledError
from stemma_telemetry import span
from stemma_telemetry.names import Attr, Span

from .checkpoints.saving import ErasesThreads, PinnedSaver
from .deps import GraphDeps, RunContext
from .graphs.registry import Graph

OF_PEOPLE = ("question", "upload")


class JobRefused(InvalidMessage):
    """A job that no repetition makes right: an unknown graph, or one that never pauses."""


class PauseNotStored(RuntimeError):
    """The graph stopped in the middle and its store holds no question: the job has to go on there, later."""


class ThreadLostError(Exception):
    """The thread of an answer is not there, or not where the answer is for: it can never be resumed by this job."""


class Interrupt(BaseModel):
    """The value of an ``interrupt``: what the graph waits for, with the fields of a `Need`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Literal["question", "upload", "validation", "conversion"]
    question: str = ""
    draft: ArtifactRef | None = None
    assets: tuple[InputFile, ...] = ()
    format: ExportFormat | None = None
    excerpt: bool = False
    references: tuple[MissingReference, ...] = ()
    forms: tuple[str, ...] = ()


@dataclass(frozen=True)
class Pinned:
    """A thread as it was found, and the graph that goes on from there."""

    graph: CompiledStateGraph[Any, Any, Any, Any]
    snapshot: StateSnapshot

    @property
    def is_new(self) -> bool:
        """Whether there is no such thread yet."""
        return self.snapshot.created_at is None

    @property
    def checkpoint_id(self) -> str | None:
        """The id of its newest checkpoint."""
        return self.snapshot.config["configurable"].get("checkpoint_id")

    @property
    def written_by(self) -> object:
        """The id of the job that its newest checkpoint is of, None if it tells none."""
        return (self.snapshot.metadata or {}).get("job_id")


@dataclass(frozen=True)
class Finished:
    state: Mapping[str, Any]


@dataclass(frozen=True)
class Paused:
    thread_id: str
    checkpoint_id: str
    asked: Interrupt


GenerateResult = Finished | Paused
"""What a run comes to, started or resumed: its end, or a pause, which outlives the job."""


class Runner:
    def __init__(
        self,
        graphs: Mapping[str, Graph],
        deps: GraphDeps,
        checkpointer: BaseCheckpointSaver[Any] | None,
    ) -> None:
        self._graphs = graphs
        self.checkpointer = checkpointer
        self._compiled: dict[str, CompiledStateGraph[Any, Any, Any, Any]] = {
            name: compiled(name, graph.build(deps), checkpointer if graph.pauses else None)
            for name, graph in graphs.items()
        }

    def writer(self, graph: str) -> str:
        """The node that a draft of a graph is written by. Raises `JobRefused` for an unknown graph."""
        return self._graph(graph).writer

    def session_of(self, graph: str, thread_id: str) -> str | None:
        """The session of a thread: that of a graph which pauses outlives a job. Raises `JobRefused`."""
        return thread_id if self._graph(graph).pauses else None

    async def start(self, job: GenerateSection, context: RunContext) -> GenerateResult:
        """Run a job from its start, or from where an earlier delivery of it came to.

        Raises `JobCancelledError` if an answer went on with the thread: what this job asked was heard.
        """
        graph = self._graph(job.section.graph)
        initial = graph.initial_state(job)
        if not graph.pauses:
            config = RunnableConfig(recursion_limit=graph.recursion_limit)
            return Finished(await self._invoke(self._compiled[job.section.graph], job, initial, config, context))
        thread = await self._pinned(job)
        if thread.is_new:
            return await self._advance(job, thread, initial, context)
        if thread.written_by not in (None, job.job_id):
            raise JobCancelledError(Usage())
        return await self._carry_on(job, thread, context)

    async def resume(self, job: ResumeGraph, answer: Any, context: RunContext) -> GenerateResult:
        """Give a paused thread its answer, a JSON value, once.

        A job that repeats the answer of a lost one goes on where that came to. Raises `ThreadLostError` if the thread
        is not at that checkpoint and did not leave it with this answer.
        """
        if not self._graph(job.section.graph).pauses:
            raise JobRefused("the graph never pauses")
        thread = await self._pinned(job)
        if thread.is_new:
            raise ThreadLostError("the thread is unknown")
        if thread.written_by == job.job_id:
            return await self._carry_on(job, thread, context)
        if thread.snapshot.interrupts and thread.checkpoint_id == job.checkpoint_id:
            return await self._advance(job, thread, Command(resume=answer), context)
        if await self._is_last_answer(job, answer):
            return await self._carry_on(job, thread, context)
        raise ThreadLostError("the thread is at another checkpoint")

    async def _pinned(self, job: GenerateSection | ResumeGraph) -> Pinned:
        graph = copy.copy(self._compiled[job.section.graph])
        saver = graph.checkpointer
        assert isinstance(saver, BaseCheckpointSaver)
        graph.checkpointer = PinnedSaver(saver, await saver.aget_tuple(_place(job)))
        return Pinned(graph, await graph.aget_state(self._config(job)))

    async def drop(self, threads: Iterable[str]) -> None:
        if self.checkpointer is not None:
            for thread_id in threads:
                await self.checkpointer.adelete_thread(thread_id)

    async def erase(self, document_id: str) -> int:
        """Delete all threads of a document, whose ids begin with its own, so that they can be read nowhere any more."""
        store: object = self.checkpointer
        if not isinstance(store, ErasesThreads):
            return 0
        threads = await store.threads_of(document_id)
        await self.drop(threads)
        await store.forget_deleted()
        return len(threads)

    async def _is_last_answer(self, job: ResumeGraph, answer: Any) -> bool:
        """Whether this is the last answer that the thread took, and at that checkpoint."""
        async for found in self._checkpoints(job):
            answers = [value for _, channel, value in found.pending_writes or () if channel == RESUME]
            if found.checkpoint["id"] == job.checkpoint_id:
                return answer in answers
            if answers:
                return False
        return False

    def _config(self, job: GenerateSection | ResumeGraph) -> RunnableConfig:
        return RunnableConfig(
            configurable={"thread_id": job.thread_id},
            metadata={"job_id": job.job_id, "tenant": job.document.tenant},
            recursion_limit=self._graphs[job.section.graph].recursion_limit,
        )

    def _graph(self, name: str) -> Graph:
        if name not in self._graphs:
            raise JobRefused("the graph is unknown")
        return self._graphs[name]

    async def _carry_on(
        self, job: GenerateSection | ResumeGraph, thread: Pinned, context: RunContext
    ) -> GenerateResult:
        snapshot = thread.snapshot
        spent = snapshot.values.get("spent") or {}
        if spent.get("job_id") == job.job_id:
            context.call.meter.count(Usage.model_validate(spent))
        if snapshot.tasks and not snapshot.interrupts:  # ``next`` is silent of tasks that ended and were not followed
            return await self._advance(job, thread, None, context)
        return await self._result(job, thread, context)

    async def _advance(
        self, job: GenerateSection | ResumeGraph, thread: Pinned, given: Any, context: RunContext
    ) -> GenerateResult:
        await self._invoke(thread.graph, job, given, self._config(job), context)
        came_to = await self._pinned(job)
        if came_to.written_by != job.job_id and came_to.checkpoint_id != thread.checkpoint_id:
            raise TakenOver("the thread went on with another job")
        return await self._result(job, came_to, context)

    async def _result(self, job: GenerateSection | ResumeGraph, thread: Pinned, context: RunContext) -> GenerateResult:
        snapshot = thread.snapshot
        if snapshot.interrupts:
            asked = Interrupt.model_validate(snapshot.interrupts[0].value)
            if (given := await self._given_before(job, thread, asked)) is not None:
                return await self._advance(job, thread, Command(resume=resume_value(given.answer)), context)
            return Paused(job.thread_id, str(thread.checkpoint_id), asked)
        if snapshot.tasks:
            waiting = ", ".join(task.name for task in snapshot.tasks)
            raise PauseNotStored(f"the graph waits at {waiting} for what was not stored")
        return Finished(snapshot.values)

    async def _given_before(
        self, job: GenerateSection | ResumeGraph, thread: Pinned, asked: Interrupt
    ) -> GivenAnswer | None:
        """What a person answered before, as often as the thread has asked this by now."""
        name = digest_of(asked.question)
        answers = [given for given in job.answered_before if given.question == name]
        if not answers or asked.kind not in OF_PEOPLE:
            return None
        times = sum([name in questions async for questions in self._questions(job)])
        return answers[times - 1] if times <= len(answers) else None

    async def _questions(self, job: GenerateSection | ResumeGraph) -> AsyncIterator[list[str]]:
        """The digests of what a thread asked, at each of its checkpoints from the newest on."""
        async for checkpoint in self._checkpoints(job):
            asked = [value for _, channel, value in checkpoint.pending_writes or () if channel == INTERRUPT]
            yield [
                digest_of(Interrupt.model_validate(one.value).question) for interrupts in asked for one in interrupts
            ]

    async def _checkpoints(self, job: GenerateSection | ResumeGraph) -> AsyncIterator[CheckpointTuple]:
        assert self.checkpointer is not None
        place: RunnableConfig | None = _place(job)
        while place is not None and (found := await self.checkpointer.aget_tuple(place)) is not None:
            yield found
            place = found.parent_config

    async def _invoke(
        self,
        graph: CompiledStateGraph[Any, Any, Any, Any],
        job: GenerateSection | ResumeGraph,
        given: Any,
        config: RunnableConfig,
        context: RunContext,
    ) -> Mapping[str, Any]:
        name = job.section.graph
        kind = self._graphs[name]
        attributes: dict[str, str] = {Attr.GEN_AI_OPERATION: Span.INVOKE_WORKFLOW.value, Attr.GEN_AI_WORKFLOW: name}
        with span(f"{Span.INVOKE_WORKFLOW} {name}", attributes=attributes):
            # By the second version LangGraph tells of states only, and not of every update beside them.
            came_to = await graph.ainvoke(
                given, config, context=context, durability=kind.durability if kind.pauses else None, version="v2"
            )
            state: Mapping[str, Any] = came_to.value
            return state


def resume_value(answer: ArtifactRef, *, failed: bool = False, detail: str = "") -> dict[str, Any]:
    return {"artifact": answer.model_dump(mode="json"), "failed": failed, "detail": detail}


def digest_of(question: str) -> str:
    """A question as an answer that was given before names it."""
    return hashlib.sha256(encoded(question)).hexdigest()


def encoded(question: str) -> bytes:
    return question.encode(errors="replace")


def _place(job: GenerateSection | ResumeGraph) -> RunnableConfig:
    return RunnableConfig(configurable={"thread_id": job.thread_id, "checkpoint_ns": ""})


class OrphanNode(ValueError):
    """A graph with nodes that no way leads to; the message names graph and nodes."""


def compiled(
    name: str, graph: StateGraph[Any, Any, Any, Any], checkpointer: BaseCheckpointSaver[Any] | None
) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The compiled graph; cycles are allowed. Raises `OrphanNode`."""
    ready = graph.compile(checkpointer=checkpointer, name=name)
    drawn = ready.get_graph()
    ways = {(edge.source, edge.target) for edge in drawn.edges}
    reached = {START}
    while more := {target for source, target in ways if source in reached} - reached:
        reached |= more
    if orphans := sorted(set(drawn.nodes) - reached):
        raise OrphanNode(f"graph {name}: no way leads to {', '.join(orphans)}")
    return ready
