"""A job that nobody waits for any more is ended in the middle, and tells what it spent."""

from __future__ import annotations

from typing import Any

from faststream.message import StreamMessage
from stemma_contracts.v1.jobs import Job, SectionJob
from stemma_contracts.v1.outcomes import JobCancelled
from stemma_telemetry import annotate

from stemma_messaging.running import JobCancelledError, RunningJobs

from .chain import CallNext


class CallingOff:
    """Runs each job in a task of its own, where it can be ended by its id; the log names the job from here on."""

    def __init__(self, jobs: RunningJobs) -> None:
        self._jobs = jobs

    async def consume_scope(self, call_next: CallNext, msg: StreamMessage[Any]) -> Any:
        """The outcome of the job, or that it was called off."""
        job: Job = await msg.decode()  # type: ignore[assignment]
        told = _identity(job)
        annotate(**told, session_id=getattr(job, "session_id", None))

        async def work() -> Any:
            return await call_next(msg)

        try:
            return await self._jobs.run(job.job_id, work)
        except JobCancelledError as cancelled:
            return JobCancelled.model_validate({**told, "usage": cancelled.usage})


def _identity(job: Job) -> dict[str, str | None]:
    return {
        "tenant": job.document.tenant,
        "document_id": job.document.document_id,
        "section_id": job.section.section_id if isinstance(job, SectionJob) else None,
        "job_id": job.job_id,
    }
