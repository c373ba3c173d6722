"""The span of a message, and at its end the canonical log line and the metric."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager
from typing import Any

from faststream.message import StreamMessage
from opentelemetry.trace import Span, SpanKind, StatusCode
from stemma_telemetry import get_logger, names, span
from stemma_telemetry.metrics import counter, histogram

from stemma_messaging.delivery import Delivery
from stemma_messaging.held import Held, held_of
from stemma_messaging.outages import reason_of

from .chain import CallNext

_DURATION = histogram(names.Metric.PROCESS_DURATION)
_REDELIVERED = counter(names.Metric.REDELIVERED)


class Telemetry:
    """One span, one line and one measurement for each delivery, whatever became of it."""

    async def consume_scope(self, call_next: CallNext, msg: StreamMessage[Any]) -> Any:
        """Record what the middlewares within did."""
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
