"""Three servers that are lost in the ways there are, under an installation that is at work, and how long it took."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from faults_found import Found
from faults_here import as_user
from faults_people import Asked
from faults_soak import ACK_WAIT_S, GONE_S, Disturbed
from nats.aio.client import Client
from nats.errors import Error as NatsError
from nats.js import JetStreamContext
from stemma_provisioning import PROVISIONER, check
from stemma_provisioning.replicas import Replicas, patiently
from stemma_provisioning.topology import streams
from stemma_testkit.clusters import NAMES, ClusterStemma, NatsCluster, Node
from stemma_testkit.servers import eventually

LOOK_TIMEOUT_S = 1.0
IN_STEP_WITHIN_S = 300.0
Loss = Callable[[], Coroutine[Any, Any, None]]


@dataclass
class DisturbedCluster(Disturbed):
    """An installation on three servers; ``took`` has how long each loss kept what waited at its beginning."""

    cluster: NatsCluster = field(kw_only=True)
    connection: Client = field(kw_only=True)
    took: list[tuple[str, float]] = field(default_factory=list)

    async def lose(self, losses: Sequence[tuple[str, Loss]]) -> None:
        """One loss after the other, each when all servers have everything."""
        for name, loss in losses:
            await self.in_step()
            waiting = [state.last_seq for state in await self._queues()]
            async with asyncio.TaskGroup() as losing:
                losing.create_task(self._recover(waiting))
                losing.create_task(loss())
            self.took.append((name, self.recoveries[-1]))
        await self.in_step()

    async def in_step(self) -> None:
        """Wait as an operator does who restarts one server after the other."""

        async def nothing_differs() -> bool:
            try:
                return not await check(self.connection, ack_wait_s=ACK_WAIT_S, replicas=Replicas(len(NAMES)))
            except NatsError:
                return False

        await eventually(nothing_differs, IN_STEP_WITHIN_S)

    async def lose_leader(self, stream: str) -> None:
        """Whoever leads a stream is killed, and comes back."""
        await self._lose([await leader_of(self.cluster, self.jetstream, stream)])

    async def lose_two(self) -> None:
        """Two of three are killed, and come back."""
        await self._lose(list(self.cluster.nodes.values())[:2])

    async def _lose(self, nodes: Sequence[Node]) -> None:
        for node in nodes:
            node.kill()
        await asyncio.sleep(GONE_S)
        for node in nodes:
            await asyncio.to_thread(node.start)

    async def restart_all(self) -> None:
        """One after the other, each in good order and when nothing differs any more."""
        for node in self.cluster.nodes.values():
            await asyncio.to_thread(node.stop)
            await asyncio.to_thread(node.start)
            await self.in_step()

    async def empty_disk(self) -> None:
        """One is killed, and comes back with nothing."""
        node = self.cluster.nodes[NAMES[-1]]
        node.kill()
        node.lose_disk()
        await asyncio.to_thread(node.start)

    def everything(self) -> list[tuple[str, Loss]]:
        """Every loss that is tried."""
        leaders = [name for stream in streams() if (name := stream.name) is not None]
        return [
            *((f"leader of {name} killed", partial(self.lose_leader, name)) for name in leaders),
            ("two of three killed", self.lose_two),
            ("all restarted in turn", self.restart_all),
            ("one with an empty disk", self.empty_disk),
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
async def on_three_servers(folder: Path, *, in_process: bool) -> AsyncIterator[DisturbedCluster]:
    """An installation with its accounts and its admission, which writes without a model."""
    async with (
        ClusterStemma(folder, ack_wait_s=ACK_WAIT_S, in_process=in_process) as stemma,
        as_user(stemma, PROVISIONER, max_reconnect_attempts=-1, reconnect_time_wait=0.1) as everything,
    ):
        jetstream = everything.jetstream(timeout=LOOK_TIMEOUT_S)
        yield DisturbedCluster(stemma, jetstream, cluster=stemma.cluster, connection=everything)


def told(disturbed: DisturbedCluster, asked: Asked, found: Found) -> str:
    """What was seen, a line each."""
    rows = {
        "documents (completed)": f"{len(asked.documents)} ({len(found.completed)})",
        "requests (refused)": f"{asked.requests} ({asked.refused})",
        "exports (failed)": f"{asked.exports} ({len(asked.failed)})",
        "lost": len(found.lost),
        "doubled": len(found.doubled),
        "stuck": len(set(asked.documents) - asked.ended),
        "left in the queues": found.left,
        "dead letters": len(found.dead),
        **{name: f"{seconds:.1f} s" for name, seconds in disturbed.took},
    }
    return "\n".join(["", *(f"{name:40} {value}" for name, value in rows.items())])
