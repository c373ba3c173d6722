"""What is sent is written together, and nothing of it is lost or overtaken."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from uuid import uuid4

import pytest
from nats.aio.client import Client
from nats.js.api import AckPolicy, ConsumerConfig
from stemma_messaging.connection import close
from stemma_messaging.joined_client import TURNS, JoinedClient
from stemma_provisioning import PROVISIONER, NatsServer, inbox_prefix
from stemma_testkit.servers import connected, eventually

ACK = "$JS.ACK.nowhere.nobody.1.1.1.1.0"
STREAM, DURABLE = "JOINED", "reader"


class Written(list[bytes]):
    """What a client hands to its socket, one item for each time."""

    def __init__(self, client: Client) -> None:
        super().__init__()
        transport = client._transport
        assert transport is not None
        lines, one = transport.writelines, transport.write
        transport.writelines = self._noted(lines, b"".join)  # type: ignore[method-assign]
        transport.write = self._noted(one, bytes)  # type: ignore[method-assign]

    def _noted(self, write: Callable[..., object], whole: Callable[..., bytes]) -> Callable[..., object]:
        def noted(data: object) -> object:
            self.append(whole(data))
            return write(data)

        return noted

    async def has(self, part: bytes) -> bool:
        """Whether something was written."""
        return any(part in data for data in self)


@asynccontextmanager
async def joined(server: NatsServer) -> AsyncIterator[JoinedClient]:
    """A connection that may do everything, as services have it."""
    client = JoinedClient()
    user = PROVISIONER
    await client.connect(server.url, user=user, password=server.passwords[user], inbox_prefix=inbox_prefix(user))
    try:
        yield client
    finally:
        await client.close()


async def test_what_is_sent_within_a_few_turns_is_one_write(session_server: NatsServer) -> None:
    async with joined(session_server) as client:
        written = Written(client)
        for number in range(TURNS):
            await client.publish(f"joined.{number}", b"")
            await asyncio.sleep(0)
        await eventually(lambda: written.has(b"joined.0"))
    assert [data.count(b"joined.") for data in written] == [TURNS]


async def test_an_acknowledgement_goes_with_what_is_sent_next(session_server: NatsServer) -> None:
    async with joined(session_server) as client:
        written = Written(client)
        await client.publish(ACK)
        await client.publish("joined.next", b"")
        await eventually(lambda: written.has(b"joined.next"))
    assert [ACK.encode() in data for data in written if b"joined.next" in data] == [True]
    assert sum(ACK.encode() in data for data in written) == 1


async def test_an_acknowledgement_that_nothing_follows_goes_all_the_same(session_server: NatsServer) -> None:
    async with joined(session_server) as client:
        written = Written(client)
        await client.publish(ACK)
        await eventually(lambda: written.has(ACK.encode()))


async def test_a_flush_comes_after_what_was_sent_before_it(session_server: NatsServer) -> None:
    async with joined(session_server) as client:
        written = Written(client)
        await client.publish("joined.before", b"")
        await client.publish(ACK)
        await client.flush()
    assert b"joined.before" in written[0]
    assert ACK.encode() in written[0]
    assert b"PING" in b"".join(written[1:])


@pytest.mark.req("P17")
async def test_what_was_acknowledged_last_before_a_stop_does_not_come_again(session_server: NatsServer) -> None:
    async with connected(session_server) as admin:
        jetstream = admin.jetstream()
        await jetstream.add_stream(name=STREAM, subjects=["joined.>"])
        await jetstream.add_consumer(STREAM, ConsumerConfig(durable_name=DURABLE, ack_policy=AckPolicy.EXPLICIT))
        try:
            await jetstream.publish(f"joined.{uuid4().hex}", b"")
            async with joined(session_server) as client:
                reading = await client.jetstream().pull_subscribe_bind(DURABLE, stream=STREAM)
                (message,) = await reading.fetch(1, timeout=20)
                await message.ack()
                await close(client)
            info = await jetstream.consumer_info(STREAM, DURABLE)
            assert (info.num_ack_pending, info.ack_floor.stream_seq) == (0, 1)
        finally:
            await jetstream.delete_stream(STREAM)
