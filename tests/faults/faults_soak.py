"""Two replicas of everything, of which one is killed and one is stopped again and again, and what is seen of them."""

from __future__ import annotations

import asyncio
import signal
import time
from asyncio.subprocess import Process
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import quantiles

import psutil
from faults_here import as_user
from faults_people import Asked
from faults_replicas import replica
from nats.js import JetStreamContext
from nats.js.api import StreamState
from stemma_client import Client, RecordedEvent
from stemma_contracts import subjects
from stemma_contracts.v1 import events as e
from stemma_local.environment import CALL_MODELS
from stemma_local.supervisor import LocalStemma
from stemma_messaging.dead import ERROR, REASON
from stemma_provisioning import PROVISIONER
from stemma_testkit.model_server import ModelServer
from stemma_testkit.servers import eventually

ACK_WAIT_S = 2
STOPPED_S = 3.0 * ACK_WAIT_S
BETWEEN_S = (1.0, 5.0)
QUEUES = (subjects.REQUESTS, subjects.JOBS, subjects.OUTCOMES)
HANDLED_WITHIN_S = 300.0
MEGABYTE = 1024 * 1024
Sample = Mapping[str, tuple[float, int]]
"""Memory in megabytes and the number of descriptors, by service."""


@dataclass
class Replicas:
    """Two of each service. ``recoveries`` are the seconds until all that waited at a kill or a stop was handled."""

    stemma: LocalStemma
    second: Mapping[str, Process]
    jetstream: JetStreamContext
    kills: int = 0
    stops: int = 0
    recoveries: list[float] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)

    async def disturb(self, random: Random) -> None:
        """Kill the first replica of a service, or stop the second one past its lease, until cancelled."""
        while True:
            await asyncio.sleep(random.uniform(*BETWEEN_S))
            name = random.choice(subjects.SERVICES)
            recovering = asyncio.create_task(self._recover([state.last_seq for state in await self._queues()]))
            if random.random() < 0.5:
                self.kills += 1
                self.stemma.services[name].kill()
            else:
                self.stops += 1
                await _stopped(self.second[name])
            await recovering

    async def _recover(self, waiting: Sequence[int]) -> None:
        began = time.monotonic()

        async def are_handled() -> bool:
            return all(state.first_seq > last for state, last in zip(await self._queues(), waiting, strict=True))

        await eventually(are_handled, HANDLED_WITHIN_S)
        self.recoveries.append(time.monotonic() - began)

    async def _queues(self) -> list[StreamState]:
        return [(await self.jetstream.stream_info(queue)).state for queue in QUEUES]

    async def measure(self, every_s: float) -> None:
        """Look at memory and descriptors of the second replicas, which live as long as the soak, until cancelled."""
        processes = {name: psutil.Process(process.pid) for name, process in self.second.items()}
        while True:
            self.samples.append(
                {name: (one.memory_info().rss / MEGABYTE, one.num_fds()) for name, one in processes.items()}
            )
            await asyncio.sleep(every_s)


async def _stopped(process: Process) -> None:
    process.send_signal(signal.SIGSTOP)
    try:
        await asyncio.sleep(STOPPED_S)
    finally:
        process.send_signal(signal.SIGCONT)


@asynccontextmanager
async def two_of_everything(folder: Path, model: ModelServer) -> AsyncIterator[Replicas]:
    """An installation whose services call the model over HTTP."""
    of_each = {name: _calling(name, model) if name in CALL_MODELS else {} for name in subjects.SERVICES}
    async with AsyncExitStack() as stack:
        stemma = await stack.enter_async_context(LocalStemma(folder, ack_wait_s=ACK_WAIT_S, env=of_each))
        everything = await stack.enter_async_context(as_user(stemma, PROVISIONER))
        second = {
            name: await stack.enter_async_context(replica(stemma, f"{name}-2", own, name))
            for name, own in of_each.items()
        }
        yield Replicas(stemma, second, everything.jetstream(timeout=10))


def _calling(service: str, model: ModelServer) -> dict[str, str]:
    prefix = f"STEMMA_{service.upper().replace('-', '_')}_"
    return {f"{prefix}MODEL": "openai/offline", f"{prefix}API_BASE": model.base, "OPENAI_API_KEY": "none"}


@dataclass
class Found:
    """What the log and the streams tell in the end."""

    doubled: int = 0
    completed: int = 0
    superseded: int = 0
    dead: int = 0
    unexplained: int = 0
    records: int = 0

    async def look(self, client: Client, jetstream: JetStreamContext, documents: Sequence[str]) -> None:
        """Read all of it."""
        for document_id in documents:
            history = await client.history(document_id)
            self.doubled += sum(_doubled(history))
            self.superseded += sum(isinstance(one.contract, e.OutcomeSuperseded) for one in history)
            self.completed += any(isinstance(one.contract, e.DocumentCompleted) for one in history)
        answers = (await jetstream.stream_info(subjects.ANSWERS, subjects_filter=">")).state
        self.doubled += sum(number - 1 for number in (answers.subjects or {}).values())
        self.records = (await jetstream.stream_info(subjects.RECORDS)).state.messages
        self.dead = (await jetstream.stream_info(subjects.DEAD)).state.last_seq
        letters = [await jetstream.get_msg(subjects.DEAD, number) for number in range(1, self.dead + 1)]
        told = [letter.headers or {} for letter in letters]
        self.unexplained = sum(not (headers.get(REASON) and headers.get(ERROR)) for headers in told)


def _doubled(history: Sequence[RecordedEvent]) -> Iterator[int]:
    """How often an event of one id, or of one number, or a draft of one version is there once more."""
    versions = [one.contract for one in history if isinstance(one.contract, e.SectionDrafted)]
    for names in (
        [one.envelope.id for one in history],
        [one.envelope.sequence for one in history],
        [(draft.section_id, draft.version) for draft in versions],
    ):
        yield sum(number - 1 for number in Counter[object](names).values())


def table(minutes: float, asked: Asked, found: Found, replicas: Replicas, model: ModelServer) -> str:
    """All that was seen, a line each, and memory and descriptors by service and minute."""
    recovered = sorted(replicas.recoveries) or [0.0]
    marks = quantiles(recovered, n=100) if len(recovered) > 1 else recovered * 99
    rows = {
        "minutes": f"{minutes:g}",
        "kills, stops": f"{replicas.kills}, {replicas.stops}",
        "documents (completed)": f"{len(asked.documents)} ({found.completed})",
        "requests (refused)": f"{asked.requests} ({asked.refused})",
        "lost": len(asked.lost),
        "doubled": found.doubled,
        "stuck": len(set(asked.documents) - asked.ended),
        "dead letters (unexplained)": f"{found.dead} ({found.unexplained})",
        "outcomes that came too late": found.superseded,
        "calls": model.total,
        "calls paid again, or cut off": model.total - found.records,
        "recovery p50, p99": f"{marks[49]:.1f} s, {marks[98]:.1f} s",
    }
    lines = [f"{name:30} {value}" for name, value in rows.items()]
    for name in replicas.second:
        told = (f"{memory:.0f}/{descriptors}" for memory, descriptors in (one[name] for one in replicas.samples))
        lines.append(f"{name:30} {' '.join(told)}")
    return "\n".join(["", *lines, "(of each service: megabytes/descriptors of the replica that is stopped, by minute)"])
