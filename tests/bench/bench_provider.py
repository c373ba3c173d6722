"""What streams of a real provider cost: one process that asks, and whole documents; the provider is not measured."""

from __future__ import annotations

import asyncio
import json
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from statistics import mean

from bench_generation import OVER_HTTP
from bench_installation import HERE, ended, installation
from bench_report import by_name, row, target, title
from bench_workload import TENANT, caller, measure
from provider_client import MODEL
from provider_server import TOKENS
from stemma_contracts import subjects

WORDS = {
    "httpx": "bare httpx, a line and its JSON a token",
    "openai": "SDK of OpenAI",
    "litellm": "LiteLLM, an answer in one piece",
    "langgraph": "plain LangGraph + ChatLiteLLM",
    "followed": "Stemma, followed",
    "unheard": "Stemma, nobody listens",
}
RATE = 50
IDEAL_S = TOKENS / RATE
LATE = 1.10
AT_ONCE, AT_A_RATE = (1, 30), (10, 20)
"""So many at a time, and so many in all."""
QUICK_AT_ONCE, QUICK_AT_A_RATE = (1, 10), (10, 10)
CROWDS, QUICK_CROWDS = (64, 128, 200), (64,)
MOST_STREAMS = 200
CALLS, CALLS_RATE = 1000, 10
"""So many under way for a minute each: 10,000 chunks a second, as 200 streams give."""
QUICK_CALLS = 100

HTTPX_MS = {0: 9.0, RATE: 86.0}
"""CPU that bare httpx took for an answer, by the rate, when targets of 8 and of 30 ms were set (24 Nov 2026)."""
UNHEARD_MS, FOLLOWED_MS = 8.0, 30.0
"""These targets. What counts is their ratio to bare httpx in the same call: a machine is two to four times as fast on
one day as on another."""

Found = dict[str, float]


@asynccontextmanager
async def server() -> AsyncIterator[str]:
    """A provider in a process of its own, by its address."""
    command = sys.executable, str(HERE / "provider_server.py")
    process = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, start_new_session=True)
    async with ended(process):
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(await process.stdout.readline())}"


async def asked(address: str, way: str, rate: int, at_a_time: int, answers: int, begin_s: float = 1.0) -> Found:
    """What one process that asks in one way needs for an answer, the first of which begin within some seconds."""
    given = way, f"{address}/{rate}/v1", at_a_time, answers, begin_s
    command = str(HERE / "provider_client.py"), *map(str, given)
    process = await asyncio.create_subprocess_exec(
        sys.executable, *command, stdout=PIPE, stderr=asyncio.subprocess.DEVNULL, start_new_session=True
    )
    async with ended(process):
        output, _ = await process.communicate()
    found: Found = json.loads(output)
    return found


async def provider(quick: bool) -> None:
    """Answers at once and at 50 tokens a second, in every way; many at a time; documents."""
    async with server() as address:
        await _answers(address, 0, QUICK_AT_ONCE if quick else AT_ONCE)
        await _answers(address, RATE, QUICK_AT_A_RATE if quick else AT_A_RATE)
        await _crowds(address, QUICK_CROWDS if quick else CROWDS)
        await _calls(address, *((QUICK_CALLS, RATE) if quick else (CALLS, CALLS_RATE)))
        for rate in (0, RATE):
            await _documents(address, rate, quick)


async def _answers(address: str, rate: int, size: tuple[int, int]) -> None:
    title(f"a streamed answer of {TOKENS} tokens, {f'{rate} tokens a second' if rate else 'all at once'}")
    found: dict[str, Found] = {}
    for way in WORDS:
        found[way] = await asked(address, way, rate, *size)
        _show(WORDS[way], found[way])
    bare = [found["httpx"]["cpu_ms"], (await asked(address, "httpx", rate, *size))["cpu_ms"]]
    noise = max(bare) / min(bare) - 1
    followed, unheard = found["followed"]["cpu_ms"], found["unheard"]["cpu_ms"]
    beside = f"CPU beside bare httpx, {mean(bare):.1f} ms"
    at_most = {name: ms / HTTPX_MS[rate] for name, ms in (("unheard", UNHEARD_MS), ("followed", FOLLOWED_MS))}
    target(f"nobody listens, {beside}", unheard / mean(bare), at_most["unheard"], noise=noise)
    if rate:
        target(f"followed, {beside}", followed / mean(bare), 1.0, noise=noise)
    else:
        target(f"followed, {beside}", followed / mean(bare), at_most["followed"], noise=noise)
        target(
            "followed, CPU beside LangGraph + ChatLiteLLM", followed / found["langgraph"]["cpu_ms"], 0.2, noise=noise
        )


def _show(name: str, found: Found) -> None:
    token_us = found["cpu_ms"] * 1000 / TOKENS
    notes = f"{found['seconds']:.2f} s, first text after {found['first_ms']:.0f} ms, {found['memory_mb']:.0f} MB"
    row(name, f"{found['cpu_ms']:.1f} ms, {token_us:.0f} us/token", notes)


async def _crowds(address: str, sizes: tuple[int, ...]) -> None:
    title(f"streams at a time in one process, followed, {RATE} tokens a second: {IDEAL_S:.0f} s if nothing is late")
    for size in sizes:
        found = await asked(address, "followed", RATE, size, size)
        late = found["seconds"] / IDEAL_S
        row(f"{size} at a time", f"{late:.2f} of ideal", f"{found['memory_mb']:.0f} MB, {found['cores']:.2f} cores")
        if size == MOST_STREAMS:
            target(f"{size} streams, time beside the ideal", late, LATE)
            target(f"{size} streams, memory", found["memory_mb"], 350.0, " MB")


async def _calls(address: str, calls: int, rate: int) -> None:
    """They begin within half of their time, and so are all under way for the other half."""
    ideal_s = TOKENS / rate
    title(f"{calls} calls of {ideal_s:.0f} s under way in one process, streamed, nobody listens")
    found = await asked(address, "unheard", rate, calls, calls, ideal_s / 2)
    late = found["slow_s"] / ideal_s
    row("under way at once", f"{found['under_way']:.0f}", f"median {found['seconds'] / ideal_s:.2f} of ideal")
    notes = f"{found['memory_mb'] / calls:.2f} of each, {found['cores']:.2f} cores, {found['cpu_ms']:.1f} ms each"
    row("memory, MB", f"{found['memory_mb']:.0f}", notes)
    target(f"{calls} calls, time of all but the slowest hundredth beside the ideal", late, LATE)


async def _documents(address: str, rate: int, quick: bool) -> None:
    """The five services; while nobody follows, and while somebody follows all documents."""
    at_a_time, runs = (4, 4) if rate else (16, 16 if quick else 64)
    title(f"documents, {at_a_time} at a time, {f'{rate} tokens a second' if rate else 'answers at once'}")
    name = f"openai/{MODEL}"
    own = {"STEMMA_GENERATION_GRAPH_MODEL": name, "STEMMA_GENERATION_GRAPH_API_BASE": f"{address}/{rate}/v1"}
    async with installation(OVER_HTTP, env=own) as running, caller(running) as calling:
        await measure(running, calling, 1, 1)
        for followed in (False, True):
            if followed:
                await calling.nats.subscribe(subjects.live(TENANT, subjects.ANY, subjects.ANY), cb=_heard)
            found = await measure(running, calling, at_a_time, runs)
            words = "followed" if followed else "nobody follows"
            row(words, f"{found.per_s:.2f} /s, one {found.one_s:.2f} s", f"CPU ms of one: {by_name(found.cpu_ms)}")
        row("memory of generation-graph", f"{running.memory_mb()[subjects.GENERATION]:.0f} MB")


async def _heard(_: object) -> None:
    return None
