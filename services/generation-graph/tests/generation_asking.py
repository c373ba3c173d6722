"""A graph that asks one question; as a process, it resumes one job and prints what came of it."""

from __future__ import annotations

import asyncio
import json
import sys
from operator import add
from pathlib import Path
from typing import Annotated, Any, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt
from stemma_contracts.v1.jobs import GenerateSection, ResumeGraph
from stemma_generation_graph.checkpoints import open_checkpointer
from stemma_generation_graph.graphs import Graph
from stemma_generation_graph.graphs.parts import GraphParts, RunContext
from stemma_generation_graph.runner import Finished, Paused, Runner


class AskingState(TypedDict):
    steps: Annotated[list[str], add]


async def prepare(state: AskingState) -> dict[str, Any]:
    return {"steps": ["prepared"]}


async def ask(state: AskingState) -> dict[str, Any]:
    return {"steps": [interrupt({"kind": "question", "question": "Which colour?"})]}


async def close(state: AskingState) -> dict[str, Any]:
    return {"steps": ["closed"]}


def build(parts: GraphParts) -> StateGraph[Any, Any, Any, Any]:
    graph = StateGraph(AskingState, context_schema=RunContext)
    for node in (prepare, ask, close):
        graph.add_node(node.__name__, node)
    graph.add_edge(START, "prepare")
    graph.add_edge("prepare", "ask")
    graph.add_edge("ask", "close")
    graph.add_edge("close", END)
    return graph


ASKING = Graph(build, lambda job: AskingState(steps=[]), pauses=True, durability="sync")


async def run(job: GenerateSection | ResumeGraph, answer: str, database: Path) -> dict[str, Any]:
    async with open_checkpointer(database) as checkpointer:
        runner = Runner({"asking": ASKING}, None, checkpointer)  # type: ignore[arg-type]
        context: Any = None
        if isinstance(job, GenerateSection):
            result = await runner.start(job, context)
        else:
            result = await runner.resume(job, answer, context)
    match result:
        case Finished(state):
            return {"steps": state["steps"]}
        case Paused(thread_id, checkpoint_id, asked):
            return {"thread_id": thread_id, "checkpoint_id": checkpoint_id, "question": asked.question}


if __name__ == "__main__":
    body, answer, database = sys.argv[1:]
    print(json.dumps(asyncio.run(run(ResumeGraph.model_validate_json(body), answer, Path(database)))))
