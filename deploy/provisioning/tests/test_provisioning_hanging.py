"""A process that hangs keeps its share of what is pushed to its service, until the server lets go of it."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from itertools import accumulate, chain, repeat, takewhile
from pathlib import Path
from urllib.parse import urlsplit

import nats
import pytest
from nats.aio.client import Client
from nats.aio.msg import Msg
from stemma_contracts import subjects
from stemma_provisioning import NatsServer, inbox_prefix
from stemma_provisioning.config import PING_EVERY_S, UNANSWERED_PINGS
from stemma_provisioning.topology import (
    ACK_WAIT_S,
    LONGER_ACK_WAIT_S,
    LONGEST_WAIT_S,
    consumers,
    deliver_subject,
    waits_s,
)
from stemma_testkit.servers import connected, eventually, provisioned_server

LETS_GO_S = (UNANSWERED_PINGS + 1) * PING_EVERY_S
REQUESTS = 40
PUSHED = deliver_subject(subjects.REQUESTS, subjects.ORCHESTRATOR)


@pytest.mark.req("F1")
@pytest.mark.failure("orchestrator-hangs")
@pytest.mark.parametrize("ack_wait_s", [ACK_WAIT_S, LONGER_ACK_WAIT_S])
def test_a_request_is_delivered_more_often_than_one_that_hangs_can_be_asked_before_the_server_lets_go(
    ack_wait_s: float,
) -> None:
    [deliveries] = {one.max_deliver for one in consumers() if one.stream == subjects.REQUESTS}
    waits = chain(waits_s(ack_wait_s), repeat(waits_s(ack_wait_s)[-1]))
    while_it_hangs = 1 + len(list(takewhile(lambda at: at <= LETS_GO_S, accumulate(waits))))

    assert while_it_hangs + 1 < deliveries


@pytest.mark.req("E1")
@pytest.mark.failure("worker-killed")
async def test_what_a_lost_process_had_in_hand_comes_again_after_three_or_ten_seconds(
    as_it_runs: NatsServer,
) -> None:
    """As the server has it, where it waits longer for later deliveries, it does so
    for a sign of life alone."""
    long = {consumer for service in subjects.LONG_WORKERS for consumer in subjects.job_consumers(service)}
    async with connected(as_it_runs) as client:
        for wanted in consumers():
            found = (await client.jetstream().consumer_info(wanted.stream, wanted.durable)).config
            waits = [10, 12, 12] if wanted.stream == subjects.JOBS and wanted.durable in long else [3, 6, 12]
            assert (found.ack_wait, found.backoff) == (waits[0], waits), wanted.durable


@asynccontextmanager
async def hanging(server: NatsServer) -> AsyncIterator[asyncio.StreamReader]:
    """An orchestrator that hears of requests and says no more, as one that was suspended."""
    address = urlsplit(server.url)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    who = {"user": subjects.ORCHESTRATOR, "pass": server.passwords[subjects.ORCHESTRATOR], "verbose": False}
    writer.write(f"CONNECT {json.dumps(who)}\r\nSUB {PUSHED} {subjects.ORCHESTRATOR} 1\r\nPING\r\n".encode())
    try:
        while (await reader.readline()).strip() != b"PONG":
            pass
        yield reader
    finally:
        writer.close()


@pytest.fixture
def as_it_runs(tmp_path: Path) -> Iterator[NatsServer]:
    """With the times of an installation."""
    with provisioned_server(tmp_path, ack_wait_s=None) as server:
        yield server


async def handling(server: NatsServer, handled: dict[str, int]) -> Client:
    """An orchestrator that is well: how often each request had come before it handled it."""
    prefix, password = inbox_prefix(subjects.ORCHESTRATOR), server.passwords[subjects.ORCHESTRATOR]
    well = await nats.connect(server.url, user=subjects.ORCHESTRATOR, password=password, inbox_prefix=prefix)

    async def handle(message: Msg) -> None:
        handled[message.data.decode()] = message.metadata.num_delivered
        await message.ack()

    await well.subscribe(PUSHED, queue=subjects.ORCHESTRATOR, cb=handle)
    await well.flush()
    return well


@pytest.mark.full
@pytest.mark.timeout(300)
@pytest.mark.req("F1")
async def test_no_request_is_given_up_because_chance_sent_it_to_one_that_hangs(as_it_runs: NatsServer) -> None:
    handled: dict[str, int] = {}
    async with hanging(as_it_runs) as hangs, connected(as_it_runs) as client:
        began, well = time.monotonic(), await handling(as_it_runs, handled)
        for number in range(REQUESTS):
            await client.jetstream().publish(subjects.request("default", "pause-document"), f"{number}".encode())
        async with asyncio.timeout(4 * LETS_GO_S):
            told = await hangs.read()
        let_go_s = time.monotonic() - began

        async def all_handled() -> bool:
            return len(handled) == REQUESTS

        await eventually(all_handled, 3 * LONGEST_WAIT_S)
        await well.close()
    print(f"let go after {let_go_s:.0f} s; {len(handled)} handled, the last at delivery {max(handled.values())}")
    assert b"Stale Connection" in told
    assert let_go_s < LETS_GO_S * 1.2
