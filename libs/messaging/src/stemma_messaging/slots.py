"""The pull worker for long jobs: one loop that fetches a message for every slot that is free."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.errors import TimeoutError as NatsTimeoutError
from nats.js import JetStreamContext
from stemma_telemetry import get_logger, names

PULL_TIMEOUT_S = 3.0
"""How long a fetch waits; after a restart of the server this bounds how long the lost one is waited for."""
PAUSE_S = 1.0


class SlotWorker:
    """Handles up to ``slots`` messages of a pull consumer at a time, each in a task of its own."""

    def __init__(
        self,
        jetstream: JetStreamContext,
        stream: str,
        durable: str,
        slots: int,
        handle: Callable[[Msg], Awaitable[None]],
    ) -> None:
        self._js = jetstream
        self._stream = stream
        self._durable = durable
        self._free = asyncio.Semaphore(slots)
        self._handle = handle
        self._running: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Fetch and start work until cancelled."""
        subscription = await self._js.pull_subscribe_bind(self._durable, stream=self._stream)
        try:
            while True:
                await self._free.acquire()
                message = await self._fetch(subscription)
                if message is None:
                    self._free.release()
                else:
                    self._start(message)
        finally:
            with suppress(NatsError):
                await subscription.unsubscribe()

    async def _fetch(self, subscription: JetStreamContext.PullSubscription) -> Msg | None:
        """One message: a fetch of more would hold the first back until the last came or time was up."""
        try:
            return (await subscription.fetch(1, timeout=PULL_TIMEOUT_S))[0]
        except NatsTimeoutError:
            return None
        except NatsError as error:
            get_logger().warning(names.Log.PULL_FAILED, stream=self._stream, consumer=self._durable, error=error)
            await asyncio.sleep(PAUSE_S)
            return None

    def _start(self, message: Msg) -> None:
        task = asyncio.ensure_future(self._handle(message))
        self._running.add(task)
        task.add_done_callback(self._finished)

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        self._free.release()

    async def drain(self, grace_s: float) -> None:
        """Let work under way end within ``grace_s`` seconds; what does not is cancelled, which gives it back."""
        if not self._running:
            return
        _, late = await asyncio.wait(self._running, timeout=grace_s)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
