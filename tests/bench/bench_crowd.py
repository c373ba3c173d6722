"""A crowd of documents in flight, each a chain of slow calls: by how much they are late.

The chain is three sections of the proposal, of which each waits for the one before it; a document so has one call at a
time. The documents are asked for evenly over two calls, for so many people do not ask in the same second.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from statistics import median

from bench_installation import Installation, installation
from bench_operations import SECTIONS
from bench_report import by_name, row, target, title
from bench_workload import Caller, caller

CHAIN = SECTIONS[:3]
CALL_S = 20.0
DOCUMENTS, QUICK_DOCUMENTS = 1000, 200
LATE = 1.10
ASKED_OVER = 2
"""Calls in whose time all are asked for."""
SETTINGS = {
    "STEMMA_GENERATION_GRAPH_SLOTS": "1024",
    "STEMMA_ORCHESTRATOR_BULK_FROM_OPEN_JOBS": "10000",
    "STEMMA_ORCHESTRATOR_MAX_OPEN_JOBS": "10000",
}
"""The crowd is the only work of its installation: as shipped it would be held back for the sake of others."""


@dataclass(frozen=True)
class Crowd:
    """``calls`` of ``call_s`` seconds, one after the other, are the ideal time of each document."""

    documents: int
    calls: int
    call_s: float

    @property
    def ideal_s(self) -> float:
        """How long a document takes of which nothing but its calls takes time."""
        return self.calls * self.call_s


@dataclass(frozen=True)
class Found:
    """Seconds of each document, and megabytes of all processes by name: before, and while all are in flight."""

    seconds: list[float]
    before_mb: dict[str, float]
    in_flight_mb: dict[str, float]
    cpu_ms: dict[str, float]

    def late(self, ideal_s: float) -> float:
        """The time of all but the slowest hundredth, as a part of the ideal."""
        return sorted(self.seconds)[int(len(self.seconds) * 0.99) - 1] / ideal_s

    def mb_each(self) -> dict[str, float]:
        """What a document takes in each process."""
        return {name: (mb - self.before_mb[name]) / len(self.seconds) for name, mb in self.in_flight_mb.items()}


async def crowd(quick: bool) -> None:
    """Documents whose calls take their time."""
    size = Crowd(QUICK_DOCUMENTS if quick else DOCUMENTS, 2 * len(CHAIN), CALL_S)
    title(f"{size.documents} documents in flight, {size.calls} calls of {CALL_S:.0f} s each")
    async with installation(milliseconds=int(CALL_S * 1000), env=SETTINGS) as running, caller(running) as calling:
        _show(await in_flight(running, calling, size), size)


async def in_flight(running: Installation, calling: Caller, size: Crowd) -> Found:
    """The documents of a crowd, from the first request to the end of the last of them."""
    await calling.run(sections=CHAIN[:1])
    memory, cpu = running.memory_mb(), running.cpu_seconds()
    spread_s = ASKED_OVER * size.call_s
    tasks = [asyncio.create_task(_one(calling, spread_s * number / size.documents)) for number in range(size.documents)]
    # The last of them has its first call under way, and the first of them is not at its end yet.
    await asyncio.sleep((spread_s + size.ideal_s) / 2)
    ended = sum(task.done() for task in tasks)
    if ended:
        raise AssertionError(f"{ended} documents ended before all were in flight")
    peak = running.memory_mb()
    seconds = await asyncio.gather(*tasks)
    after = running.cpu_seconds()
    cpu_ms = {name: (after[name] - cpu[name]) / size.documents * 1000 for name in cpu}
    return Found(list(seconds), memory, peak, cpu_ms)


async def _one(calling: Caller, later_s: float) -> float:
    await asyncio.sleep(later_s)
    return (await calling.run(sections=CHAIN))[1]


def _show(found: Found, size: Crowd) -> None:
    words = f"median {median(found.seconds):.1f} s, slowest {max(found.seconds):.1f} s"
    row("a document", f"ideal {size.ideal_s:.0f} s", words)
    row("CPU ms of one", f"{sum(found.cpu_ms.values()):.0f}", by_name(found.cpu_ms))
    each = found.mb_each()
    row("memory of one, MB", f"{sum(each.values()):.2f}", by_name(each, 2))
    target(f"{size.documents} in flight, time beside the ideal", found.late(size.ideal_s), LATE)
