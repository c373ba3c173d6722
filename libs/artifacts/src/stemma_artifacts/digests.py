"""Size and digest: what makes content addressable, and what a reader checks."""

from __future__ import annotations

from hashlib import sha256


def digest_of(data: bytes) -> str:
    """The SHA-256 of ``data`` in hex."""
    return sha256(data).hexdigest()


def fits(data: bytes, digest: str, size: int) -> bool:
    """Whether ``data`` is the content that a reference with this digest and size stands for."""
    return len(data) == size and digest_of(data) == digest
