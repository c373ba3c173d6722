"""Deleting threads that came to their end, some time after it: a redelivered job still finds its result."""

from __future__ import annotations

import asyncio
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver

KEPT_S = 3600.0


class ThreadCleaner:
    """Deletes settled threads after a while; a thread that waits is never one of them."""

    def __init__(self, checkpointer: BaseCheckpointSaver[Any], kept_s: float = KEPT_S) -> None:
        self._checkpointer = checkpointer
        self._kept_s = kept_s
        self._deleting: dict[str, asyncio.Task[None]] = {}

    def settled(self, thread_id: str) -> None:
        """A thread came to its end; telling it twice is harmless."""
        if thread_id not in self._deleting:
            self._deleting[thread_id] = asyncio.create_task(self._delete(thread_id))

    async def _delete(self, thread_id: str) -> None:
        await asyncio.sleep(self._kept_s)
        await self._checkpointer.adelete_thread(thread_id)
        del self._deleting[thread_id]

    def close(self) -> None:
        """Delete nothing more."""
        for task in self._deleting.values():
            task.cancel()
