"""The lower level, as the orchestrator uses it: several consumers, plain JSON, own decoding."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from faststream import AckPolicy, FastStream
from faststream.nats import JStream, NatsRouter
from nats.aio.msg import Msg
from nats.js.api import AckPolicy as AcknowledgePolicy
from nats.js.api import ConsumerConfig
from stemma_contracts import subjects
from stemma_contracts.subjects import ANY
from stemma_contracts.v1.outcomes import JobDead, Outcome
from stemma_messaging import Delivery, Publisher, Service, ServiceSettings, StemmaBroker
from stemma_messaging.connection import close
from stemma_messaging.drivers import PullDriver, PushDriver
from stemma_provisioning import PROVISIONER, NatsServer, client_user
from stemma_provisioning.topology import deliver_subject
from stemma_testkit.servers import barrier, connected, eventually

from .conftest import app_of, service_of

OWN_REQUESTS = subjects.requests_consumer("default")


class Inbox:
    """A service of the orchestrator's rights that keeps what it gets."""

    def __init__(self) -> None:
        self.deliveries: asyncio.Queue[Delivery] = asyncio.Queue()

    def build_app(self, settings: ServiceSettings) -> FastStream:
        requests, outcomes = PushDriver(subjects.REQUESTS), PushDriver(subjects.OUTCOMES, (subjects.ORCHESTRATOR,))
        events = PullDriver(subjects.EVENTS, (subjects.PROJECTOR,), 1)
        broker = StemmaBroker(subjects.ORCHESTRATOR, settings, requests, outcomes, events)
        broker.include_router(self._routes())
        return app_of(broker, lambda: asyncio.sleep(0))

    def _routes(self) -> NatsRouter:
        router = NatsRouter(ack_policy=AckPolicy.MANUAL)

        @router.subscriber(subjects.request(ANY, ANY), stream=JStream(subjects.REQUESTS, declare=False))
        @router.subscriber(subjects.outcome(ANY, ANY), stream=JStream(subjects.OUTCOMES, declare=False))
        @router.subscriber(subjects.event(ANY, ANY, ANY), stream=JStream(subjects.EVENTS, declare=False))
        async def keep(delivery: Delivery) -> None:
            await self.deliveries.put(delivery)

        return router

    async def next(self) -> Delivery:
        return await asyncio.wait_for(self.deliveries.get(), 20)


@asynccontextmanager
async def _inbox(lab: Any, user: str = subjects.ORCHESTRATOR) -> AsyncIterator[Inbox]:
    inbox = Inbox()
    service = Service(subjects.ORCHESTRATOR, ServiceSettings, inbox.build_app)
    async with lab.running(service, lab.settings(user)):
        yield inbox


@pytest.mark.req("E3")
async def test_plain_json_of_any_client_arrives_as_it_was_sent(lab: Any) -> None:
    async with _inbox(lab) as inbox, connected(lab.server, client_user("default")) as anybody:
        subject = subjects.request("default", "create-document")
        stored = await anybody.jetstream().publish(subject, b'{"kind": "proposal"}')
        delivery = await inbox.next()
    assert (delivery.subject, delivery.data, delivery.envelope) == (subject, b'{"kind": "proposal"}', None)
    assert (delivery.stream, delivery.consumer) == (subjects.REQUESTS, OWN_REQUESTS)
    assert (delivery.stream_sequence, delivery.deliveries) == (stored.seq, 1)
    assert delivery.time.tzinfo is not None


async def test_an_answer_is_never_sent_to_an_inbox_that_a_message_names(lab: Any) -> None:
    """The service has every right here, so that only its own code keeps it from answering."""
    async with _inbox(lab, PROVISIONER) as inbox, connected(lab.server) as spy:
        replies = await spy.subscribe("spy")
        await barrier(spy)
        for headers in ({"reply_to": "spy", "content-type": "application/json"}, {}):
            await lab.jetstream.publish(subjects.request("default", "x"), b"{not json", headers=headers)
            assert (await inbox.next()).data == b"{not json"
            await eventually(lambda: _is_empty(lab, subjects.REQUESTS))
        await barrier(spy)
        assert replies.pending_msgs == 0


async def _is_empty(lab: Any, stream: str) -> bool:
    return bool((await lab.jetstream.stream_info(stream)).state.messages == 0)


async def test_what_another_consumer_was_made_to_deliver_here_is_left_alone(lab: Any) -> None:
    stray = ConsumerConfig(deliver_subject=deliver_subject(subjects.REQUESTS, subjects.ORCHESTRATOR))
    async with _inbox(lab) as inbox:
        await eventually(lambda: _is_bound(lab))
        await lab.jetstream.add_consumer(subjects.ANSWERS, stray)
        await lab.jetstream.publish(subjects.answer("default", "stray"), b"{}")
        await barrier(lab.client)
        await lab.jetstream.publish(subjects.request("default", "x"), b"{}")
        assert (await inbox.next()).stream == subjects.REQUESTS


async def _is_bound(lab: Any) -> bool:
    return bool((await lab.jetstream.consumer_info(subjects.REQUESTS, OWN_REQUESTS)).push_bound)


async def test_each_stream_comes_with_its_envelope(lab: Any) -> None:
    dead = JobDead(job_id="bus.1", tenant="default", document_id="d1", detail="x")
    async with _inbox(lab) as inbox:
        publisher = Publisher(lab.jetstream, "test")
        await publisher.publish(subjects.outcome("validator", "job-dead"), dead, id="bus.1.dead", about="default/d1")
        outcome = await inbox.next()
        await lab.jetstream.publish(subjects.event("default", "d1", "document-paused"), b'{"a": 1}')
        event = await inbox.next()
    assert outcome.decode(Outcome) == dead
    assert outcome.envelope is not None
    assert outcome.envelope.subject == "default/d1"
    assert (event.stream, event.data) == (subjects.EVENTS, b"")


@pytest.mark.req("E4")
async def test_tokens_are_heard_as_they_come_and_whether_anybody_listens_is_asked_of_the_server(lab: Any) -> None:
    """In another account, too, and before the first word."""
    seen, heard, told = list[bool](), list[bytes](), asyncio.Event()

    async def writing(broker: StemmaBroker) -> None:
        async def look(document_id: str = "d1", data: bytes = b"") -> None:
            seen.append(await broker.publish_live("default", document_id, "s1", data))

        await look()
        followed = await reader.subscribe(subjects.live("default", "d1", subjects.ANY), cb=answer)
        await barrier(reader)
        for _ in range(3):
            await look()
        await look(data=b"word")
        await look("d2")
        await barrier(broker.nats)
        await barrier(reader)
        await followed.unsubscribe()
        await barrier(reader)
        await look()
        told.set()

    async def answer(message: Msg) -> None:
        heard.append(message.data)
        if message.reply:
            await message.respond(b"nobody is here")

    async with connected(lab.server, client_user("default")) as reader:
        service = service_of(subjects.GENERATION, writing)
        async with lab.running(service, lab.settings(subjects.GENERATION)), asyncio.timeout(20):
            await told.wait()
    assert seen == [False, True, True, True, True, False, False]
    assert heard[-1] == b"word"


@pytest.mark.req("P17")
async def test_what_was_acknowledged_last_before_a_stop_does_not_come_again(session_server: NatsServer) -> None:
    stream, durable = "LAST_ACK", "last-ack"
    async with connected(session_server) as admin:
        jetstream = admin.jetstream()
        await jetstream.add_stream(name=stream, subjects=["last-ack.>"])
        await jetstream.add_consumer(
            stream, ConsumerConfig(durable_name=durable, ack_policy=AcknowledgePolicy.EXPLICIT)
        )
        try:
            await jetstream.publish("last-ack.1", b"")
            async with connected(session_server) as client:
                reading = await client.jetstream().pull_subscribe_bind(durable, stream=stream)
                (message,) = await reading.fetch(1, timeout=20)
                await message.ack()
                await close(client)
            info = await jetstream.consumer_info(stream, durable)
            assert (info.num_ack_pending, info.ack_floor.stream_seq) == (0, 1)
        finally:
            await jetstream.delete_stream(stream)
