"""Handling of one message: span, heartbeats, handler, verdict, settlement, and the one log line of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from typing import TypeVar, assert_never

from nats.aio.msg import Msg
from nats.errors import ConnectionClosedError
from nats.errors import Error as NatsError
from opentelemetry import metrics
from opentelemetry.trace import Span, SpanKind, StatusCode
from stemma_telemetry import get_logger, names, span

from .dead import bury
from .delivery import Delivery
from .outages import LONGEST_PAUSE_S, Outages, is_outage, reason_of
from .publisher import Publisher
from .verdict import Ack, DeadLetter, Leave, RetryLater, Verdict, verdict_for

_DURATION = metrics.get_meter(__name__).create_histogram(names.Metric.PROCESS_DURATION, "s")

Handler = Callable[[Delivery], Awaitable[None]]
E = TypeVar("E", bound=BaseException)


@dataclass
class Held:
    """A message that is being handled, in its newest delivery."""

    message: Msg


@dataclass(frozen=True)
class Handling:
    """How the messages of one consumer are handled; ``ack_wait_s`` and ``max_deliver`` are those of the consumer."""

    service: str
    publisher: Publisher
    ack_wait_s: float
    max_deliver: int
    retry_base_s: float
    outages: Outages = field(default_factory=Outages)
    _under_way: dict[int, Held] = field(default_factory=dict)

    async def handle(self, message: Msg, handler: Handler) -> None:
        """Handle a message and settle it. A cancelled handler gives the message back; nothing else is raised.

        After a silence the server delivers again what this process still works on: the work goes on, and is
        settled by the newest delivery.
        """
        sequence = message.metadata.sequence.stream
        if sequence in self._under_way:
            self._under_way[sequence].message = message
            return
        held = self._under_way[sequence] = Held(message)
        try:
            await self._handle(held, handler)
        finally:
            del self._under_way[sequence]

    async def _handle(self, held: Held, handler: Handler) -> None:
        delivery, started = Delivery.of(held.message), time.perf_counter()
        with _span(delivery) as processing:
            with _Heartbeats(held, self.ack_wait_s / 3):
                error = await self._through_outages(lambda: _attempt(handler, delivery))
                verdict = verdict_for(error, delivery.deliveries, self.max_deliver, self.retry_base_s)
                settled = await self._through_outages(lambda: self._settle(held.message, delivery, verdict, error))
            _record(processing, delivery, verdict, error, settled, time.perf_counter() - started)
        if isinstance(error, asyncio.CancelledError):
            raise error

    async def _through_outages(self, work: Callable[[], Awaitable[E | None]]) -> E | asyncio.CancelledError | None:
        """Do it, again and again while a store is away: the message is kept, so that no delivery is used up by it.

        A shutdown gives it back; where its connection is closed already, the server delivers the message again.
        """
        for number in count():
            error = await work()
            if error is None or not is_outage(error) or isinstance(error, ConnectionClosedError):
                return error
            pause = min(LONGEST_PAUSE_S, self.retry_base_s * 2 ** min(number, 20))
            get_logger().warning(names.Log.OUTAGE, reason=reason_of(error), seconds=pause, error=error)
            try:
                with self.outages.waiting(reason_of(error)):
                    await asyncio.sleep(pause)
            except asyncio.CancelledError as cancelled:
                return cancelled
        raise AssertionError("counting never ends")

    async def _settle(
        self, message: Msg, delivery: Delivery, verdict: Verdict, error: BaseException | None
    ) -> Exception | None:
        """Apply the verdict; what hinders it is returned, and the server delivers the message again."""
        try:
            match verdict:
                case Ack():
                    await message.ack()
                case RetryLater(delay_s):
                    await message.nak(delay=delay_s)
                case DeadLetter():
                    await bury(delivery, verdict, error, self.service, self.publisher)
                    await message.ack()
                case Leave():
                    pass
                case _:
                    assert_never(verdict)
        except Exception as hindrance:
            return hindrance
        return None


async def _attempt(handler: Handler, delivery: Delivery) -> BaseException | None:
    try:
        await handler(delivery)
    except (Exception, asyncio.CancelledError) as error:
        return error
    return None


class _Heartbeats:
    """Tells the server, time and again, that a message is still worked on.

    A timer, not a task: most messages are done before their first beat.
    """

    def __init__(self, held: Held, every_s: float) -> None:
        self._held = held
        self._every_s = every_s
        self._beats: set[asyncio.Task[None]] = set()

    def __enter__(self) -> None:
        self._wait()

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()

    def _wait(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(self._every_s, self._beat)

    def _beat(self) -> None:
        task = asyncio.create_task(self._in_progress())
        self._beats.add(task)
        task.add_done_callback(self._beats.discard)
        self._wait()

    async def _in_progress(self) -> None:
        with suppress(NatsError):
            await self._held.message.in_progress()


@contextmanager
def _span(delivery: Delivery) -> Iterator[Span]:
    with span(
        f"{names.Span.PROCESS} {delivery.template}",
        kind=SpanKind.CONSUMER,
        parent=delivery.headers,
        attributes={
            names.Attr.MESSAGING_SYSTEM: "nats",
            names.Attr.MESSAGING_OPERATION: "process",
            names.Attr.MESSAGING_OPERATION_NAME: "process",
            names.Attr.MESSAGING_DESTINATION: delivery.template,
            names.Attr.MESSAGING_CONSUMER: delivery.consumer,
            names.Attr.MESSAGING_MESSAGE_ID: delivery.headers.get("ce-id", ""),
            names.Attr.MESSAGING_DELIVERIES: delivery.deliveries,
        },
    ) as started:
        yield started


def _record(
    span: Span,
    delivery: Delivery,
    verdict: Verdict,
    error: BaseException | None,
    hindrance: BaseException | None,
    seconds: float,
) -> None:
    """The canonical log line, the metric and the end of the span."""
    verdict_name = type(verdict).__name__
    span.set_attribute(names.Attr.VERDICT, verdict_name)
    if error is not None:
        span.set_attribute(names.Attr.ERROR_TYPE, type(error).__name__)
        span.set_status(StatusCode.ERROR)
    attributes = {str(names.Attr.MESSAGING_DESTINATION): delivery.template, str(names.Attr.VERDICT): verdict_name}
    _DURATION.record(seconds, attributes)
    log = get_logger().bind(
        subject=delivery.template,
        verdict=verdict_name,
        deliveries=delivery.deliveries,
        sequence=delivery.stream_sequence,
        duration_ms=round(seconds * 1000, 1),
    )
    if reason := reason_of(hindrance or error):
        log = log.bind(reason=reason)
    if hindrance is not None:
        log.error(names.Log.MESSAGE_UNSETTLED, error=hindrance)
    elif error is not None:
        log.warning(names.Log.MESSAGE_HANDLED, error=error)
    else:
        log.info(names.Log.MESSAGE_HANDLED)
