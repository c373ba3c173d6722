"""Dead letters: put aside with the reason, and for a job the typed outcome that it is dead."""

from __future__ import annotations

from nats.js.api import Header
from pydantic import ValidationError
from stemma_contracts import Contract, subjects
from stemma_contracts.tokens import JobId, Token
from stemma_contracts.v1.outcomes import JobDead

from .addresses import last_token
from .delivery import Delivery
from .publisher import Publisher
from .verdict import DeadLetter

REASON = "stemma-dead-reason"
ERROR = "stemma-dead-error"
SUBJECT = "stemma-dead-subject"
SEQUENCE = "stemma-dead-sequence"
DELIVERIES = "stemma-dead-deliveries"


class _Document(Contract):
    document_id: Token
    tenant: Token


class _Section(Contract):
    section_id: Token


class _AnyJob(Contract):
    """What can still be read of a job whose other fields may be wrong."""

    job_id: JobId
    document: _Document
    section: _Section | None = None


async def bury(
    delivery: Delivery, verdict: DeadLetter, error: BaseException | None, service: str, publisher: Publisher
) -> None:
    """Store the dead letter, then tell the orchestrator if it was a job; ids make the repetition harmless."""
    subject = subjects.dead(service, last_token(delivery.subject))
    await publisher.store(subject, delivery.data, _headers(delivery, verdict, error))
    job = _read_job(delivery)
    if job is not None:
        await publisher.publish(
            subjects.outcome(service, "job-dead"),
            _job_dead(job, verdict, error),
            id=f"{job.job_id}.dead",
            about=f"{job.document.tenant}/{job.document.document_id}",
            causation=delivery.headers.get("ce-id", ""),
            correlation=delivery.headers.get("ce-correlationid", ""),
        )


def _headers(delivery: Delivery, verdict: DeadLetter, error: BaseException | None) -> dict[str, str]:
    """The original headers but those that are orders to the server."""
    original = {key: value for key, value in delivery.headers.items() if not key.lower().startswith("nats-")}
    return original | {
        Header.MSG_ID: f"dead.{delivery.stream}.{delivery.consumer}.{delivery.stream_sequence}",
        REASON: verdict.reason,
        ERROR: type(error).__name__,
        SUBJECT: delivery.subject,
        SEQUENCE: str(delivery.stream_sequence),
        DELIVERIES: str(delivery.deliveries),
    }


def _read_job(delivery: Delivery) -> _AnyJob | None:
    if delivery.stream != subjects.JOBS:
        return None
    try:
        return _AnyJob.model_validate_json(delivery.data)
    except ValidationError:
        return None


def _job_dead(job: _AnyJob, verdict: DeadLetter, error: BaseException | None) -> JobDead:
    return JobDead(
        job_id=job.job_id,
        tenant=job.document.tenant,
        document_id=job.document.document_id,
        section_id=job.section.section_id if job.section else None,
        detail=f"{verdict.reason}: {type(error).__name__}",
    )
