"""Bounds on what one caller may ask of this process: requests in a time, and bytes of one request."""

from __future__ import annotations

import math
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .problems import TooLarge, TooMany, response_of

UPLOADS = "/uploads"
DIGITS = 18
"""Of a length that is announced: longer ones are past any limit."""
Refuse = Callable[[], Awaitable[None]]
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
    """An ASGI middleware that refuses longer bodies, by what they say they are or as they come.

    Files go through in pieces and have the larger ``limit``. Whatever else comes is held in memory, also before it is
    known who sends it: that has the limit ``in_memory``.
    """

    def __init__(self, app: ASGIApp, limit: int, in_memory: int) -> None:
        self._app = app
        self._limit = limit
        self._in_memory = in_memory

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        error, limit = self._bound(scope["path"], headers.get(b"content-type", b"").lower())
        refused, announced = response_of(error), headers.get(b"content-length", b"0")
        if announced.isdigit() and int(announced[:DIGITS]) > limit:
            await refused(scope, receive, send)
            return
        body = _Body(receive, send, limit, error, partial(refused, scope, receive, send))
        await self._app(scope, body.receive, body.send)

    def _bound(self, path: str, media_type: bytes) -> tuple[TooLarge, int]:
        if path.startswith(UPLOADS) or media_type.startswith(b"multipart/form-data"):
            return TooLarge(f"the body has more than {self._limit} bytes (max_body_bytes)"), self._limit
        words = f"the body has more than {self._in_memory} bytes (max_text_bytes): upload files first, at {UPLOADS}"
        return TooLarge(words), self._in_memory


class _Body:
    """The body of a request as it comes; of one that is too long this is told, whatever was made of the error."""

    def __init__(self, receive: Receive, send: Send, limit: int, error: TooLarge, refuse: Refuse) -> None:
        self._receive = receive
        self._send = send
        self._left = limit
        self._error = error
        self._refuse = refuse
        self._begun = False

    async def receive(self) -> Message:
        """The next piece; raises `TooLarge`."""
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            raise self._error
        return message

    async def send(self, message: Message) -> None:
        """Pass an answer on, or refuse in its place."""
        if self._left >= 0 or self._begun:
            self._begun = True
            await self._send(message)
        elif message["type"] == "http.response.start":
            await self._refuse()
