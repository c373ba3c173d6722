"""Provisioning three servers: real processes with encrypted routes, and the command as an operator runs it."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import replace

import pytest
from nats.aio.client import Client
from nats.js.api import ConsumerInfo, StreamInfo
from stemma_client.logins import Login, new_seed, public_key
from stemma_contracts import subjects
from stemma_contracts.roles import Role
from stemma_provisioning import PROVISIONER, BadBound
from stemma_provisioning.admitted import Admitted, Keys
from stemma_provisioning.copies import copies
from stemma_provisioning.replicas import Replicas
from stemma_provisioning.topology import consumers, streams
from stemma_testkit.clusters import NatsCluster, running_cluster
from stemma_testkit.servers import connected_person, eventually

HIGHER = [f"{name}: num_replicas should be 1, is 3" for name in ("REQUESTS", "JOBS", "EVENTS")]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsCluster]:
    with running_cluster(tmp_path_factory.mktemp("cluster")) as running:
        yield running


async def run(cluster: NatsCluster, replicas: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {
        "STEMMA_NATS_URL": cluster.url,
        "STEMMA_NATS_PASSWORD": cluster.passwords[PROVISIONER],
        "STEMMA_REPLICAS": str(replicas),
    }
    command = [sys.executable, "-m", "stemma_provisioning", *arguments]
    return await asyncio.to_thread(
        subprocess.run, command, env=environment, capture_output=True, text=True, check=False, timeout=120
    )


async def everything(client: Client) -> list[StreamInfo | ConsumerInfo]:
    js, there = client.jetstream(), client.jetstream(prefix=subjects.copies_api("default"))
    found: list[StreamInfo | ConsumerInfo] = [await js.stream_info(s.name) for s in streams() if s.name]
    found += [await js.consumer_info(one.stream, one.durable) for one in consumers()]
    found += [await js.consumer_info(copy.stream, copy.consumer) for copy in copies("default")]
    return [*found, *[await there.stream_info(copy.stream) for copy in copies("default")]]


def servers_of(info: StreamInfo | ConsumerInfo) -> int:
    assert info.cluster is not None
    return 1 + len(info.cluster.replicas or [])


@pytest.mark.full
@pytest.mark.req("O1")
async def test_replicas_are_raised_with_all_that_is_stored_and_lowered_only_by_name(cluster: NatsCluster) -> None:
    one = await run(cluster, 1)
    assert (one.returncode, one.stderr) == (0, "")
    client = await cluster.connect()
    js = client.jetstream()
    kept = await js.publish(subjects.event("default", "kept", "document-requested"), b"{}")
    await js.publish(subjects.job(subjects.CONVERTER, "convert-document"), b"{}")

    assert "JOBS: num_replicas should be 3, is 1" in (await run(cluster, 3, "--check")).stderr.splitlines()
    raised = await run(cluster, 3)
    assert (raised.returncode, raised.stderr) == (0, "")
    assert {servers_of(info) for info in await everything(client)} == {3}
    assert (await js.consumer_info(subjects.JOBS, subjects.CONVERTER)).num_pending == 1

    lower = await run(cluster, 1)
    assert lower.returncode == 1
    assert set(HIGHER) <= set(lower.stderr.splitlines())
    assert {servers_of(info) for info in await everything(client)} == {3}, "nobody asked for that"

    lowered = await run(cluster, 1, "--lower-replicas")
    assert (lowered.returncode, lowered.stderr) == (0, "")
    assert {servers_of(info) for info in await everything(client)} == {1}
    assert (await js.stream_info(subjects.EVENTS)).state.last_seq == kept.seq
    await client.close()


@pytest.mark.full
@pytest.mark.req("O1")
async def test_a_consumer_whose_only_server_is_gone_is_told_and_made_anew(cluster: NatsCluster) -> None:
    """As it is where a server goes while replicas are raised: a stream has them before its consumers do."""
    client = await cluster.connect()
    js = client.jetstream()
    assert (await run(cluster, 3)).returncode == 0
    wanted = next(one for one in consumers() if one.stream == subjects.EVENTS)
    await js.add_consumer(wanted.stream, replace(wanted.config(10), num_replicas=1))

    async def is_on_one_server() -> bool:
        return servers_of(await js.consumer_info(wanted.stream, wanted.durable)) == 1

    await eventually(is_on_one_server)
    alone = (await js.consumer_info(wanted.stream, wanted.durable)).cluster
    assert alone is not None
    assert alone.leader is not None
    gone = cluster.nodes[alone.leader]
    gone.kill()
    try:
        name = f"{wanted.stream}/{wanted.durable}"
        told = await run(cluster, 3)
        assert (told.returncode, told.stderr) == (1, f"{name}: leader should be 'present', is None\n")
        repaired = await run(cluster, 3, "--repair")
        assert repaired.stdout == f"{name}: nobody led it, it is made anew\n"
        assert repaired.returncode == 1, "a server is missing"
        assert f"{subjects.EVENTS}: servers that have it should be 3, is 2" in repaired.stderr.splitlines()
    finally:
        gone.start()
    assert (await run(cluster, 3)).returncode == 0
    assert {servers_of(info) for info in await everything(client)} == {3}
    await client.close()


@pytest.mark.full
@pytest.mark.req("O1")
async def test_a_copy_that_lacks_a_message_is_made_anew_once_all_servers_are_back(cluster: NatsCluster) -> None:
    """While one is missing, a copy that is taken away could not be made again, whatever number one asks for."""
    client = await cluster.connect()
    js, there = client.jetstream(), client.jetstream(prefix=subjects.copies_api("default"))
    assert (await run(cluster, 3)).returncode == 0
    for number in range(3):
        await js.publish(subjects.answer("default", f"r{number}"), b"{}")
    assert (await run(cluster, 1, "--copies")).stdout == ""
    await there.delete_msg(subjects.ANSWERS, 2)
    led = (await there.stream_info(subjects.ANSWERS)).cluster
    assert led is not None
    gone = next(node for name, node in cluster.nodes.items() if name != led.leader)
    gone.kill()
    try:
        left = await run(cluster, 1, "--copies")
        assert (left.returncode, left.stdout) == (1, ""), left.stderr
        assert "ANSWERS of default: servers that have it should be 3, is 2" in left.stderr.splitlines()
        assert (await there.stream_info(subjects.ANSWERS)).state.messages == 2
    finally:
        gone.start()

    async def is_mended() -> bool:
        return (await run(cluster, 1, "--copies")).stdout == "made anew: ANSWERS of default\n"

    await eventually(is_mended)
    mended = await there.stream_info(subjects.ANSWERS)
    assert (mended.state.messages, servers_of(mended)) == (3, 3)
    await client.close()


@pytest.mark.req("O1", "S4")
async def test_who_goes_is_cut_off_from_every_server(cluster: NatsCluster) -> None:
    admitted, seed = Admitted(cluster.folder / "admitted", "default"), new_seed()
    admitted.add("gone", Role.READER, Keys(public_key(seed), public_key(new_seed())))
    async with AsyncExitStack() as stack:
        connections = [
            await stack.enter_async_context(
                connected_person(Login(node.url, "default", "gone", Role.READER, seed, seed), asks=False)
            )
            for node in cluster.nodes.values()
        ]
        assert len({connection.connected_url for connection in connections}) == len(cluster.nodes)
        admitted.remove("gone")

        async def are_closed() -> bool:
            return all(connection.is_closed for connection in connections)

        await eventually(are_closed)


@pytest.mark.req("O1")
def test_the_number_of_replicas_is_that_of_the_environment_and_what_is_none_is_refused() -> None:
    assert Replicas.of({}) == Replicas.of({"STEMMA_REPLICAS": ""}) == Replicas(1)
    assert Replicas.of({"STEMMA_REPLICAS": "3"}, may_lower=True) == Replicas(3, may_lower=True)
    for wrong in ("0", "6", "many"):
        with pytest.raises(BadBound, match=r"^STEMMA_REPLICAS must be a number from 1 to 5$"):
            Replicas.of({"STEMMA_REPLICAS": wrong})
