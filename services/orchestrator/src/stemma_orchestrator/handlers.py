"""What arrives: translate, call, publish. The rules are in ``core``, settlement is in the messaging library."""

from __future__ import annotations

from stemma_contracts import registry, subjects
from stemma_contracts.v1.answers import RequestAccepted, RequestRejected
from stemma_contracts.v1.outcomes import Outcome
from stemma_eventlog import Cause
from stemma_messaging import Delivery, Publisher
from stemma_telemetry import annotate, get_logger, inject

from .desk import Desk
from .requests import Received, read_request

SOURCE = f"/{subjects.ORCHESTRATOR}"


async def on_request(delivery: Delivery, *, desk: Desk, publisher: Publisher) -> None:
    """Answer a request event."""
    received = read_request(delivery.subject, delivery.headers, delivery.data, delivery.stream_sequence)
    annotate(tenant=received.tenant, request_id=received.asked.request_id)
    cause = Cause(
        id=f"request-{delivery.stream_sequence}",
        source=SOURCE,
        time=delivery.time,
        correlation_id=received.asked.request_id,
        trace=inject(),
    )
    answer = await desk.request(received, cause, delivery.time)
    annotate(document_id=answer.document_id or "")
    await _answer(answer, received, publisher, cause)


async def _answer(
    answer: RequestAccepted | RequestRejected, received: Received, publisher: Publisher, cause: Cause
) -> None:
    if isinstance(answer, RequestRejected):
        fields = ",".join(problem.field for problem in answer.problems)[:200]
        get_logger().info("request_rejected", fields=fields)
    await publisher.publish(
        subjects.answer(received.tenant, answer.request_id),
        answer,
        id=f"answer-{received.sequence}-{registry.entry_of(answer).token}",
        about=f"{received.tenant}/{answer.document_id or answer.request_id}",
        causation=cause.id,
        correlation=answer.request_id,
    )


async def on_outcome(delivery: Delivery, *, desk: Desk) -> None:
    """Take in the outcome of a job."""
    outcome = delivery.decode(Outcome)
    envelope = delivery.envelope
    annotate(
        tenant=outcome.tenant,
        document_id=outcome.document_id,
        section_id=outcome.section_id or "",
        job_id=outcome.job_id,
    )
    cause = Cause(
        id=envelope.id if envelope else outcome.job_id,
        source=SOURCE,
        time=delivery.time,
        correlation_id=envelope.correlation_id if envelope else "",
        trace=inject(),
    )
    await desk.outcome(outcome, cause)
