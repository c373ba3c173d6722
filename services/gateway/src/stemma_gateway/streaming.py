"""Streams that stay open: bounded in number, and ended when the process is told to end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar

from anyio import CancelScope
from stemma_client import StemmaError
from stemma_messaging.cancellation import end
from stemma_telemetry import get_logger, names
from stemma_telemetry.metrics import Gauges

from .problems import Busy

T = TypeVar("T")
_GAUGES = Gauges(names.Metric.HTTP_STREAMS)


class Streams:
    """The open streams of a process."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._open = 0
        self._ended = asyncio.Event()
        self._count(0)

    def end(self) -> None:
        """End all of them; who reads one comes back for the rest."""
        self._ended.set()

    async def _over(self, within_s: float | None) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                await self._ended.wait()

    @contextmanager
    def one_more(self) -> Iterator[None]:
        """Count a stream while the block runs; raises `Busy`."""
        if self._open >= self._most:
            raise Busy("as many streams are open as this gateway takes (max_streams)", "streams")
        self._count(+1)
        try:
            yield
        finally:
            self._count(-1)

    def _count(self, more: int) -> None:
        self._open += more
        _GAUGES.see(names.Metric.HTTP_STREAMS, [(self._open, {})])

    async def until_ended(
        self, items: AsyncGenerator[T, None], within_s: float | None = None
    ) -> AsyncGenerator[T, None]:
        """What comes, for so long, until all streams are ended, or the caller is not admitted any more."""
        ended = asyncio.create_task(self._over(within_s))
        try:
            async for item in _beside(items, ended):
                yield item
        except StemmaError as error:
            get_logger().warning("stream_ended", error=error)
        finally:
            ended.cancel()
            with CancelScope(shield=True):
                await items.aclose()


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
