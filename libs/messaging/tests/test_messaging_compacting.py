import asyncio
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager, suppress

import pytest
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.js import JetStreamContext
from nats.js.api import AckPolicy, ConsumerConfig
from stemma_messaging.drivers import MOST_ROUND_REST_S, CompactingDriver, rest_after
from stemma_provisioning import NatsServer
from stemma_testkit.servers import connected, eventually

STREAM, DURABLE = "LATEST", "reader"
WAITING = 6


def document(subject: str) -> Hashable:
    return subject.split(".")[1]


@asynccontextmanager
async def reading(
    server: NatsServer, seen: list[str], fail: set[str], *, backwards: bool = False, collect_s: float = 0.02
) -> AsyncIterator[Client]:
    """A worker that notes what it handles, and gives back once what ``fail`` names.

    With a long ``collect_s`` its first round is all that waits, however slow the machine is.
    """

    async def handle(message: Msg) -> None:
        name = message.data.decode()
        seen.append(name)
        await (message.nak() if name in fail else message.ack())
        fail.discard(name)

    async with connected(server) as client:
        js = client.jetstream()
        await js.add_stream(name=STREAM, subjects=["latest.>"])
        await js.add_consumer(STREAM, ConsumerConfig(durable_name=DURABLE, ack_policy=AckPolicy.EXPLICIT))
        for number in range(WAITING):
            await js.publish(f"latest.{'ab'[number % 2]}.event", f"{'ab'[number % 2]}{number}".encode())
        if backwards:
            await _given_back(js)
        driver = CompactingDriver(STREAM, DURABLE, document, 0.01, batch=WAITING, collect_s=collect_s)
        task = asyncio.create_task(driver.run(js, handle))
        try:
            yield client
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
            await js.delete_stream(STREAM)


async def _given_back(js: JetStreamContext) -> None:
    """Another worker had them all and gave them back, the newest first, which is how they come again."""
    subscription = await js.pull_subscribe_bind(DURABLE, stream=STREAM)
    for message in reversed(await subscription.fetch(WAITING, timeout=60)):
        await message.nak()
    await subscription.unsubscribe()


async def settled(client: Client) -> bool:
    info = await client.jetstream().consumer_info(STREAM, DURABLE)
    return not info.num_pending and not info.num_ack_pending


@pytest.mark.parametrize("backwards", [False, True])
async def test_of_what_waits_the_last_of_each_key_in_the_stream_is_handled_and_all_is_acknowledged(
    session_server: NatsServer, *, backwards: bool
) -> None:
    """Whatever comes again behind it."""
    seen: list[str] = []
    async with reading(session_server, seen, set(), backwards=backwards, collect_s=60) as client:
        await eventually(lambda: settled(client))
    assert sorted(seen) == ["a4", "b5"]


async def test_what_is_given_back_comes_again_and_what_comes_later_is_handled_too(session_server: NatsServer) -> None:
    seen: list[str] = []
    async with reading(session_server, seen, {"a4"}) as client:
        await eventually(lambda: settled(client))
        before = seen.copy()
        await client.jetstream().publish("latest.a.event", b"a6")

        async def came() -> bool:
            """The server stores a message before it counts it as one that its consumer has to deliver."""
            return len(seen) > len(before) and await settled(client)

        await eventually(came)
    assert (before.count("a4"), before.count("b5")) == (2, 1)
    assert seen == [*before, "a6"]


@pytest.mark.parametrize(("took_s", "rests_s"), [(0.001, 0.25), (0.05, 0.45), (5.0, MOST_ROUND_REST_S)])
def test_the_longer_a_round_takes_the_more_may_gather_before_the_next(took_s: float, rests_s: float) -> None:
    assert rest_after(took_s, 0.25) == pytest.approx(rests_s)
