"""What arrives: translate, call, publish. The rules are in ``core``, settlement is in the messaging library."""

from __future__ import annotations

from stemma_contracts import registry, subjects
from stemma_contracts.v1.answers import RequestAccepted, RequestRejected
from stemma_contracts.v1.outcomes import Outcome
from stemma_eventlog import Cause
from stemma_messaging import Delivery, ForeignMessage, InvalidMessage
from stemma_telemetry import annotate, get_logger, inject

from .answers import Answers
from .core.senders import may_tell
from .desk import Desk, id_used_before
from .requests import read_request

SOURCE = f"/{subjects.ORCHESTRATOR}"


async def on_request(delivery: Delivery, *, desk: Desk, answers: Answers) -> None:
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
    async with answers.one_at_a_time(received):
        if not await answers.belongs_to_another(received):
            answer = await desk.request(received, cause, delivery.time, delivery.waiting)
        else:
            answer = id_used_before(received)
        annotate(document_id=answer.document_id or "")
        _log(answer)
        await answers.publish(answer, received, cause)


def _log(answer: RequestAccepted | RequestRejected) -> None:
    if isinstance(answer, RequestRejected):
        get_logger().info("request_rejected", fields=",".join(problem.field for problem in answer.problems)[:200])


async def on_outcome(delivery: Delivery, *, desk: Desk) -> None:
    """Take in the outcome of a job."""
    outcome = delivery.decode(Outcome)
    _refuse_foreign(outcome, delivery.subject)
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


def _refuse_foreign(outcome: Outcome, subject: str) -> None:
    """The server lets a service publish under its own name alone: what it says of others' jobs does not count."""
    try:
        sender = subjects.parse_outcome(subject)
    except ValueError as error:
        raise InvalidMessage(str(error)) from None
    entry = registry.entry_of(outcome)
    if entry.token != sender.name or not may_tell(sender.service, outcome):
        raise ForeignMessage(f"{entry.ce_type} of {outcome.job_id} is not for {sender.service} to tell")
