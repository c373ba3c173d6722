"""Who hears an answer while it comes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from .thoughts import words_so_far

TokenSink = Callable[[str], Awaitable[bool | None]]
"""Gets the text of an answer as it comes. It returns `False` if nobody listens; an empty text only asks for that."""

JOINED_S = 0.05
"""Tokens that come within this time are told together: each text that is told is a message."""
PIECE_CHARS = 16 * 1024
"""The longest text that is told at once: a message of the bus has a limit."""


async def is_followed(tell: TokenSink | None) -> bool:
    """Whether somebody listens now."""
    return tell is not None and await tell("") is not False


async def tell_whole(tell: TokenSink, text: str) -> None:
    """Tell a text in as few pieces as it fits into."""
    for start in range(0, len(text), PIECE_CHARS):
        await tell(text[start : start + PIECE_CHARS])


class Listener:
    """Tells the text of a call as it comes, that of each attempt from its beginning, without the thoughts in it."""

    def __init__(self, tell: TokenSink, opens_with: tuple[str, ...] = ()) -> None:
        self._tell = tell
        self._opens_with = opens_with
        self.begin()

    def begin(self) -> None:
        """Begin with an attempt."""
        self._text = self._told = ""
        self._last = float("-inf")

    async def hear(self, piece: str) -> None:
        """Take a piece of the answer; the first is told at once."""
        self._text += piece
        now = asyncio.get_running_loop().time()
        if piece and now - self._last >= JOINED_S:
            await self._tell_all(words_so_far(self._text, self._opens_with))
            self._last = now

    async def end(self, answer: str) -> None:
        """Tell what is left of the whole answer."""
        await self._tell_all(answer)

    async def _tell_all(self, words: str) -> None:
        """Tell what is new; all of it if words that were told turn out to be a thought."""
        new = words.removeprefix(self._told) if words.startswith(self._told) else words
        self._told = words
        await tell_whole(self._tell, new)
