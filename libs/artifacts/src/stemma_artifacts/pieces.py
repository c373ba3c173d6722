"""Content that comes in pieces, so that a large file is never in memory as a whole."""

from __future__ import annotations

from collections.abc import AsyncIterator
from hashlib import sha256


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
