"""What arrives: translate, call, publish. Rules are in the domain, settlement is in the messaging library."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from faststream import AckPolicy
from faststream.nats import JStream, NatsRouter
from stemma_contracts import Entry, Family, registry, subjects
from stemma_contracts.subjects import ANY
from stemma_contracts.v1.outcomes import Outcome
from stemma_domain.work import may_report
from stemma_eventlog import Cause
from stemma_messaging import Delivery, ForeignMessage, InvalidMessage
from stemma_telemetry import annotate, inject

from stemma_orchestrator.answers import Answers
from stemma_orchestrator.command_service import CommandService
from stemma_orchestrator.lost import AdvisoryHandler
from stemma_orchestrator.projector import Projector
from stemma_orchestrator.timers import elapsed


@dataclass(frozen=True)
class Tools:
    commands: CommandService
    answers: Answers
    projector: Projector
    advisories: AdvisoryHandler


def routes(tools: Callable[[], Tools]) -> NatsRouter:
    """The handlers of this service; ``tools`` are there once it runs.

    Each needs more than a contract: who asks or reports stands in the subject, a request that is none is answered field
    by field, events come without their body, and the server's advisories are no contracts. `Answers` reads a
    request, has `Bounds` check it and `CommandService` decide it, and publishes the answer.
    """
    router = NatsRouter(ack_policy=AckPolicy.MANUAL)

    @router.subscriber(subjects.request_of(ANY, ANY, ANY), stream=JStream(subjects.REQUESTS, declare=False))
    @router.subscriber(subjects.request(ANY, ANY), stream=JStream(subjects.REQUESTS, declare=False))
    async def request(delivery: Delivery) -> None:
        await tools().answers(delivery)

    @router.subscriber(subjects.outcome(ANY, ANY), stream=JStream(subjects.OUTCOMES, declare=False))
    async def outcome(delivery: Delivery) -> None:
        await on_outcome(delivery, commands=tools().commands)

    @router.subscriber(subjects.event(ANY, ANY, ANY), stream=JStream(subjects.EVENTS, declare=False))
    async def event(delivery: Delivery) -> None:
        await tools().projector.on_event(delivery)

    every_timer = subjects.elapsed(ANY, ANY, ANY, ANY)

    @router.subscriber(every_timer, stream=JStream(subjects.TIMERS, declare=False), include_in_schema=False)
    async def timer(delivery: Delivery) -> None:
        await on_elapsed(delivery, commands=tools().commands)

    async def advisory(delivery: Delivery) -> None:
        await tools().advisories.on_advisory(delivery)

    for subject in subjects.ADVISORY_SUBJECTS:
        subscribed = router.subscriber(
            subject, stream=JStream(subjects.ADVISORIES, declare=False), include_in_schema=False
        )
        subscribed(advisory)
    return router


async def on_outcome(delivery: Delivery, *, commands: CommandService) -> None:
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
        source=subjects.ORCHESTRATOR,
        time=delivery.time,
        correlation_id=envelope.correlation_id if envelope else "",
        trace=inject(),
    )
    await commands.outcome(outcome, cause)


async def on_elapsed(delivery: Delivery, *, commands: CommandService) -> None:
    stream, timer = elapsed(delivery)
    annotate(tenant=stream.tenant, document_id=stream.document_id, section_id=timer.timer.section_id)
    cause = Cause(f"timer-{delivery.stream_sequence}", subjects.ORCHESTRATOR, delivery.time, trace=inject())
    await commands.elapsed(stream, timer, cause)


def _refuse_foreign(outcome: Outcome, subject: str) -> None:
    """The server lets a service publish under its own name alone: what it says of others' jobs does not count."""
    try:
        sender = subjects.parse_outcome(subject)
    except ValueError as error:
        raise InvalidMessage(str(error)) from None
    entry = registry.entry_of(outcome)
    if entry.token != sender.name or not may_report(sender.service, outcome):
        raise ForeignMessage(f"{entry.ce_type} of {outcome.job_id} is not for {sender.service} to report")


def publications() -> NatsRouter:
    """Publishers that publish nothing: one for each contract and address."""
    router = NatsRouter()
    for entry in registry.entries():
        for stream, subject in _addresses(entry):
            made = JStream(stream, declare=False)
            router.publisher(subject, stream=made, schema=entry.cls, title=f"{subject}:{entry.token}")
    return router


def _addresses(entry: Entry) -> Iterator[tuple[str, str]]:
    match entry.family:
        case Family.JOB if entry.service is not None:
            yield subjects.JOBS, subjects.job(entry.service, entry.token)
            yield subjects.JOBS, subjects.bulk_job(entry.service, entry.token)
        case Family.EVENT:
            yield subjects.EVENTS, subjects.event(ANY, ANY, entry.token)
        case Family.ANSWER:
            yield subjects.ANSWERS, subjects.answer(ANY, ANY)
