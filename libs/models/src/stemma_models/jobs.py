"""A job that calls models: for whom, what its outcome echoes, and what becomes of a model that fails."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any, TypeVar

from stemma_contracts.v1.jobs import Job, ModelJob, ProposeRequirements, SectionJob
from stemma_contracts.v1.outcomes import AnswerMalformed, ContextTooLong, ModelUnavailable

from .caller import CallContext
from .errors import ContextTooLongError, MalformedAnswerError, ModelUnavailableError

T = TypeVar("T")


def call_context(job: Job, thread_id: str = "") -> CallContext:
    """For whom the calls of a job are made."""
    recorded_as, before = (job.recorded_as, job.recorded_before) if isinstance(job, ModelJob) else ("", ())
    if isinstance(job, ProposeRequirements):
        before = job.recorded_before
    return CallContext(
        job.document.tenant,
        job.document.document_id,
        job.section.section_id if isinstance(job, SectionJob) else "",
        job.job_id,
        thread_id,
        recorded_as=recorded_as or thread_id or job.job_id,
        recorded_before=before,
    )


def echo(job: Job, context: CallContext) -> dict[str, Any]:
    """The fields that every outcome of a job has, with what was spent by now."""
    return {
        "job_id": job.job_id,
        "tenant": job.document.tenant,
        "document_id": job.document.document_id,
        "section_id": job.section.section_id if isinstance(job, SectionJob) else None,
        "usage": context.meter.total,
    }


async def or_failure(
    job: SectionJob, context: CallContext, work: Awaitable[T]
) -> T | ModelUnavailable | AnswerMalformed | ContextTooLong:
    """What the work gives, or the outcome that says how the model failed."""
    try:
        return await work
    except ModelUnavailableError as error:
        return ModelUnavailable(**echo(job, context), detail=error.detail)
    except MalformedAnswerError as error:
        return AnswerMalformed(**echo(job, context), detail=error.detail)
    except ContextTooLongError as error:
        return ContextTooLong(
            **echo(job, context),
            detail=error.detail,
            prompt_tokens=error.prompt_tokens,
            context_tokens=error.context_tokens,
        )
