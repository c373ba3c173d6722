"""Requests that are made once LiteLLM is left, which would hold 40 KB of a call until its answer has come.

It comes to its request, and is left there. An answer of words alone is read without it; for any other one it is asked
once more, and given what came for its answer.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextvars import ContextVar
from typing import Any

import httpx

Make = Callable[[], Awaitable[httpx.Response]]

_ENDS = frozenset({"stop", "length", "content_filter"})
"""Reasons that LiteLLM calls by the same names."""
_PLAIN = frozenset({"role", "content"})


class Requested(BaseException):
    """LiteLLM has come to its request, which ``make`` makes. It is no error for it to handle."""

    def __init__(self, make: Make) -> None:
        super().__init__()
        self.make = make


class Once(httpx.AsyncByteStream):
    """The body of a request, which is let go of once it was sent."""

    def __init__(self, body: bytes) -> None:
        self._body = body

    async def __aiter__(self) -> AsyncIterator[bytes]:
        body, self._body = self._body, b""
        yield body


def send_once(request: httpx.Request) -> None:
    """Have a request hold its body no longer than until it was sent. Who needs it again has LiteLLM make it again."""
    request.stream = Once(request.content)
    del request._content


class Exchange:
    """The request of a call, and what came of it, which LiteLLM gets when it is asked once more."""

    def __init__(self) -> None:
        self.came: httpx.Response | Exception | None = None
        self._is_over = False

    async def through(self, make: Make) -> httpx.Response:
        """What LiteLLM gets for a request. Raises `Requested` for the first one, and what came of it if it is an error.

        Whatever LiteLLM asks for after that, such as another address, is made as it always is.
        """
        if self._is_over:
            return await make()
        if self.came is None:
            raise Requested(make)
        self._is_over = True
        if isinstance(self.came, Exception):
            raise self.came
        return self.came


EXCHANGE: ContextVar[Exchange | None] = ContextVar("exchange", default=None)
"""Of the call under way, if its request is made once LiteLLM is left."""


def plain(body: Any) -> tuple[str, str, Mapping[str, Any]] | None:
    """The words of a completion of OpenAI, why it ended, and what it took; none if it says more than these.

    LiteLLM takes thoughts out of them, which stand in tags before all others.
    """
    match body:
        case {"choices": [{"message": {"content": str(text)} as message, **about}], "usage": {} as usage, **more}:
            said = {name for name, value in message.items() if value}
            is_more = said - _PLAIN or about.get("logprobs") or more.get("error") or text.lstrip().startswith("<")
            reason = about.get("finish_reason")
            # A gateway calls an answer ended whose model gave up, and says only here that it did.
            is_disputed = about.get("native_finish_reason") not in (None, reason)
            return None if is_more or is_disputed or reason not in _ENDS else (text, str(reason), usage)
    return None
