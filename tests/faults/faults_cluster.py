"""Three servers that are lost in the ways there are, under an installation that is at work, and how long it took."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from faults_found import Found, counted
from faults_here import as_user
from faults_people import Asked
from faults_soak import GONE_S, HANDLED_WITHIN_S, Disturbed
from nats.aio.client import Client
from nats.errors import Error as NatsError
from nats.js import JetStreamContext
from stemma_contracts import subjects
from stemma_provisioning import PROVISIONER, check
from stemma_provisioning.replicas import Replicas, patiently
from stemma_provisioning.topology import streams
from stemma_testkit.clusters import NAMES, ClusterStemma, NatsCluster, Node
from stemma_testkit.servers import eventually

LOOK_TIMEOUT_S = 1.0
IN_STEP_WITHIN_S = 300.0
Loss = Callable[[], Coroutine[Any, Any, float]]
"""What is done; how long it took until decisions went on."""


class Took(NamedTuple):
    """Seconds from a loss until decisions went on, and until all servers had everything."""

    goes_on: float
    in_step: float


@dataclass
class DisturbedCluster(Disturbed):
    """An installation on three servers, and what each loss took."""

    cluster: NatsCluster = field(kw_only=True)
    connection: Client = field(kw_only=True)
    took: dict[str, Took] = field(default_factory=dict)

    async def lose(self, losses: Sequence[tuple[str, Loss]]) -> None:
        """One loss after the other, each when all servers have everything."""
        for name, loss in losses:
            await self.in_step()
            began = time.monotonic()
            goes_on = await loss()
            await self.in_step()
            self.took[name] = Took(goes_on, time.monotonic() - began)

    async def in_step(self) -> None:
        """Wait as an operator does who restarts one server after the other."""

        async def nothing_differs() -> bool:
            try:
                return not await check(self.connection, replicas=Replicas(len(NAMES)))
            except NatsError:
                return False

        await eventually(nothing_differs, IN_STEP_WITHIN_S)

    async def lose_leader(self, stream: str) -> float:
        """Whoever leads a stream is killed, and comes back."""
        return await self._lose([await leader_of(self.cluster, self.jetstream, stream)], stream)

    async def lose_two(self) -> float:
        """Two of three are killed, and come back."""
        return await self._lose(list(self.cluster.nodes.values())[:2])

    async def _lose(self, nodes: Sequence[Node], stream: str = subjects.EVENTS) -> float:
        for node in nodes:
            node.kill()
        going_on = asyncio.create_task(self._goes_on(stream))
        await asyncio.sleep(GONE_S)
        for node in nodes:
            await asyncio.to_thread(node.start)
        return await going_on

    async def _goes_on(self, stream: str) -> float:
        """How long it takes until a stream has a leader, and then one more event is in the log."""
        began = time.monotonic()
        await self._last(stream)
        last = await self._last(subjects.EVENTS)

        async def is_written() -> bool:
            return await self._last(subjects.EVENTS) > last

        await eventually(is_written, HANDLED_WITHIN_S)
        return time.monotonic() - began

    async def _last(self, stream: str) -> int:
        """The last sequence of a stream, as soon as its leader tells."""
        found: list[int] = []

        async def is_told() -> bool:
            with suppress(NatsError):
                found.append((await self.jetstream.stream_info(stream)).state.last_seq)
            return bool(found)

        await eventually(is_told, HANDLED_WITHIN_S)
        return found[-1]

    async def restart_all(self) -> float:
        """One after the other, each in good order and when nothing differs any more; the longest that one took."""
        took: list[float] = []
        for node in self.cluster.nodes.values():
            await self.in_step()
            await asyncio.to_thread(node.stop)
            going_on = asyncio.create_task(self._goes_on(subjects.EVENTS))
            await asyncio.to_thread(node.start)
            took.append(await going_on)
        return max(took)

    async def leader_and_disk(self) -> float:
        """Whoever leads the log is killed, and comes back with nothing."""
        return await self._without_disk(await leader_of(self.cluster, self.jetstream, subjects.EVENTS))

    async def empty_disk(self) -> float:
        """The last of them, whatever it leads."""
        return await self._without_disk(self.cluster.nodes[NAMES[-1]])

    async def _without_disk(self, node: Node) -> float:
        node.kill()
        node.lose_disk()
        going_on = asyncio.create_task(self._goes_on(subjects.EVENTS))
        await asyncio.to_thread(node.start)
        return await going_on

    def hardest(self) -> list[tuple[str, Loss]]:
        """The log has to find another leader, and a server has to be given everything."""
        return [("leader of the log, with its disk", self.leader_and_disk)]

    def everything(self) -> list[tuple[str, Loss]]:
        """Every loss that is tried."""
        leaders = [name for stream in streams() if (name := stream.name) is not None]
        return [
            *((f"leader of {name} killed", partial(self.lose_leader, name)) for name in leaders),
            ("two of three killed", self.lose_two),
            ("all restarted in turn", self.restart_all),
            ("one with an empty disk", self.empty_disk),
            *self.hardest(),
        ]


async def keep_on_all(client: Client, stream: str) -> None:
    """Make one stream alone, on all servers."""
    (wanted,) = (each for each in streams(replicas=len(NAMES)) if each.name == stream)
    await patiently(client.jetstream(timeout=LOOK_TIMEOUT_S).account_info)
    await client.jetstream(timeout=10).add_stream(wanted)


async def leader_of(cluster: NatsCluster, jetstream: JetStreamContext, stream: str) -> Node:
    """The server that leads a stream."""
    told = (await jetstream.stream_info(stream)).cluster
    assert told is not None
    assert told.leader is not None
    return cluster.nodes[told.leader]


@asynccontextmanager
async def on_three_servers(folder: Path, *, processes: bool = False) -> AsyncIterator[DisturbedCluster]:
    """An installation with its accounts, its admission and the leases of jobs as in production, but without a model."""
    async with (
        ClusterStemma(folder, processes=processes) as stemma,
        as_user(stemma, PROVISIONER, max_reconnect_attempts=-1, reconnect_time_wait=0.1) as everything,
    ):
        jetstream = everything.jetstream(timeout=LOOK_TIMEOUT_S)
        yield DisturbedCluster(stemma, jetstream, cluster=stemma.cluster, connection=everything)


def told(disturbed: DisturbedCluster, asked: Asked, found: Found) -> str:
    """What was seen, a line each."""
    rows = {
        **counted(asked, found),
        **{name: f"{took.goes_on:.1f} s, {took.in_step:.1f} s" for name, took in disturbed.took.items()},
    }
    lines = [f"{name:40} {value}" for name, value in rows.items()]
    return "\n".join(["", *lines, "(of each loss: until decisions go on, and until all servers have everything)"])
