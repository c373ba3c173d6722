"""A graph that asks twice, and a replica that is stopped between its look at a thread and what it does to it."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

from generation_asking import AskingState, close, prepare
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple
from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt
from stemma_generation_graph.checkpoints import open_checkpointer
from stemma_generation_graph.deps import GraphDeps, RunContext
from stemma_generation_graph.graphs.registry import Graph
from stemma_generation_graph.runner import Runner

QUESTIONS = ("Which colour?", "Which form?")
Durability = Literal["exit", "sync"]


def asking(question: str) -> Any:
    async def ask(state: AskingState) -> dict[str, Any]:
        return {"steps": [interrupt({"kind": "question", "question": question})]}

    return ask


def asking_twice(durability: Durability, questions: Sequence[str] = QUESTIONS) -> Graph:
    """A graph that asks these questions, one after the other."""

    def build(deps: GraphDeps) -> StateGraph[Any, Any, Any, Any]:
        graph = StateGraph(AskingState, context_schema=RunContext)
        graph.add_node("prepare", prepare)
        graph.add_node("close", close)
        names = ["prepare", *(f"ask_{number}" for number, _ in enumerate(questions)), "close"]
        for name, question in zip(names[1:-1], questions, strict=True):
            graph.add_node(name, asking(question))
        for before, after in pairwise((START, *names, END)):
            graph.add_edge(before, after)
        return graph

    return Graph(build, lambda job: AskingState(steps=[]), pauses=True, durability=durability)


class Stop:
    """Stops a replica, as SIGSTOP would, once it has looked at a thread; `wake` lets it go on."""

    def __init__(self, saver: BaseCheckpointSaver[Any]) -> None:
        self._look = saver.aget_tuple
        self._looked, self._woken = asyncio.Event(), asyncio.Event()
        saver.aget_tuple = self._look_and_stop  # type: ignore[method-assign]

    async def _look_and_stop(self, config: RunnableConfig) -> CheckpointTuple | None:
        found = await self._look(config)
        self._looked.set()
        await self._woken.wait()
        return found

    async def stopped(self) -> None:
        await self._looked.wait()

    def wake(self) -> None:
        self._woken.set()


@asynccontextmanager
async def late_replica(place: Path | str, graph: Graph) -> AsyncIterator[tuple[Runner, Runner, Stop]]:
    """A replica that is awake, another one that stops at its first look at a thread, and the stop."""
    async with AsyncExitStack() as stack:
        awake, sleepy = [await stack.enter_async_context(open_checkpointer(place)) for _ in range(2)]
        stop = Stop(sleepy)
        yield _runner(graph, awake), _runner(graph, sleepy), stop


def _runner(graph: Graph, saver: BaseCheckpointSaver[Any]) -> Runner:
    return Runner({"asking": graph}, None, saver)  # type: ignore[arg-type]
