"""An artifact store that keeps what it stored or read last: content under its digest never changes."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing

from cachetools import LRUCache
from stemma_contracts.v1.references import ArtifactRef

from .store import SMALL_BYTES, ArtifactCorrupt, ArtifactStore

KEPT_BYTES = 16 * 1024 * 1024
ENTRY_BYTES = 512
"""What an entry costs beside its content."""

_Key = tuple[str, str, str]


class CachedArtifacts:
    """The store behind it, asked once for each small artifact; at most ``most_bytes`` of them stay in memory."""

    def __init__(self, behind: ArtifactStore, most_bytes: int = KEPT_BYTES) -> None:
        self._behind = behind
        self._kept: LRUCache[_Key, bytes] = LRUCache(most_bytes, getsizeof=lambda data: len(data) + ENTRY_BYTES)

    async def put(self, tenant: str, document_id: str, data: bytes, *, media_type: str, name: str) -> ArtifactRef:
        """See `ArtifactStore.put`."""
        ref = await self._behind.put(tenant, document_id, data, media_type=media_type, name=name)
        self._keep((tenant, document_id, ref.digest), data)
        return ref

    async def put_pieces(self, tenant: str, document_id: str, ref: ArtifactRef, pieces: AsyncIterator[bytes]) -> None:
        """See `ArtifactStore.put_pieces`; nothing of it is kept."""
        await self._behind.put_pieces(tenant, document_id, ref, pieces)

    async def get(self, tenant: str, document_id: str, ref: ArtifactRef) -> bytes:
        """See `ArtifactStore.get`."""
        key = (tenant, document_id, ref.digest)
        if (data := self._kept.get(key)) is not None:
            return _of_size(data, ref)
        data = await self._behind.get(tenant, document_id, ref)
        self._keep(key, data)
        return data

    async def pieces(self, tenant: str, document_id: str, ref: ArtifactRef) -> AsyncGenerator[bytes, None]:
        """See `ArtifactStore.pieces`; only what is small enough is kept."""
        if ref.size <= SMALL_BYTES:
            yield await self.get(tenant, document_id, ref)
            return
        async with aclosing(self._behind.pieces(tenant, document_id, ref)) as pieces:
            async for piece in pieces:
                yield piece

    def _keep(self, key: _Key, data: bytes) -> None:
        if len(data) <= SMALL_BYTES:
            self._kept[key] = data


def _of_size(data: bytes, ref: ArtifactRef) -> bytes:
    """What is kept, which was checked when it was stored or read; to hash it each time takes longer than all else."""
    if len(data) != ref.size:
        raise ArtifactCorrupt(ref.digest)
    return data
