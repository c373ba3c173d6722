"""Between LiteLLM and the network: a stream is read a few times a second, and its deltas are joined before LiteLLM."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from functools import wraps
from typing import Any, cast

import httpx

from .deltas import Joiner
from .listening import LISTENER, Listener

MUCH = 8192
"""A read of this size: more lies there."""

Ask = Callable[[Any, httpx.Request], Awaitable[httpx.Response]]


def install() -> None:
    """For whatever LiteLLM asks through aiohttp, as it does by itself. Other transports are left as they are."""
    from litellm.llms.custom_httpx.aiohttp_transport import LiteLLMAiohttpTransport

    ask = LiteLLMAiohttpTransport.handle_async_request
    if not hasattr(ask, "__wrapped__"):
        cast("Any", LiteLLMAiohttpTransport).handle_async_request = _joining(ask)


def _joining(ask: Ask) -> Ask:
    @wraps(ask)
    async def handle_async_request(transport: Any, request: httpx.Request) -> httpx.Response:
        listener = LISTENER.get()
        if listener is None:
            return await ask(transport, request)
        request.headers["accept-encoding"] = "identity"
        answer = await ask(transport, request)
        if _is_stream(answer.headers):
            answer.stream = JoinedStream(answer.stream, listener)
        return answer

    return handle_async_request


def _is_stream(headers: httpx.Headers) -> bool:
    return headers.get("content-type", "").startswith("text/event-stream") and "content-encoding" not in headers


class JoinedStream(httpx.AsyncByteStream):
    """The body of an answer: its listener hears it from here, LiteLLM gets it joined."""

    def __init__(self, inner: Any, listener: Listener) -> None:
        self._inner = inner
        self._listener = listener
        self._response = getattr(inner, "_aiohttp_response", None)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        joiner = Joiner()
        async with aclosing(aiter(self._inner)) as reads:
            async for data in reads:
                for text, passed in joiner.feed(data):
                    await self._listener.hear(text)
                    if passed:
                        yield passed
                if joiner.speaking and len(data) < MUCH:
                    await self._rest()
        if left := joiner.end():
            yield left

    async def _rest(self) -> None:
        """Let more gather in the socket, which does not wake the process meanwhile."""
        connection = self._response.connection if self._response is not None else None
        if connection is None or connection.protocol is None:  # all has come
            return
        protocol = connection.protocol
        protocol.pause_reading()
        try:
            await asyncio.sleep(self._listener.rest_s())
        finally:
            protocol.resume_reading()

    async def aclose(self) -> None:
        """Give the connection back."""
        await self._inner.aclose()
