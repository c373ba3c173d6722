"""Dead letters: put aside with the reason; who waits for a job or an answer is told."""

from hashlib import sha256

from nats.js.api import Header
from pydantic import ValidationError
from stemma_contracts import Contract, subjects
from stemma_contracts.tokens import JobId, Token
from stemma_contracts.v1.answers import Problem, RequestRejected
from stemma_contracts.v1.outcomes import JobDead
from stemma_telemetry.metrics import counter
from stemma_telemetry.names import Attr, Metric

from .addresses import last_token, subject_service
from .delivery import Delivery
from .publisher import Publisher, carried
from .verdict import FOREIGN, DeadLetter

REASON = "stemma-dead-reason"
ERROR = "stemma-dead-error"
SUBJECT = "stemma-dead-subject"
SEQUENCE = "stemma-dead-sequence"
DELIVERIES = "stemma-dead-deliveries"
JOB_DEAD = "job-dead"
_DEAD = counter(Metric.DEAD)


class _Document(Contract):
    document_id: Token
    tenant: Token


class _Section(Contract):
    section_id: Token


class _Identity(Contract):
    job_id: JobId
    tenant: Token
    document_id: Token
    section_id: Token | None = None


class _AnyRequest(Contract):
    """What can still be read of a request whose other fields may be wrong."""

    request_id: Token | None = None


class _AnyJob(Contract):
    """What can still be read of a job whose other fields may be wrong."""

    job_id: JobId
    document: _Document
    section: _Section | None = None


async def publish_dead_letter(
    delivery: Delivery, verdict: DeadLetter, error: BaseException | None, service: str, publisher: Publisher
) -> None:
    """Store the dead letter, then tell who waits for it; ids make the repetition harmless."""
    subject = subjects.dead(service, last_token(delivery.subject))
    stored = await publisher.store(subject, delivery.data, _headers(delivery, verdict, error))
    if not stored.duplicate:
        _DEAD.add(1, {Attr.MESSAGING_DESTINATION: delivery.template, Attr.DEAD_REASON: verdict.reason})
    match delivery.stream:
        case subjects.JOBS | subjects.OUTCOMES if verdict.reason != FOREIGN:
            await _tell_of_job(delivery, verdict, error, service, publisher)
        case subjects.REQUESTS:
            await _answer_request(delivery, publisher)


async def _tell_of_job(
    delivery: Delivery, verdict: DeadLetter, error: BaseException | None, service: str, publisher: Publisher
) -> None:
    """Its section fails visibly, also when it is the outcome that cannot be taken in."""
    job = _read_job(delivery)
    if job is None or last_token(delivery.subject) == JOB_DEAD:
        return
    await publisher.publish(
        subjects.outcome(service, JOB_DEAD),
        JobDead(
            **job.model_dump(),
            detail=f"{verdict.reason}: {type(error).__name__}",
            service=subject_service(delivery.subject),
        ),
        id=f"{job.job_id}.dead",
        about=f"{job.tenant}/{job.document_id}",
        causation=delivery.headers.get("ce-id", ""),
        correlation=delivery.headers.get("ce-correlationid", ""),
    )


async def _answer_request(delivery: Delivery, publisher: Publisher) -> None:
    """Its caller is told, if the subject says who that is."""
    try:
        tenant = subjects.parse_request(delivery.subject).tenant
    except ValueError:
        return
    request_id = _request_id(delivery)
    rejected = RequestRejected(
        request_id=request_id,
        request_sequence=delivery.stream_sequence,
        request_digest=sha256(delivery.data).hexdigest(),
        problems=(Problem.of("request_dead"),),
    )
    await publisher.publish(
        subjects.answer(tenant, request_id),
        rejected,
        id=f"answer-{delivery.stream_sequence}-dead",
        about=f"{tenant}/{request_id}",
        correlation=request_id,
    )


def _request_id(delivery: Delivery) -> str:
    try:
        own = _AnyRequest.model_validate_json(delivery.data).request_id
    except ValidationError:
        own = None
    return own or f"seq-{delivery.stream_sequence}"


def _headers(delivery: Delivery, verdict: DeadLetter, error: BaseException | None) -> dict[str, str]:
    return carried(delivery.headers) | {
        Header.MSG_ID: f"dead.{delivery.stream}.{delivery.consumer}.{delivery.stream_sequence}",
        REASON: verdict.reason,
        ERROR: type(error).__name__,
        SUBJECT: delivery.subject,
        SEQUENCE: str(delivery.stream_sequence),
        DELIVERIES: str(delivery.deliveries),
    }


def _read_job(delivery: Delivery) -> _Identity | None:
    try:
        if delivery.stream == subjects.OUTCOMES:
            return _Identity.model_validate_json(delivery.data)
        job = _AnyJob.model_validate_json(delivery.data)
    except ValidationError:
        return None
    section_id = job.section.section_id if job.section else None
    document = job.document
    return _Identity(job_id=job.job_id, tenant=document.tenant, document_id=document.document_id, section_id=section_id)
