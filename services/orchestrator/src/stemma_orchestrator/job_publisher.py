"""Publish the jobs that a state asks for; the ids of the messages make the repetition harmless.

Jobs that a decision closed are called off, so that no more is spent on them. Who does not hear it works in vain.
How many jobs each tenant has open is known as far as this process heard; in doubt as the log has it.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field

from cachetools import LRUCache
from stemma_contracts import registry, subjects
from stemma_contracts.v1.events import AnyEvent
from stemma_contracts.v1.jobs import Job, SectionJob
from stemma_contracts.v1.outcomes import JobDead
from stemma_domain.commands import Command
from stemma_domain.state import State
from stemma_domain.work import closed_jobs, open_jobs, openings
from stemma_eventlog import Cause, EventStore, FoldFailed, StreamId
from stemma_messaging import MessageTooLarge, Publisher
from stemma_messaging.dead import JOB_DEAD
from stemma_messaging.publisher import next_id
from stemma_telemetry import bind


@dataclass(frozen=True)
class Open:
    """The open jobs of a document, and when they were heard of, in seconds of a clock that never goes back."""

    job_ids: frozenset[str]
    at: float = field(default_factory=time.monotonic)


def _any(_: str) -> bool:
    return True


class OpenCount:
    """Counts open jobs by tenant. Another process may have closed some that this one knows as open."""

    def __init__(self, store: EventStore[Command, State, AnyEvent]) -> None:
        self._store = store
        self._open: dict[str, dict[str, Open]] = {}

    def note(self, stream: StreamId, job_ids: Iterable[str]) -> Open:
        documents = self._open.setdefault(stream.tenant, {})
        documents.pop(stream.document_id, None)
        noted = Open(frozenset(job_ids))
        if noted.job_ids:
            documents[stream.document_id] = noted
        return noted

    async def room(self, tenant: str, most: int, trusted_s: float, counts: Callable[[str], bool] = _any) -> int:
        """How many more jobs a tenant may have open, of ``most`` that count.

        If there seems to be no room, what was heard longer than ``trusted_s`` seconds ago is looked up in the log, that
        which was heard first before the rest, until it is known that there is none.
        """
        known = self._open.get(tenant, {})
        if (seen := sum(_number(each, counts) for each in known.values())) < most:
            return most - seen
        sure = 0
        for document_id, heard in [each for each in known.items() if _number(each[1], counts)]:
            trusted = time.monotonic() - heard.at <= trusted_s
            sure += _number(heard if trusted else await self._as_logged(StreamId(tenant, document_id), heard), counts)
            if sure >= most:
                return 0
        return most - sure

    async def _as_logged(self, stream: StreamId, heard: Open) -> Open:
        try:
            return self.note(stream, openings((await self._store.load(stream)).state))
        except FoldFailed:  # that document stands still, the others of its tenant go on
            return heard


def _number(heard: Open, counts: Callable[[str], bool]) -> int:
    return sum(map(counts, heard.job_ids))


_REMEMBERED = 4096
TRUSTED_S = 30.0
"""How long what was heard of open jobs is believed: a place in the queue is worth no more."""

CallOff = Callable[[str, str], Awaitable[None]]
IsQueued = Callable[[int], Awaitable[bool]]
Lane = Callable[[str, str], str]


@dataclass
class Published:
    """The open jobs of a document that this process published; the lock is held while it publishes more."""

    job_ids: frozenset[str] = frozenset()
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class JobPublisher:
    """Publishes open jobs, each once by this process; another process may publish the same again."""

    def __init__(
        self, publisher: Publisher, call_off: CallOff, open_count: OpenCount, bulk_from: int, kinds: Mapping[str, str]
    ) -> None:
        self._publisher = publisher
        self._call_off = call_off
        self._published: LRUCache[StreamId, Published] = LRUCache(_REMEMBERED)
        self._open = open_count
        self._bulk_from = bulk_from
        self._kinds = kinds

    async def publish(self, stream: StreamId, state: State, cause: Cause) -> None:
        """Publish what is open and was not published yet; what another call publishes right now is waited for."""
        published = self._published[stream] = self._published.get(stream) or Published()
        async with published.lock:
            jobs = openings(state)
            new = [task.make(*about) for job_id, task, about in jobs.values() if job_id not in published.job_ids]
            self._open.note(stream, published.job_ids & jobs.keys())
            lanes = await self._lanes(stream.tenant, len(new))
            self._open.note(stream, jobs)
            together = zip(new, lanes, strict=True)
            await asyncio.gather(*(self._publish(job, cause, job.job_id, lane) for job, lane in together))
            published.job_ids = frozenset(jobs)

    async def _lanes(self, tenant: str, number: int) -> list[Lane]:
        """Where new jobs go: those that a tenant has open beyond its number go behind the jobs of others."""
        if not number:
            return []
        room = await self._open.room(tenant, self._bulk_from, TRUSTED_S)
        return [subjects.job if place < room else subjects.bulk_job for place in range(number)]

    async def publish_lost(self, stream: StreamId, state: State, cause: Cause, is_queued: IsQueued) -> None:
        """Publish what is open and lies in no queue; the server still refuses the id of a message that was lost."""
        jobs = open_jobs(state)
        for job, lane in zip(jobs, await self._lanes(stream.tenant, len(jobs)), strict=True):
            message_id = job.job_id
            while (earlier := await self._publish(job, cause, message_id, lane)) and not await is_queued(earlier):
                message_id = next_id(message_id)
        self._open.note(stream, (job.job_id for job in jobs))

    async def publish_one(self, job: Job, cause: Cause) -> None:
        await self._publish(job, cause, f"{job.job_id}.{cause.id}", subjects.job)

    async def call_off(self, stream: StreamId, before: State, after: State) -> None:
        for job_id in sorted(closed_jobs(before, after)):
            await self._call_off(stream.tenant, job_id)

    async def _publish(self, job: Job, cause: Cause, id: str, lane: Lane) -> int | None:
        """The sequence under which a message with that id was stored before, if one was."""
        entry = registry.entry_of(job)
        assert entry.service is not None
        with bind(**job.echo()):
            try:
                stored = await self._publisher.publish(
                    lane(entry.service, entry.token),
                    self._of_kind(job),
                    id=id,
                    about=f"{job.document.tenant}/{job.document.document_id}",
                    causation=cause.id,
                    correlation=cause.correlation_id,
                )
            except MessageTooLarge as error:
                await self._give_up(job, cause, str(error))
                return None
        return stored.seq if stored.duplicate else None

    def _of_kind(self, job: Job) -> Job:
        """The job with the digest of the data of its document kind, as it is now, whenever the job was opened."""
        if not isinstance(job, SectionJob):
            return job
        return job.model_copy(update={"kind_digest": self._kinds.get(job.document.kind)})

    async def _give_up(self, job: Job, cause: Cause, why: str) -> None:
        """A job that no message can carry fails by itself; the rest of its document goes on."""
        dead = JobDead(**job.echo(), detail=why)
        await self._publisher.publish(
            subjects.outcome(subjects.ORCHESTRATOR, JOB_DEAD),
            dead,
            id=f"{job.job_id}.dead",
            about=f"{dead.tenant}/{dead.document_id}",
            causation=cause.id,
            correlation=cause.correlation_id,
        )
