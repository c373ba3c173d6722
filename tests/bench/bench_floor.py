"""What a run cannot cost less than: its messages by bare nats-py and nothing else, beside the graph on plain LangGraph.

The messages are those that a document of the workload stores, whatever the services do with them. They are stored, and
where somebody has to hear of them delivered and acknowledged; nothing is fetched, decided, linted or looked up. Then
the same with handlers of FastStream that do nothing, and with the check of each draft, without bus and store.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import nats
import psutil
from bench_checks import checks_of_a_run
from bench_report import row, title
from bench_runs import plain_langgraph
from faststream.message import StreamMessage
from faststream.nats import NatsBroker
from faststream.security import SASLPlaintext
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.js.api import ConsumerConfig, RetentionPolicy, StreamConfig
from stemma_cli.local.supervisor import LocalStemma
from stemma_provisioning import PROVISIONER, inbox_prefix

QUEUES = ("requests", "jobs", "outcomes")
"""What is gone once it is acknowledged; all else is kept."""
READERS = {"requests": 1, "jobs": 1, "outcomes": 1, "events": 2}
"""How many hear of each message: of events the read models and the notifier."""
STEP = ("jobs", "records", "artifacts", "artifacts", "outcomes", "events")
STEPS, SECTIONS = 16, 8
MESSAGES = ("requests", "events", "answers", *STEP * STEPS, *("views",) * (SECTIONS + 1), "artifacts", "events")
"""Of one document, in order."""
BODY = b"x" * 1024
AT_A_TIME = 64
RUNS, QUICK_RUNS = 256, 64
CORES = 2
SLOW_MS = 200
WITHIN_S = 120

Handle = Callable[[Msg], Awaitable[None]]
Hearing = Callable[[str, Handle], Awaitable[None]]
Who = Mapping[str, Any]
Hear = Callable[[Who, Client], AbstractAsyncContextManager[Hearing]]


async def floor_of_a_run(quick: bool) -> None:
    """CPU of the messages and of the graph, and how many runs that leaves room for."""
    runs = QUICK_RUNS if quick else RUNS
    title(f"the floor of a run: {len(MESSAGES)} messages by bare nats-py, and plain LangGraph ({AT_A_TIME} at a time)")
    client_ms, server_ms = await _messages(runs, _bare)
    handled_ms, _ = await _messages(runs, _by_faststream)
    checks_ms = await checks_of_a_run(runs)
    peer = await plain_langgraph(0, AT_A_TIME, runs)
    slow = await plain_langgraph(SLOW_MS, AT_A_TIME, runs)
    row("CPU of the messages: client, server", f"{client_ms:.0f} ms, {server_ms:.0f} ms")
    row("CPU of the graph, plain LangGraph with SQLite", f"{peer['cpu_ms']:.0f} ms")
    _show("messages and graph", client_ms + server_ms + peer["cpu_ms"], peer, slow)
    row("handlers of FastStream that do nothing", f"{handled_ms - client_ms:.0f} ms more")
    row("the checks of its drafts, without bus and store", f"{checks_ms:.0f} ms")
    _show("all of these", handled_ms + server_ms + checks_ms + peer["cpu_ms"], peer, slow)


def _show(what: str, floor_ms: float, peer: Mapping[str, float], slow: Mapping[str, float]) -> None:
    most = CORES * 1000 / floor_ms
    row(what, f"{floor_ms:.0f} ms", f"{CORES} cores do at most {most:.1f} runs/s")
    row(
        f"  of plain LangGraph's runs, calls of 0, {SLOW_MS} ms",
        f"{most / peer['per_s']:.2f}, {most / slow['per_s']:.2f}",
    )


async def _messages(runs: int, hear: Hear) -> tuple[float, float]:
    """CPU milliseconds of a document's messages: in the client, which sends and hears all, and in the server."""
    with tempfile.TemporaryDirectory(prefix="stemma-bench-") as folder:
        async with LocalStemma(Path(folder) / "data", services=()) as stemma:
            password, prefix = stemma.password(PROVISIONER), inbox_prefix(PROVISIONER)
            who = {"servers": stemma.url, "user": PROVISIONER, "password": password, "inbox_prefix": prefix}
            client = await nats.connect(**who)
            try:
                async with hear(who, client) as hearing:
                    return await _measured(client, psutil.Process(stemma.nats.pid), runs, hearing)
            finally:
                await client.close()


@asynccontextmanager
async def _bare(_who: Who, client: Client) -> AsyncIterator[Hearing]:
    """By nats-py itself."""

    async def hear(where: str, handle: Handle) -> None:
        await client.subscribe(where, cb=handle)

    yield hear


@asynccontextmanager
async def _by_faststream(who: Who, _client: Client) -> AsyncIterator[Hearing]:
    """By FastStream's broker, whose handlers get messages as they are."""
    security = SASLPlaintext(who["user"], who["password"])
    prefix = who["inbox_prefix"]
    broker = NatsBroker(who["servers"], security=security, inbox_prefix=prefix, apply_types=False, logger=None)

    async def as_it_is(message: StreamMessage[Msg]) -> Msg:
        message.raw_message._ackd = False  # to FastStream it is none of a consumer, and has been acknowledged
        return message.raw_message

    async def hear(where: str, handle: Handle) -> None:
        subscriber = broker.subscriber(where, decoder=as_it_is)
        subscriber(handle)
        await subscriber.start()

    async with broker:
        yield hear


async def _measured(client: Client, server: psutil.Process, runs: int, hearing: Hearing) -> tuple[float, float]:
    heard = Heard()
    await _provision(client, heard, hearing)
    before = time.process_time(), sum(server.cpu_times()[:2])
    await _documents(client, runs)
    await heard.documents(runs)
    after = time.process_time(), sum(server.cpu_times()[:2])
    client_ms, server_ms = ((late - early) / runs * 1000 for early, late in zip(before, after, strict=True))
    return client_ms, server_ms


class Heard:
    """Acknowledges what is delivered, and knows when that was all."""

    def __init__(self) -> None:
        self._messages = 0
        self._more = asyncio.Event()

    async def acknowledge(self, message: Msg) -> None:
        """As a reader of a consumer does."""
        await message.ack()
        self._messages += 1
        self._more.set()

    async def documents(self, number: int) -> None:
        """Wait until those of so many documents were heard."""
        async with asyncio.timeout(WITHIN_S):
            while self._messages < number * sum(READERS.get(kind, 0) for kind in MESSAGES):
                self._more.clear()
                await self._more.wait()


async def _provision(client: Client, heard: Heard, hear: Hearing) -> None:
    """A stream for each kind of message, and a consumer that is pushed to for each of its readers."""
    jetstream = client.jetstream(timeout=30)
    for kind in dict.fromkeys(MESSAGES):
        retention = RetentionPolicy.WORK_QUEUE if kind in QUEUES else RetentionPolicy.LIMITS
        name = f"FLOOR_{kind}"
        await jetstream.add_stream(StreamConfig(name=name, subjects=[f"floor.{kind}.>"], retention=retention))
        for number in range(READERS.get(kind, 0)):
            where = f"floor-{kind}-{number}"
            await hear(where, heard.acknowledge)
            await jetstream.add_consumer(name, ConsumerConfig(durable_name=where, deliver_subject=where))


async def _documents(client: Client, runs: int) -> None:
    jetstream, limit = client.jetstream(timeout=30), asyncio.Semaphore(AT_A_TIME)

    async def one(number: int) -> None:
        async with limit:
            for place, kind in enumerate(MESSAGES):
                await jetstream.publish(f"floor.{kind}.{number}.{place}", BODY)

    await asyncio.gather(*(one(number) for number in range(runs)))
