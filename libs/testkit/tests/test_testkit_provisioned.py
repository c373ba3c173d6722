"""A provisioned server of a test has what one has that was provisioned there and then, and nothing of another test."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from stemma_contracts import subjects
from stemma_provisioning import NatsServer, check
from stemma_testkit.servers import connected, provisioned_server

TENANTS = ("default", "other")


@pytest.fixture
def two(tmp_path: Path) -> Iterator[list[NatsServer]]:
    with ExitStack() as stack:
        folders = (tmp_path / "one", tmp_path / "two")
        yield [stack.enter_context(provisioned_server(each, tenants=TENANTS, ack_wait_s=7)) for each in folders]


@pytest.mark.req("E6")
async def test_every_server_lacks_nothing_of_the_topology_and_has_no_message_of_another(two: list[NatsServer]) -> None:
    for server in two:
        async with connected(server) as client:
            assert await check(client, TENANTS, 7) == []
            assert (await client.jetstream().stream_info(subjects.ANSWERS)).state.last_seq == 0
            await client.jetstream().publish(subjects.answer("default", "r1"), b"{}")
