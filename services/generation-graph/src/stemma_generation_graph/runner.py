"""Runs a job on its thread: interrupt and resume are here and nowhere else.

A graph that never pauses runs without a checkpoint: its recorded model calls make a second run free. A graph
that pauses ends its job with `Paused`; the thread waits in the checkpointer until `Runner.resume`. Every
checkpoint carries the id of the job that wrote it, so that a redelivered job goes on where it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.serde.types import RESUME
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command, StateSnapshot
from pydantic import BaseModel, ConfigDict
from stemma_contracts.v1.jobs import GenerateSection, ResumeGraph
from stemma_contracts.v1.needs import MissingReference
from stemma_contracts.v1.values import ArtifactRef, ExportFormat, InputFile, Usage
from stemma_messaging.errors import InvalidMessage
from stemma_messaging.running import JobCancelledError
from stemma_telemetry import span
from stemma_telemetry.names import Attr, Span

from .checkpoints.cleaning import ThreadCleaner
from .graphs import Graph
from .graphs.compiling import compiled
from .graphs.parts import GraphParts, RunContext


class JobRefused(InvalidMessage):
    """A job that no repetition makes right: an unknown graph or thread, or another checkpoint than expected."""


class Asked(BaseModel):
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
class Finished:
    """The graph came to its end."""

    state: Mapping[str, Any]


@dataclass(frozen=True)
class Paused:
    """The graph waits for an answer at a checkpoint."""

    thread_id: str
    checkpoint_id: str
    asked: Asked


GenerateResult = Finished | Paused
"""What a run comes to, started or resumed: its end, or a pause, which outlives the job."""


class Runner:
    """The compiled graphs; each is compiled once."""

    def __init__(
        self,
        graphs: Mapping[str, Graph],
        parts: GraphParts,
        checkpointer: BaseCheckpointSaver[Any] | None,
        cleaner: ThreadCleaner | None = None,
    ) -> None:
        self._graphs = graphs
        self._checkpointer = checkpointer
        self._cleaner = cleaner
        self._compiled: dict[str, CompiledStateGraph[Any, Any, Any, Any]] = {
            name: compiled(name, graph.build(parts), checkpointer if graph.pauses else None)
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
            return Finished(await self._invoke(job.section.graph, initial, config, context))
        snapshot = await self._compiled[job.section.graph].aget_state(self._config(job))
        if snapshot.created_at is None:
            return await self._advance(job, initial, context)
        if (snapshot.metadata or {}).get("job_id") not in (None, job.job_id):
            raise JobCancelledError(Usage())
        return await self._go_on(job, snapshot, context)

    async def resume(self, job: ResumeGraph, answer: Any, context: RunContext) -> GenerateResult:
        """Give a paused thread its answer, a JSON value, once.

        A job that repeats the answer of a lost one goes on where that came to. Raises `JobRefused` if the thread is
        not at that checkpoint and did not leave it with this answer.
        """
        if not self._graph(job.section.graph).pauses:
            raise JobRefused("the graph never pauses")
        snapshot = await self._compiled[job.section.graph].aget_state(self._config(job))
        if snapshot.created_at is None:
            raise JobRefused("the thread is unknown")
        if (snapshot.metadata or {}).get("job_id") == job.job_id:
            return await self._go_on(job, snapshot, context)
        if snapshot.interrupts and _checkpoint_id(snapshot) == job.checkpoint_id:
            return await self._advance(job, Command(resume=answer), context)
        if await self._took(job, answer):
            return await self._go_on(job, snapshot, context)
        raise JobRefused("the thread is at another checkpoint")

    async def _took(self, job: ResumeGraph, answer: Any) -> bool:
        """Whether this is the last answer that the thread took, and at that checkpoint."""
        assert self._checkpointer is not None
        place: RunnableConfig | None = RunnableConfig(configurable={"thread_id": job.thread_id, "checkpoint_ns": ""})
        while place is not None and (found := await self._checkpointer.aget_tuple(place)) is not None:
            answers = [value for _, channel, value in found.pending_writes or () if channel == RESUME]
            if found.checkpoint["id"] == job.checkpoint_id:
                return answer in answers
            if answers:
                return False
            place = found.parent_config
        return False

    def _config(self, job: GenerateSection | ResumeGraph) -> RunnableConfig:
        return RunnableConfig(
            configurable={"thread_id": job.thread_id},
            metadata={"job_id": job.job_id},
            recursion_limit=self._graphs[job.section.graph].recursion_limit,
        )

    def _graph(self, name: str) -> Graph:
        if name not in self._graphs:
            raise JobRefused("the graph is unknown")
        return self._graphs[name]

    async def _go_on(
        self, job: GenerateSection | ResumeGraph, snapshot: StateSnapshot, context: RunContext
    ) -> GenerateResult:
        spent = snapshot.values.get("spent") or {}
        if spent.get("job_id") == job.job_id:
            context.call.meter.count(Usage.model_validate(spent))
        if snapshot.next and not snapshot.interrupts:
            return await self._advance(job, None, context)
        return self._result(job, snapshot)

    async def _advance(self, job: GenerateSection | ResumeGraph, given: Any, context: RunContext) -> GenerateResult:
        await self._invoke(job.section.graph, given, self._config(job), context)
        return self._result(job, await self._compiled[job.section.graph].aget_state(self._config(job)))

    def _result(self, job: GenerateSection | ResumeGraph, snapshot: StateSnapshot) -> GenerateResult:
        if snapshot.interrupts:
            asked = Asked.model_validate(snapshot.interrupts[0].value)
            return Paused(job.thread_id, _checkpoint_id(snapshot), asked)
        if self._cleaner is not None:
            self._cleaner.settled(job.thread_id)
        return Finished(snapshot.values)

    async def _invoke(self, name: str, given: Any, config: RunnableConfig, context: RunContext) -> Mapping[str, Any]:
        graph = self._graphs[name]
        attributes: dict[str, str] = {Attr.GEN_AI_OPERATION: Span.INVOKE_WORKFLOW.value, Attr.GEN_AI_WORKFLOW: name}
        with span(f"{Span.INVOKE_WORKFLOW} {name}", attributes=attributes):
            state: Mapping[str, Any] = await self._compiled[name].ainvoke(
                given, config, context=context, durability=graph.durability if graph.pauses else None
            )
            return state


def _checkpoint_id(snapshot: StateSnapshot) -> str:
    return str(snapshot.config["configurable"]["checkpoint_id"])
