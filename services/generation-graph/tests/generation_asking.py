"""A graph that asks one question; as a process, it resumes one job and prints what came of it."""

import asyncio
import json
import sys
from collections.abc import Mapping
from operator import add
from pathlib import Path
from typing import Annotated, Any, TypedDict

from generation_workshop import HEAD
from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt
from stemma_contracts.v1.jobs import GenerateSection, ResumeGraph
from stemma_contracts.v1.references import ArtifactRef
from stemma_generation_graph.checkpoints import open_checkpointer
from stemma_generation_graph.deps import GraphDeps, RunContext
from stemma_generation_graph.graphs.registry import Graph
from stemma_generation_graph.runner import Finished, Paused, Runner


class AskingState(TypedDict):
    steps: Annotated[list[str], add]


async def prepare(state: AskingState) -> dict[str, Any]:
    return {"steps": ["prepared"]}


async def ask(state: AskingState) -> dict[str, Any]:
    return {"steps": [interrupt({"kind": "question", "question": "Which colour?"})]}


async def close(state: AskingState) -> dict[str, Any]:
    return {"steps": ["closed"]}


def build(deps: GraphDeps) -> StateGraph[Any, Any, Any, Any]:
    graph = StateGraph(AskingState, context_schema=RunContext)
    for node in (prepare, ask, close):
        graph.add_node(node.__name__, node)
    graph.add_edge(START, "prepare")
    graph.add_edge("prepare", "ask")
    graph.add_edge("ask", "close")
    graph.add_edge("close", END)
    return graph


ANSWER = ArtifactRef(digest="0" * 64, size=4, media_type="text/plain", name="answer.txt")
ASKING = Graph(build, lambda job: AskingState(steps=[]), pauses=True, durability="sync")


def resumption(job: GenerateSection, paused: Mapping[str, Any], job_id: str = "doc.2.resume") -> ResumeGraph:
    """The job that answers what a paused thread asked."""
    return ResumeGraph(
        job_id=job_id,
        document=HEAD,
        section=job.section,
        thread_id=paused["thread_id"],
        checkpoint_id=paused["checkpoint_id"],
        answer=ANSWER,
    )


async def run(job: GenerateSection | ResumeGraph, answer: str, place: Path | str) -> dict[str, Any]:
    async with open_checkpointer(place) as checkpointer:
        return await run_on(Runner({"asking": ASKING}, None, checkpointer), job, answer)  # type: ignore[arg-type]


async def run_on(runner: Runner, job: GenerateSection | ResumeGraph, answer: str) -> dict[str, Any]:
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
    body, answer, where = sys.argv[1:]
    place = Path(where) if where.startswith("/") else where
    print(json.dumps(asyncio.run(run(ResumeGraph.model_validate_json(body), answer, place))))
