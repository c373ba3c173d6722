"""The same workload on plain LangGraph: one process, one graph of 16 nodes, a checkpoint on SQLite after each step.

``bench_langgraph.py MILLISECONDS AT_A_TIME RUNS FOLDER`` prints one line of JSON.
"""

import asyncio
import json
import os
import sys
import time
from pathlib import Path
from typing import Annotated, Any, TypedDict

os.environ["LANGGRAPH_STRICT_MSGPACK"] = "true"

from bench_model import TrivialModel
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph
from stemma_models.prompting import block

CHAIN = ("research", "solution", "connections")
TOGETHER = ("problem_statement", "approach", "timeline", "budget")
LAST = "conclusion"
SECTIONS = (*CHAIN, *TOGETHER, LAST)


def merged(left: dict[str, str], right: dict[str, str]) -> dict[str, str]:
    """What two branches wrote."""
    return {**left, **right}


class State(TypedDict):
    """Drafts and scores by section."""

    drafts: Annotated[dict[str, str], merged]
    scores: Annotated[dict[str, str], merged]


def build(model: TrivialModel, saver: BaseCheckpointSaver[str]) -> Any:
    """The compiled graph."""
    graph = StateGraph(State)
    for name in SECTIONS:
        graph.add_node(f"write_{name}", writer(model, name))
        graph.add_node(f"judge_{name}", judge(model, name))
        graph.add_edge(f"write_{name}", f"judge_{name}")
    for before, name in zip((None, *CHAIN), CHAIN, strict=False):
        graph.add_edge(f"judge_{before}" if before else START, f"write_{name}")
    for name in TOGETHER:
        graph.add_edge(f"judge_{CHAIN[-1]}", f"write_{name}")
    graph.add_edge([f"judge_{name}" for name in TOGETHER], f"write_{LAST}")
    graph.add_edge(f"judge_{LAST}", END)
    return graph.compile(checkpointer=saver)


def writer(model: TrivialModel, name: str) -> Any:
    """The node that writes a section."""

    async def write(state: State) -> dict[str, Any]:
        asked = HumanMessage(block("section", "", id=name, title=name))
        return {"drafts": {name: str((await model.ainvoke([asked])).text)}}

    return write


def judge(model: TrivialModel, name: str) -> Any:
    """The node that evaluates a section."""

    async def evaluate(state: State) -> dict[str, Any]:
        asked = HumanMessage(block("criteria", "- clear: it is clear\n- complete: it is complete"))
        return {"scores": {name: str((await model.bind(response_format={}).ainvoke([asked])).text)}}

    return evaluate


async def measure(latency_s: float, at_a_time: int, runs: int, folder: Path) -> dict[str, float]:
    """Seconds of one run (median), runs per second and CPU milliseconds per run."""
    async with AsyncSqliteSaver.from_conn_string(str(folder / f"langgraph-{os.getpid()}.sqlite")) as saver:
        await saver.setup()
        graph, limit, seconds = build(TrivialModel(latency_s=latency_s), saver), asyncio.Semaphore(at_a_time), []

        async def one(number: int) -> None:
            async with limit:
                started = time.perf_counter()
                config = {"configurable": {"thread_id": f"run-{number}"}}
                state = await graph.ainvoke({"drafts": {}, "scores": {}}, config, durability="sync")
                assert len("\n".join(state["drafts"][name] for name in SECTIONS)) > 1000
                seconds.append(time.perf_counter() - started)

        await one(-1)
        seconds.clear()
        started, cpu = time.perf_counter(), time.process_time()
        await asyncio.gather(*(one(number) for number in range(runs)))
        wall, used = time.perf_counter() - started, time.process_time() - cpu
    return {"one_s": sorted(seconds)[runs // 2], "per_s": runs / wall, "cpu_ms": used / runs * 1000}


if __name__ == "__main__":
    milliseconds, at_a_time, runs = map(int, sys.argv[1:4])
    print(json.dumps(asyncio.run(measure(milliseconds / 1000, at_a_time, runs, Path(sys.argv[4])))))
