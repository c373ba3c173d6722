"""Our drivers feed FastStream's subscribers: what we rely on is proved here."""

import inspect
import re
from collections.abc import Callable
from itertools import count
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
from stemma_messaging import Delivery, Opened, StemmaBroker, WorkerBroker, WorkerSettings
from stemma_messaging.addresses import matches, overlap
from stemma_messaging.delivery import Terms
from stemma_messaging.drivers import PushDriver
from stemma_messaging.feeding import Feed, results_of
from stemma_telemetry import names
from stemma_testkit.servers import eventually
from structlog.testing import capture_logs

from .conftest import validated

THEIR_START = '''    async def start(self) -> None:
        """Private method to start subscriber by broker."""
        self.lock = MultiLock()

        self._build_fastdepends_model()

        self._outer_config.logger.log(
            f"`{self.specification.call_name}` waiting for messages",
            extra=self.get_log_context(None),
        )
'''
"""What `Feed` does in place of it: more than this must not be missed."""
SUBJECT = subjects.job(subjects.VALIDATOR, "validate-draft")


def router() -> NatsRouter:
    return NatsRouter(ack_policy=AckPolicy.MANUAL)


def jobs() -> JStream:
    return JStream(subjects.JOBS, declare=False)


def worker() -> WorkerBroker:
    return WorkerBroker(subjects.VALIDATOR, WorkerSettings(), jobs="pushed")


@pytest.mark.req("E10")
def test_faststream_does_no_more_than_we_do_in_its_place() -> None:
    """`feeding` prepares subscribers as `start` would, and `broker` makes its own connection."""
    made = router().subscriber(SUBJECT, stream=jobs())

    @made
    async def take(job: ValidateDraft) -> DraftValidated:
        raise NotImplementedError

    [item] = made.calls
    assert item.item_decoder is None
    assert made.running is False
    assert inspect.getsource(SubscriberUsecase.start) == THEIR_START
    assert inspect.iscoroutinefunction(made.process_message)
    assert "self.config.connect(connection)" in inspect.getsource(NatsBroker._connect)
    assert list(results_of(made)) == [DraftValidated]


@pytest.mark.req("E10")
async def test_the_broker_declares_nothing_and_subscribes_where_consumers_deliver(lab: Any) -> None:
    """With a stream by its name FastStream's own start would change it to what the handlers say."""
    before = (await lab.jetstream.stream_info(subjects.JOBS)).config
    consumer = (await lab.jetstream.consumer_info(subjects.JOBS, subjects.VALIDATOR)).config
    driver = PushDriver(subjects.JOBS, (subjects.VALIDATOR,))
    broker = StemmaBroker(subjects.VALIDATOR, lab.settings(subjects.VALIDATOR), driver)
    broker.include_router(_with_a_handler())
    async with broker.connected():
        await broker.start()
        subscribed = {sub.subject for sub in broker.nats._subs.values() if not sub.subject.startswith("_INBOX")}
        assert subscribed == {consumer.deliver_subject}
        await broker.stop()
    assert (await lab.jetstream.stream_info(subjects.JOBS)).config == before


def _with_a_handler() -> NatsRouter:
    made = router()

    @made.subscriber(SUBJECT, stream=jobs())
    async def take(job: ValidateDraft) -> None:
        raise NotImplementedError

    return made


async def take(job: ValidateDraft) -> None: ...


async def untyped(job) -> None: ...  # type: ignore[no-untyped-def]


async def of_bytes(data: bytes) -> None: ...


async def of_two(job: ValidateDraft, other: Delivery) -> None: ...


WITHOUT_STREAM = r"Take: it needs stream=JStream\(\.\.\., declare=False\)"
ONE_PARAMETER = "it needs one parameter, annotated with a contract or with Delivery"


@pytest.mark.req("E10")
@pytest.mark.parametrize(
    ("policy", "options", "handler", "words"),
    [
        (None, {"stream": jobs()}, take, r"Take: our middlewares settle; .*AckPolicy\.MANUAL"),
        (AckPolicy.MANUAL, {"stream": subjects.JOBS}, take, WITHOUT_STREAM),
        (AckPolicy.MANUAL, {}, take, WITHOUT_STREAM),
        *((AckPolicy.MANUAL, {"stream": jobs()}, one, ONE_PARAMETER) for one in (untyped, of_bytes, of_two)),
    ],
)
def test_a_handler_that_cannot_be_fed_is_refused(policy: Any, options: Any, handler: Any, words: str) -> None:
    made = NatsRouter(ack_policy=policy) if policy else NatsRouter()
    made.subscriber(SUBJECT, **options)(handler)
    with pytest.raises(TypeError, match=words):
        worker().include_router(made)


@pytest.mark.req("E10")
def test_a_handler_that_publishes_past_our_envelope_is_refused() -> None:
    made = router()

    @made.subscriber(SUBJECT, stream=jobs())
    @made.publisher(subjects.outcome(subjects.VALIDATOR, "draft-validated"))
    async def take(job: ValidateDraft) -> None: ...

    with pytest.raises(TypeError, match="validator publishes what handlers return: take publishers away"):
        worker().include_router(made)


@pytest.mark.req("E10")
@pytest.mark.parametrize("pattern", [SUBJECT, SUBJECT.replace("validator", subjects.ANY), "stemma.job.>"])
def test_two_handlers_of_one_message_are_refused(pattern: str) -> None:
    made = router()

    @made.subscriber(pattern, stream=jobs())
    async def take_too(job: ValidateDraft) -> None: ...

    broker = worker()
    broker.include_router(_with_a_handler())
    with pytest.raises(TypeError, match=rf"TakeToo: {re.escape(pattern)} is for Take already, under {SUBJECT}"):
        broker.include_router(made)


@pytest.mark.req("E10")
async def test_a_handler_that_stands_on_the_broker_itself_is_refused(lab: Any) -> None:
    broker = WorkerBroker(subjects.VALIDATOR, lab.settings(subjects.VALIDATOR))
    broker.include_router(_with_a_handler())
    with pytest.raises(TypeError, match="Take: handlers stand on a NatsRouter, which include_router takes"):
        await _started(broker, broker.subscriber(SUBJECT, stream=jobs(), ack_policy=AckPolicy.MANUAL))


@pytest.mark.req("E10")
async def test_a_handler_that_no_driver_feeds_is_refused(lab: Any) -> None:
    broker, made = WorkerBroker(subjects.VALIDATOR, lab.settings(subjects.VALIDATOR)), router()
    broker.include_router(_with_a_handler())
    outcomes = made.subscriber(
        subjects.outcome(subjects.ANY, subjects.ANY), stream=JStream(subjects.OUTCOMES, declare=False)
    )
    with pytest.raises(TypeError, match="Take: no driver brings messages of OUTCOMES"):
        await _started(broker, outcomes, made)


async def _started(broker: WorkerBroker, subscriber: Callable[[Any], Any], made: NatsRouter | None = None) -> None:
    @subscriber
    async def take(job: ValidateDraft) -> None: ...

    if made is not None:
        broker.include_router(made)
    async with broker.connected():
        await broker.start()


def test_what_the_lifespan_opens_is_not_there_before() -> None:
    opened = Opened[int]()
    with pytest.raises(RuntimeError, match="the lifespan of the application has not opened yet"):
        opened()
    opened.give(1)
    assert opened() == 1


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


@pytest.mark.parametrize(
    ("one", "other", "do"),
    [
        ("a.b", "a.b", True),
        ("a.*.c", "a.b.*", True),
        ("a.>", "a.b.c", True),
        ("*.b", "a.>", True),
        ("a.b", "a.c", False),
        ("a.*", "a.b.c", False),
        ("a.>", "a", False),
        ("a.*.c", "a.b.d", False),
    ],
)
def test_patterns_overlap_if_a_subject_fits_both(one: str, other: str, do: bool) -> None:
    assert overlap(one, other) is overlap(other, one) is do


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
async def test_what_the_library_raises_before_our_middlewares_ends_nothing_and_is_told(
    impatient_lab: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server delivers again what was not settled."""
    process, tries = StreamSubscriber.process_message, count()

    async def unprepared(subscriber: StreamSubscriber, message: Msg) -> Any:
        if next(tries) == 0:
            raise SubscriberNotFound
        return await process(subscriber, message)

    monkeypatch.setattr(StreamSubscriber, "process_message", unprepared)
    with capture_logs() as logs:
        async with impatient_lab.working("push", validated):
            await impatient_lab.publish(subjects.VALIDATOR, impatient_lab.job())
            await eventually(impatient_lab.settled)
    assert [log["log_level"] for log in logs if log["event"] == names.Log.MESSAGE_UNSETTLED] == ["error"]
    assert len(await impatient_lab.stored(subjects.OUTCOMES)) == 1
