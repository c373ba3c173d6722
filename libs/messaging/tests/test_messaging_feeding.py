"""Our drivers feed FastStream's subscribers, by parts of it that are private: what we rely on is proved here."""

from __future__ import annotations

import inspect
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from faststream import AckPolicy
from faststream._internal.endpoint.subscriber.usecase import SubscriberUsecase
from faststream.nats import JStream, NatsBroker, NatsRouter
from stemma_contracts import subjects
from stemma_contracts.v1.jobs import ValidateDraft
from stemma_contracts.v1.outcomes import DraftValidated
from stemma_messaging import Delivery, StemmaBroker, WorkerBroker, WorkerSettings
from stemma_messaging.addresses import matches
from stemma_messaging.feeding import of_stream, results_of
from stemma_messaging.held import Incoming
from stemma_testkit.routing import routed, routed_bytes

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


async def test_a_handler_without_a_middleware_of_ours_is_reached_by_the_library_itself(lab: Any) -> None:
    """The order of the middlewares: the first is outermost."""
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
