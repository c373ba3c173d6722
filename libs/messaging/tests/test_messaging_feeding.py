"""Our drivers feed FastStream's subscribers, by parts of it that are private: what we rely on is proved here."""

from __future__ import annotations

import gc
import inspect
import weakref
from collections.abc import Callable
from importlib.metadata import version
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from faststream import AckPolicy
from faststream._internal.endpoint.subscriber.usecase import SubscriberUsecase
from faststream.exceptions import SubscriberNotFound
from faststream.nats import JStream, NatsBroker, NatsRouter
from faststream.nats.subscriber.usecases.stream_basic import StreamSubscriber
from nats.aio.msg import Msg
from stemma_contracts import subjects
from stemma_contracts.v1.jobs import ValidateDraft
from stemma_contracts.v1.outcomes import DraftValidated
from stemma_messaging import Delivery, StemmaBroker, WorkerBroker, WorkerSettings
from stemma_messaging.addresses import matches
from stemma_messaging.feeding import Feed, of_stream, results_of
from stemma_messaging.held import Incoming, Terms
from stemma_telemetry import names
from stemma_testkit.routing import routed, routed_bytes
from stemma_testkit.servers import eventually
from structlog.testing import capture_logs

LOCK = Path(__file__).parents[3] / "requirements.lock"
SUBJECT = subjects.job(subjects.VALIDATOR, "validate-draft")


def router() -> NatsRouter:
    return NatsRouter(ack_policy=AckPolicy.MANUAL)


def jobs() -> JStream:
    return JStream(subjects.JOBS, declare=False)


def worker() -> WorkerBroker:
    return WorkerBroker(subjects.VALIDATOR, WorkerSettings(), jobs="pushed")


@pytest.mark.req("E10")
def test_the_release_is_the_one_that_this_was_written_for() -> None:
    assert version("faststream") == "0.7.8"
    assert "faststream==0.7.8 " in LOCK.read_text(encoding="utf-8")


@pytest.mark.req("E10")
def test_the_private_parts_are_as_we_use_them() -> None:
    """`feeding` prepares subscribers as `start` would, and `broker` makes its own connection."""
    made = router().subscriber(SUBJECT, stream=jobs())

    @made
    async def take(job: ValidateDraft) -> DraftValidated:
        raise NotImplementedError

    [item] = made.calls
    assert item.handler._declared_call.__name__ == "take"
    assert item.item_decoder is None
    assert list(inspect.signature(made._build_fastdepends_model).parameters) == []
    assert made.running is False
    assert "_build_fastdepends_model" in inspect.getsource(SubscriberUsecase.start)
    assert inspect.iscoroutinefunction(made.process_message)
    assert inspect.iscoroutinefunction(NatsBroker._connect)
    assert "self.config.connect(connection)" in inspect.getsource(NatsBroker._connect)
    assert list(results_of(made)) == [DraftValidated]


@pytest.mark.req("E10")
async def test_the_broker_declares_and_subscribes_nothing_by_itself(lab: Any) -> None:
    """With a stream by its name FastStream's own start would change it to what the handlers say."""
    before = (await lab.jetstream.stream_info(subjects.JOBS)).config
    settings = lab.settings(subjects.VALIDATOR)
    broker = StemmaBroker(subjects.VALIDATOR, settings)
    broker.include_router(_with_a_handler())
    async with broker.connected():
        await broker.start()
        assert [sub for sub in broker.nats._subs.values() if not sub.subject.startswith("_INBOX")] == []
        await broker.stop()
    assert (await lab.jetstream.stream_info(subjects.JOBS)).config == before


def _with_a_handler() -> NatsRouter:
    made = router()

    @made.subscriber(SUBJECT, stream=jobs())
    async def take(job: ValidateDraft) -> None:
        raise NotImplementedError

    return made


async def test_middlewares_are_called_from_the_outside_to_the_inside_and_then_the_handler(lab: Any) -> None:
    seen: list[str] = []

    class Outer:
        async def consume_scope(self, call_next: Any, msg: Any) -> Any:
            seen.append("outer")
            assert isinstance(msg, Incoming)
            return await call_next(msg)

    class Inner:
        async def consume_scope(self, call_next: Any, msg: Any) -> Any:
            seen.append("inner")
            return await call_next(msg)

    broker = StemmaBroker(subjects.VALIDATOR, WorkerSettings(), within=(Outer(), Inner()))
    made = router()

    @made.subscriber(SUBJECT, stream=jobs())
    async def take(job: ValidateDraft) -> None:
        seen.append(job.job_id)

    broker.include_router(made)
    job = lab.job()
    assert await routed(broker, subjects.JOBS, SUBJECT, job) == []
    assert seen == ["outer", "inner", job.job_id]


@pytest.mark.req("E10")
def test_a_subscriber_that_would_settle_or_declare_is_refused() -> None:
    async def take(job: ValidateDraft) -> None: ...

    settling, declaring, core = NatsRouter(), router(), router()
    settling.subscriber(SUBJECT, stream=jobs())(take)
    declaring.subscriber(SUBJECT, stream=subjects.JOBS)(take)
    core.subscriber(SUBJECT)(take)
    with pytest.raises(TypeError, match=r"Take: our middlewares settle; .*AckPolicy\.MANUAL"):
        worker().include_router(settling)
    for wrong in (declaring, core):
        with pytest.raises(TypeError, match=r"Take: it needs stream=JStream\(\.\.\., declare=False\)"):
            worker().include_router(wrong)


@pytest.mark.req("E10")
def test_a_handler_whose_message_cannot_be_decoded_is_refused() -> None:
    async def untyped(job) -> None: ...  # type: ignore[no-untyped-def]

    async def of_bytes(data: bytes) -> None: ...

    async def of_two(job: ValidateDraft, other: Delivery) -> None: ...

    for handler in (untyped, of_bytes, of_two):
        made = router()
        made.subscriber(SUBJECT, stream=jobs())(handler)
        with pytest.raises(TypeError, match="it needs one parameter, annotated with a contract or with Delivery"):
            worker().include_router(made)


async def test_a_handler_may_have_the_message_as_it_came() -> None:
    seen: list[Delivery] = []
    broker, made = StemmaBroker(subjects.ORCHESTRATOR, WorkerSettings()), router()

    @made.subscriber(subjects.request(subjects.ANY, subjects.ANY), stream=JStream(subjects.REQUESTS, declare=False))
    async def take(delivery: Delivery) -> None:
        seen.append(delivery)

    broker.include_router(made)
    subject = subjects.request("default", "create-document")
    assert await routed_bytes(broker, subjects.REQUESTS, subject, b'{"kind": "proposal"}', {}) == []
    [delivery] = seen
    assert (delivery.subject, delivery.data, delivery.envelope) == (subject, b'{"kind": "proposal"}', None)


def test_a_stream_has_the_subscribers_that_are_for_it() -> None:
    broker = worker()
    broker.include_router(_with_a_handler())
    assert [sub.subject.broker_address for sub in of_stream(broker.subscribers, subjects.JOBS)] == [SUBJECT]
    assert of_stream(broker.subscribers, subjects.OUTCOMES) == []


@pytest.mark.parametrize(
    ("pattern", "subject", "fits"),
    [
        ("a.b", "a.b", True),
        ("a.*", "a.b", True),
        ("*.b.>", "a.b.c.d", True),
        ("a.>", "a.b", True),
        ("a.b", "a.c", False),
        ("a.*", "a.b.c", False),
        ("a.*", "a", False),
        ("a.>", "a", False),
        ("a.b.>", "a.c.d", False),
    ],
)
def test_a_pattern_fits_as_the_server_says(pattern: str, subject: str, fits: bool) -> None:
    assert matches(pattern, subject) is fits


@pytest.mark.req("E10")
def test_a_handler_that_returns_what_nobody_would_publish_is_refused() -> None:
    made = router()

    @made.subscriber(SUBJECT, stream=jobs())
    async def take(job: ValidateDraft) -> DraftValidated:
        raise NotImplementedError

    with pytest.raises(TypeError, match="validator is no worker: nobody publishes"):
        StemmaBroker(subjects.VALIDATOR, WorkerSettings()).include_router(made)


@pytest.mark.req("E10")
def test_messages_that_no_handler_is_for_are_not_brought() -> None:
    with pytest.raises(TypeError, match="JOBS: messages are brought that no handler is for"):
        Feed(subjects.JOBS, [], Terms())


@pytest.mark.req("E2")
async def test_a_message_that_was_handled_is_gone_without_a_look_for_garbage(
    lab: Any, validated: Callable[[ValidateDraft], DraftValidated], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[weakref.ref[Msg]] = []
    handle = Feed.handle

    async def watched(feed: Feed, message: Msg, turn: Any = None) -> None:
        seen.append(weakref.ref(message))
        await handle(feed, message, turn)

    async def handler(job: ValidateDraft) -> DraftValidated:
        return validated(job)

    monkeypatch.setattr(Feed, "handle", watched)
    gc.disable()
    try:
        async with lab.working("push", handler):
            for _ in range(2):
                await lab.publish(subjects.VALIDATOR, lab.job())
                await eventually(lab.settled)
            await eventually(lambda: _first_is_gone(seen))
    finally:
        gc.enable()


async def _first_is_gone(seen: list[weakref.ref[Msg]]) -> bool:
    """The client keeps the last one, and timers what they were begun with, until they are due."""
    return len(seen) == 2 and seen[0]() is None


@pytest.mark.req("E2")
async def test_what_the_library_raises_before_our_middlewares_ends_nothing_and_is_told(
    impatient_lab: Any, validated: Callable[[ValidateDraft], DraftValidated], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server delivers again what was not settled."""
    process, tries = StreamSubscriber.process_message, count()

    async def unprepared(subscriber: StreamSubscriber, message: Msg) -> Any:
        if next(tries) == 0:
            raise SubscriberNotFound
        return await process(subscriber, message)

    async def handler(job: ValidateDraft) -> DraftValidated:
        return validated(job)

    monkeypatch.setattr(StreamSubscriber, "process_message", unprepared)
    with capture_logs() as logs:
        async with impatient_lab.working("push", handler):
            await impatient_lab.publish(subjects.VALIDATOR, impatient_lab.job())
            await eventually(impatient_lab.settled)
    assert [log["log_level"] for log in logs if log["event"] == names.Log.MESSAGE_UNSETTLED] == ["error"]
    assert len(await impatient_lab.stored(subjects.OUTCOMES)) == 1
