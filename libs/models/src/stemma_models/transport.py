"""Between LiteLLM and the network: a stream is read a few times a second, and joined before LiteLLM parses it."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import aclosing, suppress
from contextvars import Context
from functools import lru_cache, partial, wraps
from typing import Any, cast

import httpx
from pydantic_core import from_json, to_json

from .beside import EXCHANGE, Make, send_once
from .completions import COMPLETION, Completion
from .deltas import Joiner
from .listening import LISTENER, Listener

MUCH = 16 * 1024
"""What LiteLLM reads at once: after a read of this size more lies there."""
WAKING_BYTES = 32 * 1024
"""So much in a socket that is left alone is read at once: a fast answer, or one that came whole, waits for nothing."""
SILENCE_SHARE = 4
"""A socket is left alone for this part of the time at most after which its provider counts as silent."""
TOGETHER_S = 0.1
"""Rests of this length or more end at multiples of it: to wake up costs a process 50 us before it reads anything."""
NO_ANSWER = 500
"""The status of an answer whose stream tells of an error: its own has come long before."""

HEADERS = 256
"""Of all calls under way, whose requests differ in few of them."""

_ENDED = httpx.ByteStream(b"")
_TIMES = ("connect", "read", "write", "pool")

Ask = Callable[[httpx.Request], Awaitable[httpx.Response]]
AskBy = Callable[[Any, httpx.Request], Awaitable[httpx.Response]]
Connect = Callable[..., Coroutine[Any, Any, Any]]


def install() -> None:
    """For whatever LiteLLM asks through aiohttp, as it does by itself. Other transports are left as they are."""
    from aiohttp import TCPConnector
    from litellm.llms.custom_httpx.aiohttp_transport import LiteLLMAiohttpTransport

    ask = LiteLLMAiohttpTransport.handle_async_request
    if not hasattr(ask, "__wrapped__"):
        cast("Any", LiteLLMAiohttpTransport).handle_async_request = _joining(ask)
        cast("Any", TCPConnector)._create_connection = _of_nobody(TCPConnector._create_connection)


def _of_nobody(connect: Connect) -> Connect:
    """Connections are made outside the context of the call that needs one first.

    The event loop holds that context for as long as a connection lives: the job, what it was written from and what was
    answered, long after the document has ended.
    """

    @wraps(connect)
    async def _create_connection(*about: Any) -> Any:
        return await asyncio.create_task(connect(*about), context=Context())

    return _create_connection


def _joining(ask: AskBy) -> AskBy:
    @wraps(ask)
    async def handle_async_request(transport: Any, request: httpx.Request) -> httpx.Response:
        listener, asked = LISTENER.get(), partial(ask, transport)
        is_chat = request.url.path.endswith("/chat/completions")
        exchange, completion = (EXCHANGE.get(), COMPLETION.get()) if is_chat else (None, None)
        make: Make = partial(_answered, asked, request)
        if listener is not None:
            make = partial(_heard, asked, request, listener, completion)
        elif exchange is not None and exchange.came is None:
            send_once(request)
        return await (make() if exchange is None else exchange.through(make))

    return handle_async_request


async def _heard(ask: Ask, request: httpx.Request, listener: Listener, completion: Completion | None) -> httpx.Response:
    """The answer to a request that somebody listens to."""
    if completion is not None:
        await _ask_for_a_stream(request, completion.silence_s)
    request.headers["accept-encoding"] = "identity"
    answer = await _answered(ask, request)
    if not _is_stream(answer.headers):
        return answer
    answer.stream = stream = JoinedStream(answer.stream, listener, _silence_s(request))
    return answer if completion is None else await _completed(answer, stream, completion, listener)


class Answer(httpx.Response):
    """An answer that lets go of the stream that it was read from, in which httpx names the answer in turn.

    As garbage it would stay for thousands of answers, each with its request, until Python looks for such circles.
    """

    async def aclose(self) -> None:
        """Give the connection back."""
        await super().aclose()
        self.stream = _ENDED


@lru_cache(maxsize=HEADERS)
def _shared(header: tuple[bytes, bytes, bytes]) -> tuple[bytes, bytes, bytes]:
    """One for all requests that have it: each has a dozen and more, of 3 KB together."""
    return header


async def _answered(ask: Ask, request: httpx.Request) -> httpx.Response:
    """The answer to a request, which is emptied then: it is not sent again unless the answer says where to."""
    request.headers._list = [_shared(header) for header in request.headers._list]
    answer = await ask(request)
    if not answer.has_redirect_location:  # LiteLLM and the SDK of OpenAI hold it for as long as its answer takes
        request.stream, request._content = _ENDED, b""
    answer.__class__ = Answer
    return answer


async def _ask_for_a_stream(request: httpx.Request, silence_s: float) -> None:
    """Have the request be for a stream, with what it costs and its silence, in place of an answer in one piece."""
    body = to_json(from_json(await request.aread()) | {"stream": True, "stream_options": {"include_usage": True}})
    request.stream, request._content = httpx.ByteStream(body), body
    request.headers["content-length"] = str(len(body))
    request.extensions["timeout"] = dict.fromkeys(_TIMES, silence_s)


async def _completed(
    answer: httpx.Response, stream: JoinedStream, completion: Completion, listener: Listener
) -> httpx.Response:
    """The answer in one piece, once it has all come."""
    try:
        async for events in stream:
            completion.take(events)
            await listener.catch_up(completion.text)
    finally:
        await stream.aclose()
    status = answer.status_code if completion.error is None else NO_ANSWER
    headers = [(name, value) for name, value in answer.headers.multi_items() if name not in _OF_THE_STREAM]
    headers.append(("content-type", "application/json"))
    # Beside the event loop: what the stream does not say of its tokens is counted then.
    body = completion.body() if completion.usage else await asyncio.to_thread(completion.body)
    return Answer(status, headers=headers, stream=httpx.ByteStream(body))


_OF_THE_STREAM = frozenset({"content-type", "content-length", "transfer-encoding"})


def _is_stream(headers: httpx.Headers) -> bool:
    return headers.get("content-type", "").startswith("text/event-stream") and "content-encoding" not in headers


def _silence_s(request: httpx.Request) -> float:
    """How long a provider may say nothing, as its request was made."""
    return (request.extensions.get("timeout") or {}).get("read") or float("inf")


class JoinedStream(httpx.AsyncByteStream):
    """The body of an answer: its listener hears it from here, LiteLLM gets it joined."""

    def __init__(self, inner: Any, listener: Listener, silence_s: float) -> None:
        self._inner = inner
        self._listener = listener
        response = getattr(inner, "_aiohttp_response", None)
        self._rest = Rest(response, silence_s / SILENCE_SHARE)
        if response is not None:
            # It needs aiohttp, as only services with a real model have it loaded.
            from .reading import let_go_of_headers, read_together

            let_go_of_headers(response)
            read_together(response.content)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        joiner = Joiner()
        try:
            async with aclosing(aiter(self._inner)) as reads:
                async for data in reads:
                    self._rest.end()
                    for text, passed in joiner.feed(data):
                        await self._listener.hear(text)
                        if passed:
                            yield passed
                    size = len(data)
                    if isinstance(data, bytearray):  # of a `JoinedReader`: what handed it on holds it until the next
                        data.clear()
                    if joiner.speaking and size < MUCH:
                        self._rest.begin(self._listener.rest_s())
        finally:
            self._rest.end()
        if left := joiner.end():
            yield left

    async def aclose(self) -> None:
        """Give the connection back."""
        await self._inner.aclose()


class Rest:
    """Lets more gather in a socket, which wakes the process for much, for its end, and when the rest is over.

    The kernel does that by the low-water mark of the socket, under TLS too, where a paused transport of asyncio is
    woken for each record. Where it cannot, a stream is read as it comes.
    """

    def __init__(self, response: Any, longest_s: float) -> None:
        connection = response.connection if response is not None else None  # none: all has come
        transport = connection.transport if connection is not None else None
        self._socket: Any = transport.get_extra_info("socket") if transport is not None else None
        self._longest_s = longest_s
        self._over: asyncio.TimerHandle | None = None

    def begin(self, seconds: float) -> None:
        """Have it for so long."""
        if self._socket is not None:
            self._set(WAKING_BYTES)
            loop = asyncio.get_running_loop()
            self._over = loop.call_at(together(loop.time(), min(seconds, self._longest_s)), self.end)

    def end(self) -> None:
        """Read whatever is there; the connection may have another answer next."""
        if self._over is not None:
            self._over.cancel()
            self._over = None
            self._set(1)

    def _set(self, size: int) -> None:
        with suppress(OSError):  # it was closed
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, size)


def together(now: float, rest_s: float) -> float:
    """When a rest is over: with those of other streams, so that a process wakes up once for all of them."""
    end = now + rest_s
    return end if rest_s < TOGETHER_S else end - end % TOGETHER_S
