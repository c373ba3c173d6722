"""Installations whose services and servers are killed and stopped while they are at work.

Of two replicas of a service one is killed and one is stopped; of NATS and PostgreSQL there is one, which has both.
"""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Literal, NamedTuple

import psutil
from faults_here import as_user, replica
from nats.errors import Error as NatsError
from nats.js import JetStreamContext
from nats.js.api import StreamState
from stemma_cli.local.supervisor import ALL, CALL_MODELS, LocalStemma
from stemma_contracts import subjects
from stemma_provisioning import PROVISIONER
from stemma_testkit.model_server import ModelServer
from stemma_testkit.postgres import PostgresServer
from stemma_testkit.servers import eventually

ACK_WAIT_S = 2
STOPPED_S = 3.0 * ACK_WAIT_S
BETWEEN_S = (1.0, 5.0)
SERVERS = ("nats", "postgresql")
"""What all share; each is disturbed as often as a service is."""
GONE_S = 2.0
QUEUES = (subjects.REQUESTS, subjects.JOBS, subjects.OUTCOMES)
HANDLED_WITHIN_S = 300.0
LOOK_EVERY_S = 1.0
AFTERWARDS_S = 30.0
"""What may still be under way when the last document is written: what was published twice, or came too late."""
MEGABYTE = 1024 * 1024
NOTHING: Mapping[str, str] = MappingProxyType({})
Sample = Mapping[str, tuple[float, int]]
"""Memory in megabytes and the number of descriptors, by service."""


class Disturbance(NamedTuple):
    """One thing that is done to a service or a server."""

    how: Literal["kill", "stop"]
    name: str


@dataclass
class Disturbed:
    """An installation that is disturbed: its services and servers are killed, its servers and second replicas stopped.

    ``recoveries`` are the seconds until all that waited at a kill or a stop was handled.
    """

    stemma: LocalStemma
    jetstream: JetStreamContext
    second: Mapping[str, psutil.Process] = field(default_factory=dict)
    database: PostgresServer | None = None
    done: Counter[Disturbance] = field(default_factory=Counter)
    recoveries: list[float] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)

    def any_of(self, random: Random) -> Iterator[Disturbance]:
        """One after the other, without end."""
        while True:
            name = random.choice([*subjects.SERVICES, *SERVERS])
            yield Disturbance(random.choice(["kill", "stop"]), name)

    async def disturb(self, disturbances: Iterable[Disturbance], random: Random) -> None:
        """Kill and stop, each some seconds after what waited at the last one was handled."""
        for disturbance in disturbances:
            await asyncio.sleep(random.uniform(*BETWEEN_S))
            waiting = [state.last_seq for state in await self._queues()]
            self.done[disturbance] += 1
            act = self._kill if disturbance.how == "kill" else self._stop
            async with asyncio.TaskGroup() as disturbing:
                disturbing.create_task(self._recover(waiting))
                disturbing.create_task(act(disturbance.name))

    async def _kill(self, name: str) -> None:
        """The first replica of a service, or a server; what is killed is started again."""
        if name == "nats":
            self.stemma.nats.kill()
        elif name == "postgresql":
            assert self.database is not None
            self.database.kill()
            try:
                await asyncio.sleep(GONE_S)
            finally:
                self.database.start()
        else:
            self.stemma.services[name].kill()

    async def _stop(self, name: str) -> None:
        """The second replica of a service, or a server, past the lease of all jobs."""
        suspended = self._process(name)
        suspended.suspend()
        try:
            await asyncio.sleep(STOPPED_S)
        finally:
            suspended.resume()

    def _process(self, name: str) -> psutil.Process | PostgresServer:
        if name == "postgresql":
            assert self.database is not None
            return self.database
        if name == "nats":
            assert self.stemma.nats.pid is not None, "it has answered just now"
            return psutil.Process(self.stemma.nats.pid)
        return self.second[name]

    async def _recover(self, waiting: Sequence[int]) -> None:
        began = time.monotonic()

        async def are_handled() -> bool:
            return all(state.first_seq > last for state, last in zip(await self._queues(), waiting, strict=True))

        await eventually(are_handled, HANDLED_WITHIN_S)
        self.recoveries.append(time.monotonic() - began)

    async def _queues(self) -> list[StreamState]:
        """How the queues are, as soon as a server tells."""
        found: list[StreamState] = []

        async def is_told() -> bool:
            with suppress(NatsError):
                found[:] = [(await self.jetstream.stream_info(queue)).state for queue in QUEUES]
                return True
            return False

        await eventually(is_told, HANDLED_WITHIN_S)
        return found

    async def see_to_the_end(self, living: Sequence[asyncio.Task[None]], still_s: float) -> None:
        """Wait until all that these do is done, or nothing has happened in the log for so long; raises what they do."""
        gathered, last, moved = asyncio.gather(*living), -1, time.monotonic()
        while not gathered.done() and time.monotonic() - moved < still_s:
            with suppress(NatsError):
                now = (await self.jetstream.stream_info(subjects.EVENTS)).state.last_seq
                last, moved = now, moved if now == last else time.monotonic()
            await asyncio.wait([gathered], timeout=LOOK_EVERY_S)
        if gathered.done():
            await gathered

    async def left(self) -> int:
        """How many messages nobody handles, in the end."""

        async def is_none() -> bool:
            return not sum(state.messages for state in await self._queues())

        with suppress(AssertionError):
            await eventually(is_none, AFTERWARDS_S)
        return sum(state.messages for state in await self._queues())

    async def measure(self, every_s: float) -> None:
        """Look at memory and descriptors of the second replicas, which live as long as the soak, until cancelled."""
        while True:
            self.samples.append(
                {name: (one.memory_info().rss / MEGABYTE, one.num_fds()) for name, one in self.second.items()}
            )
            await asyncio.sleep(every_s)


@asynccontextmanager
async def two_of_everything(
    folder: Path, model: ModelServer, database: PostgresServer, more: Mapping[str, str] = NOTHING
) -> AsyncIterator[Disturbed]:
    """An installation whose services call the model over HTTP, with its checkpoints in PostgreSQL.

    ``more`` is in the environment of them all.
    """
    of_each = {name: {**more, **(_calling(name, model) if name in CALL_MODELS else {})} for name in subjects.SERVICES}
    of_each[subjects.GENERATION]["STEMMA_CHECKPOINT_DSN"] = database.dsn()
    async with AsyncExitStack() as stack:
        stemma = await stack.enter_async_context(
            LocalStemma(folder, processes=True, ack_wait_s=ACK_WAIT_S, env=of_each)
        )
        everything = await stack.enter_async_context(as_user(stemma, PROVISIONER, max_reconnect_attempts=-1))
        second = {
            name: await stack.enter_async_context(replica(stemma, f"{name}-2", own, name))
            for name, own in of_each.items()
        }
        yield Disturbed(stemma, everything.jetstream(timeout=10), second, database)


@asynccontextmanager
async def all_in_one(folder: Path, more: Mapping[str, str] = NOTHING) -> AsyncIterator[Disturbed]:
    """An installation whose services are one process, which writes without a model; ``more`` is in its environment."""
    async with (
        LocalStemma(folder, ack_wait_s=ACK_WAIT_S, env={ALL: more}) as stemma,
        as_user(stemma, PROVISIONER, max_reconnect_attempts=-1) as everything,
    ):
        yield Disturbed(stemma, everything.jetstream(timeout=10))


def _calling(service: str, model: ModelServer) -> dict[str, str]:
    prefix = f"STEMMA_{service.upper().replace('-', '_')}_"
    return {f"{prefix}MODEL": "openai/offline", f"{prefix}API_BASE": model.base, "OPENAI_API_KEY": "none"}
