"""Streams that stay open: bounded in number, and ended with the process, or with the session of who follows."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from anyio import CancelScope
from stemma_contracts.v1.answers import Problem
from stemma_messaging.cancellation import end
from stemma_telemetry import names
from stemma_telemetry.metrics import Gauges

from .limits import Owner, Shares
from .problems import SessionEnded

T = TypeVar("T")
SessionEnd = Callable[[], Coroutine[Any, Any, None]]
"""Waits until a session has ended."""
_GAUGES = Gauges(names.Metric.HTTP_STREAMS)


class Streams:
    """The open streams of a process."""

    def __init__(self, most: int, of_one_caller: int) -> None:
        self._shares = Shares("streams", "max_streams", most, of_one_caller)
        self._ended = asyncio.Event()
        self._measure()

    def end(self) -> None:
        """End all of them; who reads one comes back for the rest."""
        self._ended.set()

    @contextmanager
    def one_more(self, owner: Owner) -> Iterator[None]:
        """Count a stream while the block runs; raises `Busy` and `TooMany`."""
        try:
            with self._shares.more(owner):
                self._measure()
                yield
        finally:
            self._measure()

    def _measure(self) -> None:
        _GAUGES.see(names.Metric.HTTP_STREAMS, [(self._shares.total, {})])

    async def until_ended(
        self, items: AsyncGenerator[T, None], session_end: SessionEnd | None = None
    ) -> AsyncGenerator[T, None]:
        """What comes until all streams are ended. Raises `SessionEnded` at the end of a session."""
        ended = asyncio.create_task(self._over(session_end))
        try:
            async for item in _beside(items, ended):
                yield item
        finally:
            ended.cancel()
            with CancelScope(shield=True):
                await items.aclose()
        if ended.done() and not self._ended.is_set():
            raise SessionEnded(Problem.of("session_ended"))

    async def _over(self, session_end: SessionEnd | None) -> None:
        waiting: list[asyncio.Task[Any]] = [asyncio.create_task(self._ended.wait())]
        waiting += [asyncio.create_task(session_end())] if session_end else []
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            await end(waiting)


async def _beside(items: AsyncGenerator[T, None], ended: asyncio.Task[None]) -> AsyncIterator[T]:
    """What comes before the end. Who reads is cancelled again and again; what was begun is ended all the same."""
    while True:
        coming = asyncio.ensure_future(anext(items))
        try:
            await asyncio.wait({coming, ended}, return_when=asyncio.FIRST_COMPLETED)
            if ended.done():
                return
            yield coming.result()
        except StopAsyncIteration:
            return
        finally:
            with CancelScope(shield=True):
                await end([coming])
