"""Signs of life for a message that is worked on, so that the server does not deliver it again."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

from faststream.message import StreamMessage
from nats.errors import Error as NatsError

from stemma_messaging.held import Held, held_of

from .chain import CallNext

BEATS = 3
"""In the time that the consumer waits for one."""


class Heartbeat:
    """Tells the server, time and again, that a message is still worked on, until it is settled."""

    async def consume_scope(self, call_next: CallNext, msg: StreamMessage[Any]) -> Any:
        """Beat while the middlewares within are at work."""
        held = held_of(msg)
        with _Beats(held, held.terms.ack_wait_s / BEATS):
            return await call_next(msg)


class _Beats:
    """A timer, not a task: most messages are done before their first beat."""

    def __init__(self, held: Held, every_s: float) -> None:
        self._held = held
        self._every_s = every_s
        self._beats: set[asyncio.Task[None]] = set()

    def __enter__(self) -> None:
        self._wait()

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()

    def _wait(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(self._every_s, self._beat)

    def _beat(self) -> None:
        task = asyncio.create_task(self._in_progress())
        self._beats.add(task)
        task.add_done_callback(self._beats.discard)
        self._wait()

    async def _in_progress(self) -> None:
        with suppress(NatsError):
            await self._held.message.in_progress()
