"""Worker services: jobs in, outcomes out."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from stemma_contracts import registry, subjects
from stemma_contracts.v1.jobs import Job, SectionJob
from stemma_contracts.v1.outcomes import JobCancelled, Outcome
from stemma_telemetry import annotate

from .bus import Bus
from .delivery import Delivery
from .errors import InvalidMessage
from .handling import Handler
from .running import JobCancelledError, RunningJobs
from .service import Service
from .settings import WorkerSettings
from .turns import Turns

W = TypeVar("W", bound=WorkerSettings)
JobHandler = Callable[[Any], Awaitable[Outcome | None]]
Handlers = Mapping[type[Job], JobHandler]
Capabilities = Mapping[str, Sequence[str] | Mapping[str, object]]


@dataclass(frozen=True)
class Worker:
    """Handlers, and what the service tells that it can do: names by kind, for example its graphs, or JSON values."""

    handlers: Handlers
    capabilities: Capabilities = field(default_factory=dict)


OpenHandlers = Callable[[W, Bus], AbstractAsyncContextManager[Worker | Handlers]]


def worker_service(
    name: str,
    settings_class: type[W],
    open_handlers: OpenHandlers[W],
    *,
    consumer: Literal["pull", "push"] = "pull",
    check: Callable[[W], None] = lambda _: None,
) -> Service[W]:
    """A service that handles the jobs of ``name``: pulled into slots, or pushed if its handlers are short, and in turn.

    A handler is an async function from a job to its outcome, if it has one. The outcome is stored before the job is
    acknowledged, under an id made of its message's, so that a job that runs twice has one outcome. ``check`` is as
    `Service` has it.
    """

    @asynccontextmanager
    async def opened_worker(settings: W, bus: Bus) -> AsyncIterator[None]:
        async with open_handlers(settings, bus) as opened:
            worker = opened if isinstance(opened, Worker) else Worker(opened)
            await bus.publish_capabilities(_encoded(worker.capabilities))
            handler = _job_handler(bus, worker.handlers)
            lanes = tuple(subjects.job_consumers(name))
            if consumer == "push":
                bus.subscribe_push(subjects.JOBS, lanes, Turns(settings.slots).in_turn(handler))
            else:
                bus.subscribe_pull(subjects.JOBS, lanes, settings.slots, handler)
            yield

    return Service(name, settings_class, opened_worker, check)


def _job_handler(bus: Bus, handlers: Handlers) -> Handler:
    jobs = RunningJobs()
    if bus.service in subjects.LONG_WORKERS:
        bus.on_cancelled_job(jobs.cancel)

    async def handle(delivery: Delivery) -> None:
        job = delivery.decode(Job)
        if type(job) not in handlers:
            raise InvalidMessage(f"{type(job).__name__} is no job of {bus.service}")
        annotate(**_identity(job), session_id=getattr(job, "session_id", None))
        outcome = await _outcome(jobs, job, handlers[type(job)])
        if outcome is not None:
            await _publish_outcome(bus, delivery, job, outcome)

    return handle


async def _outcome(jobs: RunningJobs, job: Job, handler: JobHandler) -> Outcome | None:
    async def work() -> Outcome | None:
        return await handler(job)

    try:
        return await jobs.run(job.job_id, work)
    except JobCancelledError as cancelled:
        return JobCancelled(**_identity(job), usage=cancelled.usage)


async def _publish_outcome(bus: Bus, delivery: Delivery, job: Job, outcome: Outcome) -> None:
    envelope = delivery.envelope
    assert envelope is not None
    await bus.publisher.publish(
        subjects.outcome(bus.service, registry.entry_of(outcome).token),
        outcome,
        id=f"{envelope.id}.outcome",
        about=envelope.subject,
        causation=envelope.id,
        correlation=envelope.correlation_id,
    )


def _identity(job: Job) -> dict[str, str | None]:
    return {
        "tenant": job.document.tenant,
        "document_id": job.document.document_id,
        "section_id": job.section.section_id if isinstance(job, SectionJob) else None,
        "job_id": job.job_id,
    }


def _encoded(capabilities: Capabilities) -> bytes:
    """JSON that is the same each time."""
    told = {kind: told if isinstance(told, Mapping) else sorted(told) for kind, told in capabilities.items()}
    return json.dumps(told, sort_keys=True).encode()
