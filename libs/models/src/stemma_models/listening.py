"""Who hears an answer while it comes, and how often it is read for them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import ContextVar

TokenSink = Callable[[str], Awaitable[bool | None]]
"""Gets the text of an answer as it comes. It returns `False` if nobody listens now."""

JOINED_S = 0.05
"""Tokens that come together are told together: no eye sees the difference, and each one told is a message."""
HEARD_S = 0.1
"""How long a socket is left alone for a listener: each time that it wakes the process costs more than a token."""
UNHEARD_S = 1.0
"""The same if nobody listens, and how often it is asked whether somebody does. A cut wakes the process at once."""
ASKED_S = 0.8
"""What is read after a rest of a second is told: rests end together, some a tenth of a second early."""
SHORTEST_S, UNHEARD_SHORTEST_S = 0.02, 0.25
LATE, UNHEARD_LATE = 0.1, 0.25
"""How much longer an answer may take because its end is not read at once, as a part of its time so far."""
PIECE_CHARS = 16 * 1024
"""What is told at once at most: a message of the bus has a limit."""


def _now() -> float:
    return asyncio.get_running_loop().time()


class Listener:
    """The listener of one attempt. What it was told from the socket is not told again when LiteLLM has parsed it."""

    def __init__(self, tell: TokenSink) -> None:
        self.failure: Exception | None = None
        self._tell = tell
        self._followed = True
        self._held: list[str] = []
        self._told = float("-inf")
        self._started = _now()
        self._heard = self._parsed = 0

    async def hear(self, text: str) -> None:
        """A piece of the answer: the first is told at once."""
        if not text:
            return
        self._held.append(text)
        self._heard += len(text)
        if _now() - self._told >= (JOINED_S if self._followed else ASKED_S):
            await self.flush()

    async def parsed(self, text: str) -> None:
        """What LiteLLM makes of the stream; it has more than was heard if the stream is in a format of its own."""
        self._parsed += len(text)
        if (new := self._parsed - self._heard) > 0:
            await self.hear(text[-new:])

    async def catch_up(self, answer: str) -> None:
        """All of the answer so far: some of it may have come between other things, and was not heard."""
        if new := answer[self._heard :]:
            await self.hear(new)

    async def flush(self) -> None:
        """Tell what is left."""
        text, self._held = "".join(self._held), []
        try:
            for start in range(0, len(text), PIECE_CHARS):
                self._followed = await self._tell(text[start : start + PIECE_CHARS]) is not False
        except Exception as error:
            self.failure = error
            raise
        self._told = _now()

    def rest_s(self) -> float:
        """How long nothing has to be read."""
        passed = _now() - self._started
        if self._followed:
            return min(HEARD_S, max(SHORTEST_S, LATE * passed))
        return min(UNHEARD_S, max(UNHEARD_SHORTEST_S, UNHEARD_LATE * passed))


LISTENER: ContextVar[Listener | None] = ContextVar("listener", default=None)
"""Of the call under way, for the transport below LiteLLM, which nothing else reaches."""
