"""The artifact store: unchangeable content under its SHA-256, per tenant and document.

Writing the same content again stores nothing. No client of the bus is imported: confined calls need the errors alone.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from stemma_contracts import subjects
from stemma_contracts.v1.references import ArtifactRef


def digest_of(data: bytes) -> str:
    """The SHA-256 of ``data`` in hex."""
    return sha256(data).hexdigest()


def fits(data: bytes, digest: str, size: int) -> bool:
    """Whether ``data`` is the content that a reference with this digest and size stands for."""
    return len(data) == size and digest_of(data) == digest


class ArtifactMissing(LookupError):
    """The store has no content for a reference, in this document of this tenant."""


class ArtifactCorrupt(ValueError):
    """The stored content does not have the size and the digest of its reference."""


class ArtifactStore(Protocol):
    """Where content lies that events refer to."""

    async def put(self, tenant: str, document_id: str, data: bytes, *, media_type: str, name: str) -> ArtifactRef:
        """Store ``data`` and return its reference; storing the same content again is harmless.

        Raises `InvalidToken` for a tenant or document id that cannot be part of a subject.
        """
        ...

    async def put_pieces(self, tenant: str, document_id: str, ref: ArtifactRef, pieces: AsyncIterator[bytes]) -> None:
        """Store the content of a reference that comes in pieces, of which few are in memory at a time.

        ``pieces`` raise if they are another content; what they raise is raised, and then nothing is stored.
        """
        ...

    async def get(self, tenant: str, document_id: str, ref: ArtifactRef) -> bytes:
        """The content of a reference. Raises `ArtifactMissing` and `ArtifactCorrupt`."""
        ...

    def pieces(self, tenant: str, document_id: str, ref: ArtifactRef) -> AsyncGenerator[bytes, None]:
        """The content of a reference as it comes, of which few pieces are in memory at a time.

        Raises `ArtifactMissing`, and `ArtifactCorrupt` behind the last piece at the latest: whoever passes pieces on
        holds the last one back.
        """
        ...


async def look_for(store: ArtifactStore, tenant: str, document_id: str, *refs: ArtifactRef) -> None:
    """Wait for content that may be late, and keep none of it. Raises `ArtifactMissing` and `ArtifactCorrupt`."""
    for ref in refs:
        async with aclosing(store.pieces(tenant, document_id, ref)) as pieces:
            await anext(pieces, b"")


async def fetch(store: ArtifactStore, tenant: str, document_id: str, ref: ArtifactRef, file: Path) -> None:
    """Write the content of a reference into a file, few pieces of it in memory at a time.

    Raises `ArtifactMissing` and `ArtifactCorrupt`, after which the file holds nothing of use.
    """
    async with aclosing(store.pieces(tenant, document_id, ref)) as pieces:
        with file.open("wb") as opened:
            async for piece in pieces:
                await asyncio.to_thread(opened.write, piece)


class MemoryArtifactStore:
    """An artifact store that forgets."""

    def __init__(self) -> None:
        self._content: dict[str, bytes] = {}

    async def put(self, tenant: str, document_id: str, data: bytes, *, media_type: str, name: str) -> ArtifactRef:
        """See `ArtifactStore.put`."""
        ref = reference(data, media_type, name)
        self._content.setdefault(subjects.artifact(tenant, document_id, ref.digest), data)
        return ref

    async def put_pieces(self, tenant: str, document_id: str, ref: ArtifactRef, pieces: AsyncIterator[bytes]) -> None:
        """See `ArtifactStore.put_pieces`."""
        data = b"".join([piece async for piece in pieces])
        await self.put(tenant, document_id, data, media_type=ref.media_type, name=ref.name)

    async def get(self, tenant: str, document_id: str, ref: ArtifactRef) -> bytes:
        """See `ArtifactStore.get`."""
        return checked(self._content.get(subjects.artifact(tenant, document_id, ref.digest)), ref)

    async def pieces(self, tenant: str, document_id: str, ref: ArtifactRef) -> AsyncGenerator[bytes, None]:
        """See `ArtifactStore.pieces`."""
        yield await self.get(tenant, document_id, ref)


def reference(data: bytes, media_type: str, name: str) -> ArtifactRef:
    """The reference of content. Raises `pydantic.ValidationError` for a name that is not a plain relative path."""
    return ArtifactRef(digest=digest_of(data), size=len(data), media_type=media_type, name=name)


def checked(data: bytes | None, ref: ArtifactRef) -> bytes:
    """``data`` if it is what ``ref`` stands for; raises `ArtifactMissing` and `ArtifactCorrupt`."""
    if data is None:
        raise ArtifactMissing(ref.digest)
    if not fits(data, ref.digest, ref.size):
        raise ArtifactCorrupt(ref.digest)
    return data
