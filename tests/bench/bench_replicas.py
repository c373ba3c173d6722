"""One, two and four processes of each service beside the model on paper, and what that says of larger fleets.

What a document takes is measured with one process of each service. The model predicts the other runs from it, with as
many cores as other programs leave; then fleets that are not here.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import time
from asyncio.subprocess import PIPE
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

import psutil
from bench_installation import Installation, installation
from bench_report import by_name, row, title
from bench_runs import FEW, stored_by
from bench_workload import Caller, Measured, caller, measure
from fleet_model import CALLER, CORES, Disk, Document, Fleet, Limit, cores_for, limits, what_then
from nats.js import JetStreamContext

PROCESSES = (1, 2, 4)
FLEETS = (1, 2, 4, 8, 16, 32, 64)
CALLS = 16
SLOTS, CALL_S = 4, 0.3
LEARNED_FROM = 2
"""What further processes add is learned from so many; runs with more are predicted."""
IDLE_S = 5.0
REAL_CALL_S = 20.0
AT_A_TIME, RUNS, QUICK_RUNS = 32, 96, 32
PUBLISHED, STREAMS = 4000, 8
TRACED = 4
_SYNCS = re.compile(r"^ *\S+ +\S+ +\d+ +(\d+) .*f(?:data)?sync$", re.MULTILINE)
"""The column of calls in what strace counts."""


@dataclass(frozen=True)
class Run:
    """Documents a second, what one took by service and of the caller, and the cores that others left."""

    per_s: float
    cpu_ms: Mapping[str, float]
    cores: float


async def replicas(quick: bool) -> None:
    """Everything, in one go."""
    document, disk = await _one_document(quick)
    title("processes of each service, calls of 0 ms: as many as the cores can")
    for number in PROCESSES:
        async with _fleet(number) as (running, calling):
            idle = await _idle(running)
            _, sent = await stored_by(running.admin.jetstream(timeout=30), calling)
            found = await _run(running, calling, AT_A_TIME, QUICK_RUNS if quick else RUNS)
        document = _learned(document, found) if number == LEARNED_FROM else document
        _compare(number, found, document, Fleet(number, found.cores), disk)
        words = f"{sum(messages for messages, _ in sent.values())} messages of one document on the bus"
        row("  cores that they take while they wait", f"{idle:.2f}", words)
    title(f"processes of each service, {SLOTS} slots each, calls of {CALL_S * 1000:.0f} ms: as many as the calls can")
    for number in PROCESSES:
        async with _fleet(number, CALL_S) as (running, calling):
            found = await _run(running, calling, AT_A_TIME * number, (QUICK_RUNS if quick else RUNS) * number)
        _compare(number, found, document, Fleet(number, found.cores, SLOTS, CALL_S), disk)
    _larger(document, disk, 0.0)
    _larger(document, disk, REAL_CALL_S)


@asynccontextmanager
async def _fleet(processes: int, call_s: float = 0.0) -> AsyncIterator[tuple[Installation, Caller]]:
    env = {"STEMMA_GENERATION_GRAPH_SLOTS": str(SLOTS)} if call_s else {}
    async with (
        installation(milliseconds=int(call_s * 1000), env=env, processes=processes) as running,
        caller(running) as calling,
    ):
        await measure(running, calling, 1, FEW)
        yield running, calling


async def _one_document(quick: bool) -> tuple[Document, Disk]:
    """What one document takes of each part, and what the disk can do."""
    title("what one document takes, with one process of each service")
    async with _fleet(1) as (running, calling):
        jetstream = running.admin.jetstream(timeout=30)
        stored, sent = await stored_by(jetstream, calling)
        found = await _run(running, calling, AT_A_TIME, QUICK_RUNS if quick else RUNS)
        syncs = await _syncs(running, calling)
        disk = await _disk(jetstream)
    document = Document(found.cpu_ms, stored, CALLS)
    number, size = (sum(of_one[place] for of_one in sent.values()) for place in (0, 1))
    row("messages stored", f"{sum(stored.values())}", by_name({name: float(n) for name, n in stored.items()}))
    row("messages on the bus, with replies; KiB with headers", f"{number}; {size / 1024:.0f}")
    row("syncs of the server, counted by strace", syncs)
    row("CPU ms", f"{document.all_cpu_ms():.0f}", by_name(dict(document.cpu_ms)))
    row("stored and synced: one stream, eight streams", f"{disk.one_stream:.0f}, {disk.all_streams:.0f} /s")
    return document, disk


async def _run(running: Installation, calling: Caller, at_a_time: int, runs: int) -> Run:
    """Documents, and what else took cores meanwhile."""
    busy, own, began = _busy_s(), time.process_time(), time.perf_counter()
    found = await measure(running, calling, at_a_time, runs)
    wall, own = time.perf_counter() - began, time.process_time() - own
    cpu_ms = {**_by_service(found), CALLER: own / runs * 1000}
    others = (_busy_s() - busy) - sum(cpu_ms.values()) * runs / 1000
    return Run(found.per_s, cpu_ms, (os.cpu_count() or 1) - max(0.0, others) / wall)


async def _idle(running: Installation) -> float:
    """Cores that everything takes while nobody asks for anything."""
    before = sum(running.cpu_seconds().values())
    await asyncio.sleep(IDLE_S)
    return (sum(running.cpu_seconds().values()) - before) / IDLE_S


def _learned(document: Document, found: Run) -> Document:
    """What each process after the first adds to the CPU of a document."""
    more = {name: max(0.0, found.cpu_ms[name] - cpu) for name, cpu in document.cpu_ms.items()}
    return replace(document, more_ms={name: value / (LEARNED_FROM - 1) for name, value in more.items()})


def _busy_s() -> float:
    """Core seconds that were used on this machine, or taken from it."""
    times = psutil.cpu_times()
    return float(times.user + times.nice + times.system + getattr(times, "steal", 0.0))


def _by_service(found: Measured) -> dict[str, float]:
    """All processes of a service together."""
    cpu_ms: dict[str, float] = defaultdict(float)
    for name, value in found.cpu_ms.items():
        cpu_ms[name.partition(" ")[0]] += value
    return dict(cpu_ms)


def _compare(number: int, found: Run, document: Document, fleet: Fleet, disk: Disk) -> None:
    first, *_ = limits(document, fleet, disk)
    words = f"predicted {first.per_s:.2f} by {first.part}, {found.per_s / first.per_s:.2f} of it"
    row(f"{number} of each: documents a second", f"{found.per_s:.2f}", words)
    words = f"{by_name(dict(found.cpu_ms))}; others left {found.cores:.1f} cores"
    row("  CPU ms per document, all processes", f"{sum(found.cpu_ms.values()):.0f}", words)


async def _syncs(running: Installation, calling: Caller) -> str:
    """How often the server waits for its disk for one document, where that can be counted."""
    strace = shutil.which("strace")
    if strace is None:
        return "no strace"
    command = [strace, "-f", "-c", "-e", "trace=fsync,fdatasync", "-p", str(running.stemma.nats.pid)]
    tracing = await asyncio.create_subprocess_exec(*command, stderr=PIPE, start_new_session=True)
    assert tracing.stderr is not None
    await tracing.stderr.readline()  # it is attached
    for _ in range(TRACED):
        await calling.run()
    if tracing.returncode is None:
        tracing.send_signal(signal.SIGINT)
    counted = (await tracing.stderr.read()).decode()
    await tracing.wait()
    return f"{sum(map(int, _SYNCS.findall(counted))) / TRACED:.0f}"


async def _disk(jetstream: Any) -> Disk:
    """Messages of 1 KiB a second, in one stream and in several at the same time."""
    found = []
    for streams in (1, STREAMS):
        found.append(await _stored_in(jetstream, streams))
    return Disk(*found)


async def _stored_in(jetstream: Any, streams: int) -> float:
    names = [f"bench{streams}x{number}" for number in range(streams)]
    for name in names:
        await jetstream.add_stream(name=name, subjects=[f"{name}.>"])
    began = time.perf_counter()
    await asyncio.gather(*(published(jetstream, 64, PUBLISHED // streams, name) for name in names))
    rate = PUBLISHED / (time.perf_counter() - began)
    for name in names:
        await jetstream.delete_stream(name)
    return rate


def _larger(document: Document, disk: Disk, call_s: float) -> None:
    """Fleets that are not here, with cores enough: what limits them, and what comes next."""
    here = replace(document, cpu_ms={name: cpu for name, cpu in document.cpu_ms.items() if name != CALLER})
    title(f"on paper: fleets with cores enough, default slots, calls of {call_s:g} s")
    for number in FLEETS:
        first, second, *_ = _without_cores(limits(here, Fleet(number, 1, call_s=call_s), disk))
        words = f"by {first.part}: {what_then(first.part)}; then {second.part} at {second.per_s:.1f}"
        value = f"{first.per_s:.2f} /s, {first.per_s * 3600:.0f} /h"
        row(f"{number} of each, which takes {cores_for(here, first.per_s, number):.1f} cores", value, words)


def _without_cores(found: list[Limit]) -> list[Limit]:
    return [limit for limit in found if limit.part != CORES]


async def published(jetstream: JetStreamContext, at_a_time: int, number: int, stream: str = "bench") -> float:
    """Seconds until so many messages of 1 KiB are stored."""
    limit, body = asyncio.Semaphore(at_a_time), b"x" * 1024

    async def one(n: int) -> None:
        async with limit:
            await jetstream.publish(f"{stream}.{n % 100}", body)

    started = asyncio.get_running_loop().time()
    await asyncio.gather(*(one(n) for n in range(number)))
    return asyncio.get_running_loop().time() - started
