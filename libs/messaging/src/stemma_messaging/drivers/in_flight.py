"""The messages that a subscription is at work on, each in a task of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

from nats.aio.subscription import Subscription
from nats.errors import Error as NatsError

from stemma_messaging.cancellation import end

DRAIN_TIMEOUT_S = 2.0


async def drain_subscription(subscription: Subscription) -> None:
    """Receive nothing more but what the server has sent already."""
    with suppress(NatsError, TimeoutError):
        async with asyncio.timeout(DRAIN_TIMEOUT_S):
            await subscription.drain()  # type: ignore[no-untyped-call]


class InFlight:
    """Work that was begun and has not ended."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def begin(self, work: Coroutine[Any, Any, None], ended: Callable[[], object] | None = None) -> None:
        """Begin work; ``ended`` is called at its end, however it ends."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        if ended is not None:
            task.add_done_callback(lambda _: ended())

    async def drain(self, grace_s: float) -> None:
        """Let work end within ``grace_s`` seconds; what does not is cancelled, which gives it back."""
        if not self._tasks:
            return
        _, late = await asyncio.wait(self._tasks, timeout=grace_s)
        await end(late)
