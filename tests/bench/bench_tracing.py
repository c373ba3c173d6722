"""What tracing costs: two installations side by side, one with an exporter, work in turns; what is sent is dropped."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from statistics import median

from bench_installation import Installation, installation
from bench_report import row, spread, target, title
from bench_workload import Caller, Measured, caller, measure

TURNS = 16
QUICK_TURNS = 6
AT_A_TIME = 16
RUNS = 16

Side = tuple[Installation, Caller]


async def tracing(quick: bool) -> None:
    """Rounds without and with the exporter; their CPU is compared, which other load disturbs least."""
    title("tracing")
    async with AsyncExitStack() as stack:
        endpoint = await stack.enter_async_context(_dropping_receiver())
        off = await _side(stack, {})
        on = await _side(stack, {"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint})
        turns = range(QUICK_TURNS if quick else TURNS)
        rounds = [(await _round(off), await _round(on)) for _ in turns]
    without, traced = ([turn[number] for turn in rounds] for number in (0, 1))
    for name, found in (("off", without), ("on", traced)):
        row(f"{AT_A_TIME} at a time, tracing {name}", f"{_per_s(found):.1f} /s", f"CPU {_cpu(found):.0f} ms")
    row("lost by tracing, runs per second", f"{1 - _per_s(traced) / _per_s(without):.0%}")
    noise = spread([_cpu(without[::2]), _cpu(without[1::2])])
    target("CPU of a run with tracing, beside one without", _cpu(traced) / _cpu(without), 1.08, noise=noise)


def _per_s(found: Sequence[Measured]) -> float:
    return median(one.per_s for one in found)


def _cpu(found: Sequence[Measured]) -> float:
    """The least disturbed round: what else the machine does adds to the CPU of a run and never takes away."""
    return min(one.all_cpu_ms for one in found)


async def _side(stack: AsyncExitStack, env: Mapping[str, str]) -> Side:
    running = await stack.enter_async_context(installation(milliseconds=200, env=env))
    calling = await stack.enter_async_context(caller(running))
    await measure(running, calling, AT_A_TIME, 2 * RUNS)
    return running, calling


async def _round(side: Side) -> Measured:
    running, calling = side
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
