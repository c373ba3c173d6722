"""Publish the jobs that a state asks for; the ids of the messages make the repetition harmless."""

from __future__ import annotations

import asyncio
from collections import OrderedDict

from stemma_contracts import registry, subjects
from stemma_contracts.v1.jobs import Job, SectionJob
from stemma_eventlog import Cause, StreamId
from stemma_messaging import Publisher
from stemma_telemetry import bind

from .core.jobs import open_jobs
from .core.state import State

_REMEMBERED = 4096


class OpenJobs:
    """Publishes open jobs, each once by this process; another process may publish the same again."""

    def __init__(self, publisher: Publisher) -> None:
        self._publisher = publisher
        self._published: OrderedDict[StreamId, frozenset[str]] = OrderedDict()

    async def publish(self, stream: StreamId, state: State, cause: Cause) -> None:
        """Publish what is open and was not published yet."""
        jobs = open_jobs(state)
        known = self._published.get(stream, frozenset())
        await asyncio.gather(*(self._publish(job, cause) for job in jobs if job.job_id not in known))
        self._remember(stream, frozenset(job.job_id for job in jobs))

    async def _publish(self, job: Job, cause: Cause) -> None:
        entry = registry.entry_of(job)
        assert entry.service is not None
        with bind(job_id=job.job_id, section_id=job.section.section_id if isinstance(job, SectionJob) else None):
            await self._publisher.publish(
                subjects.job(entry.service, entry.token),
                job,
                id=job.job_id,
                about=f"{job.document.tenant}/{job.document.document_id}",
                causation=cause.id,
                correlation=cause.correlation_id,
            )

    def _remember(self, stream: StreamId, job_ids: frozenset[str]) -> None:
        self._published[stream] = job_ids
        self._published.move_to_end(stream)
        while len(self._published) > _REMEMBERED:
            self._published.popitem(last=False)
