"""What one server has acknowledged is read from another that may not have it yet."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from faults_cluster import keep_on_all
from nats.aio.client import Client
from stemma_artifacts.jetstream import JetStreamArtifactStore
from stemma_contracts import subjects
from stemma_eventlog.jetstream import JetStreamEventLog
from stemma_eventlog.log import StreamId
from stemma_testkit.clusters import NatsCluster, running_cluster

AT_ONCE = 100
ROUNDS = 2
"""Without a look at the leader, three to nine in a hundred reads find nothing."""
Read = Callable[[str], Awaitable[None]]


async def read_on_each(cluster: NatsCluster, stream: str, reading: Callable[[Client, Client], Read]) -> None:
    writer = await cluster.connect()
    await keep_on_all(writer, stream)
    for node in cluster.nodes.values():
        reader = await cluster.connect(to=[node])
        read = reading(writer, reader)
        for round_ in range(ROUNDS):
            await asyncio.gather(*(read(f"d-{node.name}-{round_}-{number}") for number in range(AT_ONCE)))
        await reader.close()
    await writer.close()


def of_the_log(writer: Client, reader: Client) -> Read:
    js, log = writer.jetstream(timeout=10), JetStreamEventLog(reader)

    async def read(document_id: str) -> None:
        stored = await js.publish(subjects.event("default", document_id, "x"), b"")
        found = await log.read(StreamId("default", document_id))
        assert [one.sequence for one in found] == [stored.seq]
        assert await log.read(StreamId("default", document_id), stored.seq) == []

    return read


def of_artifacts(writer: Client, reader: Client) -> Read:
    here, there = (JetStreamArtifactStore(one.jetstream(timeout=10)) for one in (writer, reader))

    async def read(document_id: str) -> None:
        data = document_id.encode()
        ref = await here.put("default", document_id, data, media_type="text/plain", name="x")
        assert await there.get("default", document_id, ref) == data

    return read


@pytest.mark.req("O1", "F1")
async def test_events_and_artifacts_are_found_whichever_server_answers(tmp_path: Path) -> None:
    with running_cluster(tmp_path) as cluster:
        await read_on_each(cluster, subjects.EVENTS, of_the_log)
        await read_on_each(cluster, subjects.ARTIFACTS, of_artifacts)
