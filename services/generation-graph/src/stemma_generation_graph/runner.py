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
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command, StateSnapshot
from pydantic import BaseModel, ConfigDict
from stemma_contracts.v1.jobs import GenerateSection, ResumeGraph
from stemma_messaging.errors import InvalidMessage
from stemma_telemetry import span
from stemma_telemetry.names import Attr, Span

from .graphs import Graph
from .graphs.parts import GraphParts, RunContext

RECURSION_LIMIT = 100


class JobRefused(InvalidMessage):
    """A job that no repetition makes right: an unknown graph or thread, or another checkpoint than expected."""


class Asked(BaseModel):
    """The value of an ``interrupt``: what the graph waits for."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Literal["question", "upload", "validation", "conversion"]
    question: str


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


class Runner:
    """The compiled graphs; each is compiled once."""

    def __init__(
        self, graphs: Mapping[str, Graph], parts: GraphParts, checkpointer: BaseCheckpointSaver[Any] | None
    ) -> None:
        self._graphs = graphs
        self._compiled: dict[str, CompiledStateGraph[Any, Any, Any, Any]] = {
            name: graph.build(parts).compile(checkpointer=checkpointer if graph.pauses else None, name=name)
            for name, graph in graphs.items()
        }

    async def start(self, job: GenerateSection, context: RunContext) -> Finished | Paused:
        """Run a job from its start, or from where an earlier delivery of it came to."""
        graph = self._graph(job.section.graph)
        initial = graph.initial_state(job)
        if not graph.pauses:
            return Finished(await self._invoke(job.section.graph, initial, _config(job), context))
        snapshot = await self._compiled[job.section.graph].aget_state(_config(job))
        if snapshot.created_at is None:
            return await self._advance(job, initial, context)
        return await self._go_on(job, snapshot, context)

    async def resume(self, job: ResumeGraph, answer: str, context: RunContext) -> Finished | Paused:
        """Give a paused thread its answer, once. Raises `JobRefused` if the thread is not at that checkpoint."""
        if not self._graph(job.section.graph).pauses:
            raise JobRefused("the graph never pauses")
        snapshot = await self._compiled[job.section.graph].aget_state(_config(job))
        if snapshot.created_at is None:
            raise JobRefused("the thread is unknown")
        if (snapshot.metadata or {}).get("job_id") == job.job_id:
            return await self._go_on(job, snapshot, context)
        if not snapshot.interrupts or _checkpoint_id(snapshot) != job.checkpoint_id:
            raise JobRefused("the thread is at another checkpoint")
        return await self._advance(job, Command(resume=answer), context)

    def _graph(self, name: str) -> Graph:
        if name not in self._graphs:
            raise JobRefused("the graph is unknown")
        return self._graphs[name]

    async def _go_on(
        self, job: GenerateSection | ResumeGraph, snapshot: StateSnapshot, context: RunContext
    ) -> Finished | Paused:
        if snapshot.next and not snapshot.interrupts:
            return await self._advance(job, None, context)
        return _result(job, snapshot)

    async def _advance(self, job: GenerateSection | ResumeGraph, given: Any, context: RunContext) -> Finished | Paused:
        await self._invoke(job.section.graph, given, _config(job), context)
        return _result(job, await self._compiled[job.section.graph].aget_state(_config(job)))

    async def _invoke(self, name: str, given: Any, config: RunnableConfig, context: RunContext) -> Mapping[str, Any]:
        graph = self._graphs[name]
        attributes: dict[str, str] = {Attr.GEN_AI_OPERATION: Span.INVOKE_WORKFLOW.value, Attr.GEN_AI_WORKFLOW: name}
        with span(f"{Span.INVOKE_WORKFLOW} {name}", attributes=attributes):
            state: Mapping[str, Any] = await self._compiled[name].ainvoke(
                given, config, context=context, durability=graph.durability if graph.pauses else None
            )
            return state


def _config(job: GenerateSection | ResumeGraph) -> RunnableConfig:
    return RunnableConfig(
        configurable={"thread_id": job.thread_id},
        metadata={"job_id": job.job_id},
        recursion_limit=RECURSION_LIMIT,
    )


def _result(job: GenerateSection | ResumeGraph, snapshot: StateSnapshot) -> Finished | Paused:
    if not snapshot.interrupts:
        return Finished(snapshot.values)
    asked = Asked.model_validate(snapshot.interrupts[0].value)
    return Paused(job.thread_id, _checkpoint_id(snapshot), asked)


def _checkpoint_id(snapshot: StateSnapshot) -> str:
    return str(snapshot.config["configurable"]["checkpoint_id"])
