"""What one task keeps up to date for all who follow it: it runs while somebody does, and wakes them by its news."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

from stemma_client import StemmaError
from stemma_messaging.cancellation import end


class Keeper:
    """Runs a task from the first follower on, and for a while after the last one; for ever if no while is named."""

    def __init__(self, keep: Callable[[], Coroutine[Any, Any, None]], lingers_s: float | None = None) -> None:
        self._keep = keep
        self._lingers_s = lingers_s
        self._task: asyncio.Task[None] | None = None
        self._followers = 0
        self._news = 0
        self._woken = asyncio.Event()

    @asynccontextmanager
    async def followed(self) -> AsyncIterator[None]:
        """Keep up to date while the block runs."""
        self._followers += 1
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._keep())
        try:
            yield
        finally:
            self._followers -= 1
            if self._lingers_s is not None:
                asyncio.get_running_loop().call_later(self._lingers_s, self._end_unless_followed)

    def tell(self) -> None:
        """Wake all who follow: there is news."""
        self._news += 1
        woken, self._woken = self._woken, asyncio.Event()
        woken.set()

    async def news_after(self, seen: int) -> int:
        """The number of the last news, once there is another one than was seen; raises what the task raised."""
        while self._news == seen:
            woken, task = asyncio.create_task(self._woken.wait()), self._task
            assert task is not None
            try:
                await asyncio.wait({woken, task}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                woken.cancel()
            if task.done():
                task.result()
                raise StemmaError("nothing more is told")
        return self._news

    async def stop(self) -> None:
        """End it, whoever follows."""
        await end([self._task] if self._task else [])

    def _end_unless_followed(self) -> None:
        if self._task and not self._followers:
            self._task.cancel()
            self._task = None
