"""One process that asks for answers, so many at a time: ``provider_client.py WAY BASE AT_A_TIME ANSWERS BEGIN_S``.

The first of them begin within ``BEGIN_S`` seconds. Prints a line of JSON: CPU of an answer, its seconds (the median,
and those of all but the slowest hundredth), milliseconds to its first text, memory, and how many were under way.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from statistics import median
from typing import Any, TypedDict

os.environ |= {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "OPENAI_API_KEY": "none"}

Heard = Callable[[str], None]
Answer = Callable[[Heard], Awaitable[None]]
QUESTION = "<section title='Quay'></section>"
MODEL = "gpt-4o"
LIMIT_S = 600.0
WARM = 2


def bare_httpx(base: str) -> Answer:
    """Lines, and JSON of each: the least that a stream costs if it is read as it comes."""
    import httpx

    limits = httpx.Limits(max_connections=None)
    client = httpx.AsyncClient(timeout=LIMIT_S, limits=limits)
    body = {"model": MODEL, "stream": True, "messages": [{"role": "user", "content": QUESTION}]}

    async def ask(heard: Heard) -> None:
        async with client.stream("POST", f"{base}/chat/completions", json=body) as answer:
            async for line in answer.aiter_lines():
                if line.startswith("data: {") and (choices := json.loads(line[6:])["choices"]):
                    heard(choices[0]["delta"].get("content") or "")

    return ask


def openai_sdk(base: str) -> Answer:
    """The SDK of OpenAI and nothing above it."""
    import httpx
    from openai import AsyncOpenAI

    http = httpx.AsyncClient(timeout=LIMIT_S, limits=httpx.Limits(max_connections=None))
    client = AsyncOpenAI(base_url=base, api_key="none", timeout=LIMIT_S, http_client=http)

    async def ask(heard: Heard) -> None:
        messages: list[Any] = [{"role": "user", "content": QUESTION}]
        async for chunk in await client.chat.completions.create(model=MODEL, messages=messages, stream=True):
            if chunk.choices:
                heard(chunk.choices[0].delta.content or "")

    return ask


def litellm_whole(base: str) -> Answer:
    """LiteLLM and nothing above it, and an answer in one piece: the least that a call by LiteLLM costs."""
    import litellm

    async def ask(heard: Heard) -> None:
        messages = [{"role": "user", "content": QUESTION}]
        answer: Any = await litellm.acompletion(
            model=f"openai/{MODEL}", api_base=base, messages=messages, timeout=LIMIT_S, max_retries=0
        )
        heard(answer.choices[0].message.content)

    return ask


class State(TypedDict):
    """Of the graph with one node."""

    text: str


def langgraph(base: str) -> Answer:
    """Plain LangGraph, whose node streams from ChatLiteLLM; the caller follows the tokens of the graph."""
    from langchain_litellm import ChatLiteLLM
    from langgraph.graph import END, START, StateGraph

    model = ChatLiteLLM(model=f"openai/{MODEL}", api_base=base, max_retries=1, request_timeout=LIMIT_S, streaming=True)

    async def write(_: State) -> dict[str, str]:
        return {"text": "".join([str(chunk.text) async for chunk in model.astream(QUESTION)])}

    node: Any = write
    graph = StateGraph(State)
    graph.add_node("write", node)
    graph.add_edge(START, "write")
    graph.add_edge("write", END)
    compiled: Any = graph.compile()

    async def ask(heard: Heard) -> None:
        async for message, _ in compiled.astream({"text": ""}, stream_mode="messages"):
            heard(str(message.text))

    return ask


def stemma(base: str, *, followed: bool) -> Answer:
    """The model client of Stemma, as generation-graph has it."""
    from langchain_core.messages import HumanMessage
    from stemma_models import Meter, ModelSettings, chat_model
    from stemma_models.client import ModelClient
    from stemma_models.records import Request

    settings = ModelSettings(name=f"openai/{MODEL}", api_base=base, call_limit=LIMIT_S, retries=0)
    client = ModelClient(chat_model(settings), settings)

    async def ask(heard: Heard) -> None:
        async def told(text: str) -> bool:
            heard(text)
            return followed

        await client.call(Request(settings.parameters, (HumanMessage(QUESTION),), [], None), Meter(), told)

    return ask


WAYS: dict[str, Callable[[str], Answer]] = {
    "httpx": bare_httpx,
    "openai": openai_sdk,
    "litellm": litellm_whole,
    "langgraph": langgraph,
    "followed": lambda base: stemma(base, followed=True),
    "unheard": lambda base: stemma(base, followed=False),
}


async def measure(ask: Answer, at_a_time: int, answers: int, begin_s: float) -> dict[str, float]:
    """Answers one after the other in so many tasks; they begin apart, as those of people do."""
    for _ in range(WARM):
        await _timed(ask)
    before, started = time.process_time(), time.perf_counter()
    tasks = (_some(ask, begin_s * n / at_a_time, answers // at_a_time) for n in range(at_a_time))
    found = [one for task in await asyncio.gather(*tasks) for one in task]
    seconds = sorted(one.seconds for one in found)
    return {
        "cpu_ms": (time.process_time() - before) / len(found) * 1000,
        "cores": (time.process_time() - before) / (time.perf_counter() - started),
        "seconds": median(seconds),
        "slow_s": seconds[int(len(seconds) * 0.99) - 1],
        "first_ms": median(one.first_s for one in found) * 1000,
        "memory_mb": _most_memory_mb(),
        "under_way": most_at_once([(one.started, one.started + one.seconds) for one in found]),
    }


def most_at_once(spans: list[tuple[float, float]]) -> int:
    """How many of some spans of time have a moment in common."""
    changes = sorted([*((begun, 1) for begun, _ in spans), *((ended, -1) for _, ended in spans)])
    return max(accumulate(change for _, change in changes))


def _most_memory_mb() -> float:
    """Not what the process had that began this one, as the operating system's own figure has it."""
    status = Path("/proc/self/status").read_text()
    return int(re.findall(r"VmHWM:\s+(\d+)", status)[0]) / 1024


@dataclass(frozen=True)
class Timed:
    """When an answer was asked for, and how long it and its first text took."""

    started: float
    seconds: float
    first_s: float


async def _some(ask: Answer, later_s: float, answers: int) -> list[Timed]:
    await asyncio.sleep(later_s)
    return [await _timed(ask) for _ in range(answers)]


async def _timed(ask: Answer) -> Timed:
    started, firsts, size = time.perf_counter(), list[float](), 0

    def heard(text: str) -> None:
        nonlocal size
        if text and not firsts:
            firsts.append(time.perf_counter() - started)
        size += len(text)

    await ask(heard)
    if size < 1000:
        raise AssertionError(f"an answer of {size} characters is not whole")
    return Timed(started, time.perf_counter() - started, firsts[0])


async def main(way: str, base: str, at_a_time: str, answers: str, begin_s: str) -> None:
    """Measure one way."""
    print(json.dumps(await measure(WAYS[way](base), int(at_a_time), int(answers), float(begin_s))))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
