"""Content that comes in pieces, so that a large file is never in memory as a whole."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from hashlib import sha256
from io import BufferedIOBase
from typing import Any


class Reader(BufferedIOBase):
    """Pieces that come by the event loop as a file, which the NATS client reads in threads."""

    def __init__(self, pieces: AsyncIterator[bytes], loop: asyncio.AbstractEventLoop) -> None:
        self._pieces = pieces
        self._loop = loop
        self._rest = b""

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer as far as the current piece reaches; 0 at the end. Raises what the pieces raise."""
        rest = self._rest or asyncio.run_coroutine_threadsafe(self._next(), self._loop).result()
        count = min(len(buffer), len(rest))
        buffer[:count], self._rest = rest[:count], rest[count:]
        return count

    async def _next(self) -> bytes:
        async for piece in self._pieces:
            if piece:
                return piece
        return b""


class Mismatch(ValueError):
    """Pieces together have another size or digest than was announced."""


async def verified(pieces: AsyncIterator[bytes], digest: str, size: int) -> AsyncIterator[bytes]:
    """The same pieces; raises `Mismatch` at the first byte too many, or at the end."""
    hashed, count = sha256(), 0
    async for piece in pieces:
        hashed.update(piece)
        count += len(piece)
        if count > size:
            raise Mismatch(f"more than {size} bytes")
        yield piece
    if (count, hashed.hexdigest()) != (size, digest):
        raise Mismatch(f"not the {size} bytes of {digest}")
