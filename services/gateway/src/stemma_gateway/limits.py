"""Bounds on what one caller may ask of this process: requests in a time, and bytes of one request."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .problems import TooLarge, TooMany, response_of

FORGET_FROM = 10_000
"""Callers that are remembered, before those who have asked for nothing in a while are forgotten."""


@dataclass
class _Bucket:
    left: float
    as_of: float


class RateLimit:
    """So many requests in a second for each caller, and so many at once: a bucket that is filled evenly."""

    def __init__(self, name: str, per_s: float, at_once: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._name = name
        self._per_s = per_s
        self._at_once = at_once
        self._clock = clock
        self._buckets: dict[str, _Bucket] = {}

    def take(self, caller: str) -> None:
        """Count a request; raises `TooMany`."""
        self.check(caller).left -= 1

    def check(self, caller: str) -> _Bucket:
        """What a caller has left; raises `TooMany` if that is no whole request."""
        now = self._clock()
        if len(self._buckets) >= FORGET_FROM:
            self._buckets = {name: b for name, b in self._buckets.items() if self._filled(b, now) < self._at_once}
        bucket = self._buckets.setdefault(caller, _Bucket(self._at_once, now))
        bucket.left, bucket.as_of = self._filled(bucket, now), now
        if bucket.left < 1:
            again_s = math.ceil((1 - bucket.left) / self._per_s)
            raise TooMany("more requests than one caller may make", self._name, again_s)
        return bucket

    def _filled(self, bucket: _Bucket, now: float) -> float:
        return min(self._at_once, bucket.left + (now - bucket.as_of) * self._per_s)


class BodyLimit:
    """An ASGI middleware that refuses longer bodies, by what they say they are or as they come."""

    def __init__(self, app: ASGIApp, limit: int) -> None:
        self._app = app
        self._limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        announced = dict(scope["headers"]).get(b"content-length", b"0")
        if announced.isdigit() and int(announced) > self._limit:
            await response_of(self._too_large())(scope, receive, send)
            return
        await self._app(scope, self._counted(receive), send)

    def _counted(self, receive: Receive) -> Receive:
        seen = 0

        async def counted() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > self._limit:
                raise self._too_large()
            return message

        return counted

    def _too_large(self) -> TooLarge:
        return TooLarge(f"the body has more than {self._limit} bytes (max_body_bytes)")
