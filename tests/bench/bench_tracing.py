"""What tracing costs: the same documents with and without an exporter, in turns; the receiver drops what it gets."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from statistics import median

from bench_installation import installation
from bench_report import row, title
from bench_workload import Measured, caller, measure

TURNS = 3
AT_A_TIME = 16
RUNS = 48


async def tracing(quick: bool) -> None:
    """Rounds without and with the exporter, in turns; their CPU is compared, which other load disturbs least."""
    title("tracing")
    async with _dropping_receiver() as endpoint:
        turns = range(1 if quick else TURNS)
        rounds = [(await _round({}), await _round({"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint})) for _ in turns]
    off, on = ([turn[number] for turn in rounds] for number in (0, 1))
    for name, found in (("off", off), ("on", on)):
        words = f"{median(one.per_s for one in found):.1f} /s"
        row(f"{AT_A_TIME} at a time, tracing {name}", words, f"CPU {_cpu(found):.0f} ms")
    row("lost by tracing, CPU per run", f"{1 - _cpu(off) / _cpu(on):.0%}", "under 15 %")


def _cpu(found: Sequence[Measured]) -> float:
    """The least disturbed round: what else the machine does adds to the CPU of a run and never takes away."""
    return min(one.all_cpu_ms for one in found)


async def _round(env: dict[str, str]) -> Measured:
    async with installation(milliseconds=200, env=env) as running, caller(running) as calling:
        await measure(running, calling, AT_A_TIME, AT_A_TIME)
        return await measure(running, calling, AT_A_TIME, RUNS)


@asynccontextmanager
async def _dropping_receiver() -> AsyncIterator[str]:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                fields = dict(line.split(b": ", 1) for line in head.lower().split(b"\r\n")[1:] if b": " in line)
                await reader.readexactly(int(fields[b"content-length"]))
                writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
