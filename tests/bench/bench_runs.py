"""Whole documents: seconds of one, documents per second, CPU of one, against plain LangGraph."""

import asyncio
import json
import sys
import tempfile
from collections.abc import Sequence

from bench_installation import HERE, ended, installation
from bench_report import by_name, row, title
from bench_workload import Measured, caller, measure

RUNS = {1: 10, 16: 64, 64: 256}
"""Four times as many as run at a time: the first and the last, which have the machine for themselves, weigh little."""
ROUNDS = {64: 3}
"""The best counts: what else the machine does takes away and never adds."""
QUICK_RUNS = {1: 3, 16: 32, 64: 64}
FEW = 3

Rounds = Sequence[tuple[Measured, dict[str, float]]]


async def rates(milliseconds: int, quick: bool) -> None:
    """Documents at 1, 16 and 64 at a time, nobody reviewing; then each section approved as it comes."""
    title(f"documents, model calls of {milliseconds} ms (8 sections, 16 calls, real lint and artifacts)")
    sizes = QUICK_RUNS if quick else RUNS
    async with installation(milliseconds=milliseconds) as running, caller(running) as calling:
        await measure(running, calling, 1, FEW)
        for at_a_time, runs in sizes.items():
            rounds = range(1 if quick else ROUNDS.get(at_a_time, 1))
            found = [
                (await measure(running, calling, at_a_time, runs), await plain_langgraph(milliseconds, at_a_time, runs))
                for _ in rounds
            ]
            best = max((ours for ours, _ in found), key=lambda ours: ours.per_s)
            _show(f"{at_a_time} at a time", best)
            _show_langgraph(max((peer for _, peer in found), key=lambda peer: peer["per_s"]), best)
            if len(found) > 1:
                row("  all rounds, Stemma / LangGraph", _rounds(found))
        reviewed = await measure(running, calling, 16, sizes[16], "human")
        _show("16 at a time, each section approved as it comes", reviewed)


def _show(name: str, found: Measured) -> None:
    row(name, f"{found.per_s:.1f} /s, one {found.one_s:.2f} s", _others(found))
    row("  CPU ms per run, all processes", f"{found.all_cpu_ms:.0f}", by_name(found.cpu_ms))


def _others(found: Measured) -> str:
    return f"other machines took {found.stolen:.1f} cores" if found.stolen >= 0.05 else ""


def _show_langgraph(peer: dict[str, float], ours: Measured) -> None:
    words = f"{peer['per_s']:.1f} /s, one {peer['one_s']:.2f} s"
    ratio = f"Stemma has {ours.per_s / peer['per_s']:.2f} of its runs"
    row("  plain LangGraph, SQLite", words, f"{ratio}; CPU per run {peer['cpu_ms']:.0f} ms")


def _rounds(found: Rounds) -> str:
    return ", ".join(f"{ours.per_s:.1f} / {peer['per_s']:.1f}" for ours, peer in found)


async def plain_langgraph(milliseconds: int, at_a_time: int, runs: int) -> dict[str, float]:
    """The same work on plain LangGraph: runs per second, seconds of one, CPU milliseconds of a run."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, str(HERE / "bench_langgraph.py"), *map(str, (milliseconds, at_a_time, runs)), folder]
        process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE, start_new_session=True)
        async with ended(process):
            output, _ = await process.communicate()
    found: dict[str, float] = json.loads(output)
    return found
