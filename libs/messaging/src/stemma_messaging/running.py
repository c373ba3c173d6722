"""The jobs that this process is at work on, so that one that nobody waits for any more can be ended."""

import asyncio
from collections.abc import Callable, Coroutine
from contextvars import ContextVar
from typing import Any

from stemma_contracts.v1.outcomes import Outcome
from stemma_contracts.v1.usage import Usage

from .cancellation import end, is_cancelled

REMEMBERED = 4096
"""Cancelled jobs that are not begun either, if they still lie in the queue."""

Spent = Callable[[], Usage]


class _Account:
    def __init__(self) -> None:
        self.spent: Spent = Usage


_current: ContextVar[_Account | None] = ContextVar("account", default=None)


def account(spent: Spent) -> None:
    """Tell how to read what the current job has spent, which counts also when the job is ended in the middle."""
    job = _current.get()
    if job is not None:
        job.spent = spent


class JobCancelledError(Exception):
    """The job was ended because nobody waits for it any more; ``usage`` is what it had spent by then."""

    def __init__(self, usage: Usage) -> None:
        super().__init__()
        self.usage = usage


class RunningJobs:
    """Runs each job in a task of its own."""

    def __init__(self) -> None:
        self._tasks: dict[str, asyncio.Task[Outcome | None]] = {}
        self._cancelled: dict[str, None] = {}
        self._ending: set[asyncio.Task[None]] = set()

    def cancel(self, job_id: str) -> None:
        """End a job, whether it is under way or comes later."""
        self._cancelled[job_id] = None
        if len(self._cancelled) > REMEMBERED:
            del self._cancelled[next(iter(self._cancelled))]
        if task := self._tasks.get(job_id):
            ending = asyncio.create_task(end([task]))
            self._ending.add(ending)
            ending.add_done_callback(self._ending.discard)

    async def run(self, job_id: str, work: Callable[[], Coroutine[Any, Any, Outcome | None]]) -> Outcome | None:
        """The outcome of a job, if it has one.

        Raises `JobCancelledError`, and `asyncio.CancelledError` if this process ends.
        """
        if job_id in self._cancelled:
            raise JobCancelledError(Usage())
        own = _Account()
        token = _current.set(own)
        task = self._tasks[job_id] = asyncio.create_task(work())
        _current.reset(token)
        try:
            return await task
        except asyncio.CancelledError:
            if is_cancelled() or job_id not in self._cancelled:
                raise
            # The tokens of a call that is cut off are told by nobody: the call counts, and all that ended before.
            raise JobCancelledError(own.spent()) from None
        finally:
            self._tasks.pop(job_id, None)
