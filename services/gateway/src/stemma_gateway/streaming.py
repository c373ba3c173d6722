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

from .limits import Owner, to_displace
from .problems import Busy, SessionEnded, TooMany

T = TypeVar("T")
SessionEnd = Callable[[], Coroutine[Any, Any, bool]]
"""Waits until what a session follows has to end; whether the session has ended for good."""
_GAUGES = Gauges(names.Metric.HTTP_STREAMS)


class Streams:
    """The open streams of a process."""

    def __init__(self, most: int, of_one_caller: int) -> None:
        self._most = most
        self._of_one_caller = of_one_caller
        self._open: dict[Stream, Owner] = {}
        self._ended = asyncio.Event()
        self._measure()

    def end(self) -> None:
        """End all of them; who reads one comes back for the rest."""
        self._ended.set()

    @contextmanager
    def one_more(self, owner: Owner) -> Iterator[Stream]:
        """A stream while the block runs, in place of one of whoever has most if all are open.

        Raises `Busy` and `TooMany`.
        """
        self._make_room(owner)
        stream = Stream(self._ended)
        self._open[stream] = owner
        self._measure()
        try:
            yield stream
        finally:
            self._open.pop(stream, None)
            self._measure()

    def _make_room(self, owner: Owner) -> None:
        owners = list(self._open.values())
        if owners.count(owner) >= self._of_one_caller:
            raise TooMany(Problem.of("caller_limit", most=self._of_one_caller, what="streams"), "streams")
        if len(owners) < self._most:
            return
        if (place := to_displace(owners, owner)) is None:
            raise Busy(Problem.of("gateway_full", what="streams", setting="max_streams"), "streams")
        other = list(self._open)[place]
        del self._open[other]
        other.displaced.set()

    def _measure(self) -> None:
        _GAUGES.see(names.Metric.HTTP_STREAMS, [(len(self._open), {})])


class Stream:
    """An open stream. It ends with all of them, and where its place went to another caller: ``displaced``."""

    def __init__(self, all_ended: asyncio.Event) -> None:
        self.displaced = asyncio.Event()
        self._all_ended = all_ended

    async def until_ended(self, items: AsyncGenerator[T, None], session_end: SessionEnd) -> AsyncGenerator[T, None]:
        """What comes until the stream ends. Raises `SessionEnded` at the end of a session."""
        ended = asyncio.create_task(self._over(session_end))
        try:
            async for item in _beside(items, ended):
                yield item
        finally:
            ended.cancel()
            with CancelScope(shield=True):
                await items.aclose()
        if ended.done() and ended.result():
            raise SessionEnded(Problem.of("session_ended"))

    async def _over(self, session_end: SessionEnd) -> bool:
        session = asyncio.create_task(session_end())
        waiting = [session, *(asyncio.create_task(event.wait()) for event in (self._all_ended, self.displaced))]
        try:
            done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            return done == {session} and session.result()
        finally:
            await end(waiting)


async def _beside(items: AsyncGenerator[T, None], ended: asyncio.Task[bool]) -> AsyncIterator[T]:
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
