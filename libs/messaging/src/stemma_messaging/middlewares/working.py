"""What goes on while a handler is at work: signs of life, waiting for its turn, and the end of a cancelled job."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from faststream.message import StreamMessage
from nats.errors import Error as NatsError
from stemma_contracts.v1.jobs import Job, SectionJob
from stemma_contracts.v1.outcomes import JobCancelled
from stemma_telemetry import annotate

from stemma_messaging.held import Held, held_of
from stemma_messaging.running import JobCancelledError, RunningJobs

from .chain import CallNext

TOGETHER = 0.5
"""Of the time between two signs: those that are due within it are given now, and from then on together.

What a sign costs here and in the server is mostly that both wake up for it.
"""


class Heartbeat:
    """Tells the server, time and again, that a message is still worked on, until it is settled."""

    def __init__(self) -> None:
        self._rounds: dict[float, _Rounds] = {}

    async def consume_scope(self, call_next: CallNext, msg: StreamMessage[Any]) -> Any:
        """Beat while the middlewares within are at work."""
        held = held_of(msg)
        every_s = held.terms.beat_every_s
        rounds = self._rounds.get(every_s) or self._rounds.setdefault(every_s, _Rounds(every_s))
        with rounds.of(held):
            return await call_next(msg)


class _Rounds:
    """One timer for all messages, most of which are done before their first sign; none while there is no message."""

    def __init__(self, every_s: float) -> None:
        self._every_s = every_s
        self._due: dict[int, tuple[float, Held]] = {}
        """When each message is due, the soonest first."""
        self._timer: asyncio.TimerHandle | None = None
        self._giving: set[asyncio.Task[None]] = set()

    @contextmanager
    def of(self, held: Held) -> Iterator[None]:
        """Give signs of a message in this block."""
        self._put_off(held)
        if self._timer is None:
            self._wait()
        try:
            yield
        finally:
            del self._due[id(held)]

    def _put_off(self, held: Held) -> None:
        self._due.pop(id(held), None)
        self._due[id(held)] = _now() + self._every_s, held

    def _wait(self) -> None:
        first, _ = next(iter(self._due.values()))
        self._timer = asyncio.get_running_loop().call_at(first, self._round)

    def _round(self) -> None:
        self._timer, until = None, _now() + self._every_s * TOGETHER
        if due := [held for at, held in self._due.values() if at <= until]:
            task = asyncio.create_task(self._give(due))
            self._giving.add(task)
            task.add_done_callback(self._giving.discard)
        for held in due:
            self._put_off(held)
        if self._due:
            self._wait()

    async def _give(self, due: Sequence[Held]) -> None:
        """Not of one that is settled by now: it would come again sooner or later than it is to."""
        for held in due:
            if id(held) in self._due:
                with suppress(NatsError):
                    await held.message.in_progress()


def _now() -> float:
    return asyncio.get_running_loop().time()


class InTurn:
    """Waits for the turn that a driver has given a message, if it has."""

    async def consume_scope(self, call_next: CallNext, msg: StreamMessage[Any]) -> Any:
        """Begin at once where no turns are given."""
        held = held_of(msg)
        if held.turn is None:
            return await call_next(msg)
        async with held.turn(held.delivery):
            return await call_next(msg)


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
