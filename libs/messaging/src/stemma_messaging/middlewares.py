"""What wraps every handler, from the outside to the inside.

`telemetry`, `heartbeat`, `Settlement` and `in_turn` wrap all of them, in this order; the handlers of jobs within also
`Outcomes` and `CallingOff`. `Chain` is what FastStream sees of them.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, suppress
from functools import partial
from typing import Any, Self, assert_never

from faststream import BaseMiddleware
from faststream.message import StreamMessage
from nats.errors import Error as NatsError
from nats.js.api import Header
from opentelemetry.trace import Span, SpanKind, StatusCode
from stemma_contracts import registry, subjects
from stemma_contracts.v1.jobs import Job
from stemma_contracts.v1.outcomes import JobCancelled
from stemma_telemetry import annotate, get_logger, names, span
from stemma_telemetry.metrics import counter, histogram

from .dead import publish_dead_letter
from .delivery import Delivery, Held, held_of
from .outages import Patience, reason_of
from .publisher import Publisher, store_again, times_again
from .running import JobCancelledError, RunningJobs
from .verdict import Ack, DeadLetter, Leave, PutBack, RetryLater, Verdict, verdict_for

CallNext = Callable[[Any], Awaitable[Any]]
Middleware = Callable[[CallNext, StreamMessage[Any]], Awaitable[Any]]
"""Does something before and after what it calls next; one object for all messages."""


class Chain(BaseMiddleware[Any, Any]):
    """Middlewares from the outside to the inside, as one for FastStream.

    FastStream makes each middleware anew for each message, enters it and leaves it. Ours keep nothing of a message, so
    that they are made and joined once; that spares most of what they would cost, and 2 KB of each message in hand.
    """

    def __init__(self, *middlewares: Middleware) -> None:
        super().__init__(None, context=None)  # type: ignore[arg-type]
        self._outermost: CallNext = _handled
        for middleware in middlewares[::-1]:
            self._outermost = partial(middleware, self._outermost)

    def __call__(self, _msg: Any, /, *, context: Any) -> Self:
        """FastStream's way to have a middleware for a message."""
        return self

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        pass

    async def consume_scope(self, call_next: CallNext, msg: StreamMessage[Any]) -> Any:
        """Through all of them to the handler."""
        held_of(msg).handler = call_next
        return await self._outermost(msg)


def _handled(msg: StreamMessage[Any]) -> Awaitable[Any]:
    handler = held_of(msg).handler
    assert handler is not None
    return handler(msg)


_DURATION = histogram(names.Metric.PROCESS_DURATION)
_REDELIVERED = counter(names.Metric.REDELIVERED)


async def telemetry(call_next: CallNext, msg: StreamMessage[Any]) -> Any:
    """One span, one line and one measurement for each delivery, whatever became of it."""
    started, held = time.perf_counter(), held_of(msg)
    with _span(held.delivery) as processing:
        result = await call_next(msg)
        _record(processing, held, time.perf_counter() - started)
    return result


def _span(delivery: Delivery) -> AbstractContextManager[Span]:
    return span(
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
    )


def _record(span: Span, held: Held, seconds: float) -> None:
    delivery, error, hindrance = held.delivery, held.error, held.hindrance
    verdict = type(held.verdict).__name__
    span.set_attribute(names.Attr.VERDICT, verdict)
    if error is not None:
        span.set_attribute(names.Attr.ERROR_TYPE, type(error).__name__)
        span.set_status(StatusCode.ERROR)
    _measure(delivery, verdict, error, seconds)
    log = get_logger().bind(
        subject=delivery.template,
        verdict=verdict,
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


def _measure(delivery: Delivery, verdict: str, error: BaseException | None, seconds: float) -> None:
    where: dict[str, str] = {
        names.Attr.MESSAGING_SYSTEM: "nats",
        names.Attr.MESSAGING_OPERATION_NAME: "process",
        names.Attr.MESSAGING_DESTINATION: delivery.template,
    }
    failed: dict[str, str] = {names.Attr.ERROR_TYPE: type(error).__name__} if error is not None else {}
    _DURATION.record(seconds, {**where, names.Attr.VERDICT: verdict, **failed})
    if delivery.deliveries > 1:
        _REDELIVERED.add(1, where)


async def heartbeat(call_next: CallNext, msg: StreamMessage[Any]) -> Any:
    """Tells the server, time and again, that a message is still worked on, until it is settled."""
    beating = asyncio.create_task(_beat(held_of(msg)))
    try:
        return await call_next(msg)
    finally:
        beating.cancel()


async def _beat(held: Held) -> None:
    while True:
        await asyncio.sleep(held.terms.beat_every_s)
        with suppress(NatsError):
            await held.message.in_progress()


class Settlement:
    """Runs the handler, notes what it raised, and carries out what `verdict_for` decides.

    An outage is waited for at each step. What hinders the verdict leaves the message to the server, which delivers it
    again.
    """

    def __init__(self, service: str, publisher: Callable[[], Publisher], patience: Patience) -> None:
        self._service = service
        self._publisher = publisher
        self._patience = patience

    async def __call__(self, call_next: CallNext, msg: StreamMessage[Any]) -> None:
        held, patience = held_of(msg), self._patience
        held.error = await patience.through(lambda: _error_of(call_next(msg)))
        verdict = held.verdict = self._verdict(held)
        held.hindrance = await patience.through(lambda: _hindrance(self._put_aside(held, verdict)))
        if held.hindrance is None:
            held.hindrance = await patience.through(lambda: _hindrance(_settle(held, verdict)))

    def _verdict(self, held: Held) -> Verdict:
        delivery, base_s = held.delivery, self._patience.retry_base_s
        put_back = times_again(delivery.headers.get(Header.MSG_ID, ""))
        return verdict_for(held.error, delivery.deliveries, held.terms.max_deliver, base_s, put_back)

    async def _put_aside(self, held: Held, verdict: Verdict) -> None:
        delivery = held.delivery
        match verdict:
            case DeadLetter():
                await publish_dead_letter(delivery, verdict, held.error, self._service, self._publisher())
            case PutBack():
                await store_again(delivery.subject, delivery.data, delivery.headers, self._publisher())
            case _:
                pass


async def _settle(held: Held, verdict: Verdict) -> None:
    message = held.message
    match verdict:
        case Ack() | DeadLetter() | PutBack():
            await message.ack()
        case RetryLater(delay_s):
            deliveries = message.metadata.num_delivered or 1
            await message.nak(delay=held.terms.to_ask_s(delay_s, deliveries))
        case Leave():
            pass
        case _:
            assert_never(verdict)


async def _error_of(attempt: Awaitable[Any]) -> BaseException | None:
    try:
        await attempt
    except (Exception, asyncio.CancelledError) as error:
        return error
    return None


async def _hindrance(step: Awaitable[None]) -> Exception | None:
    try:
        await step
    except Exception as hindrance:
        return hindrance
    return None


async def in_turn(call_next: CallNext, msg: StreamMessage[Any]) -> Any:
    """Waits for the turn that a driver has given a message, if it has."""
    held = held_of(msg)
    if held.turn is None:
        return await call_next(msg)
    async with held.turn(held.delivery):
        return await call_next(msg)


class Outcomes:
    """Publishes outcomes under an id made of the job's message, so that a job that runs twice has one outcome.

    Not by `@router.publisher`: FastStream publishes after its middlewares, when the job would be settled already.
    """

    def __init__(self, service: str, publisher: Callable[[], Publisher]) -> None:
        self._service = service
        self._publisher = publisher

    async def __call__(self, call_next: CallNext, msg: StreamMessage[Any]) -> Any:
        outcome, envelope = await call_next(msg), held_of(msg).delivery.envelope
        if outcome is not None and envelope is not None:
            await self._publisher().publish(
                subjects.outcome(self._service, registry.entry_of(outcome).token),
                outcome,
                id=f"{envelope.id}.outcome",
                about=envelope.subject,
                causation=envelope.id,
                correlation=envelope.correlation_id,
            )
        return outcome


class CallingOff:
    """Runs each job in a task of its own, where it can be ended by its id; the log names the job from here on."""

    def __init__(self, jobs: RunningJobs) -> None:
        self._jobs = jobs

    async def __call__(self, call_next: CallNext, msg: StreamMessage[Any]) -> Any:
        job: Job = await msg.decode()  # type: ignore[assignment]
        annotate(**job.echo(), session_id=getattr(job, "session_id", None))

        async def work() -> Any:
            return await call_next(msg)

        try:
            return await self._jobs.run(job.job_id, work)
        except JobCancelledError as cancelled:
            return JobCancelled.model_validate({**job.echo(), "usage": cancelled.usage})
