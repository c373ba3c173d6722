"""Objects in a bucket of the object store, written once under a name that is made of their digest."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from io import BufferedIOBase

from nats.js import JetStreamContext
from nats.js.api import ObjectInfo
from nats.js.errors import NotFoundError
from nats.js.object_store import ObjectStore

from .pieces import Reader


class TooLong(ValueError):
    """An object has more bytes than its reference says."""


class NoSuchObject(LookupError):
    """A bucket has no object of a name, or not all of its content."""


class Objects:
    """Write-once objects of buckets that exist.

    Chunks are read by direct gets and not, as the client library does, through a consumer: a reader then needs
    no permission to make consumers, and an object without its chunks is missing and not waited for.
    """

    def __init__(self, js: JetStreamContext) -> None:
        self._js = js
        self._buckets: dict[str, ObjectStore] = {}

    async def put_once(self, bucket: str, name: str, data: bytes | BufferedIOBase) -> None:
        """Write an object that is not there yet; replacing one would pull its chunks away from readers."""
        store = await self._bucket(bucket)
        if await _info(store, name) is None:
            await store.put(name, data)

    async def put_pieces_once(self, bucket: str, name: str, pieces: AsyncIterator[bytes]) -> None:
        """The same from pieces, of which few are in memory at a time; what they raise leaves no object behind.

        They are read to their end also when the object is there: only then is it known that they are sound.
        """
        store = await self._bucket(bucket)
        if await _info(store, name) is None:
            await store.put(name, Reader(pieces, asyncio.get_running_loop()))
        async for _ in pieces:
            pass

    async def get(self, bucket: str, name: str, size: int) -> bytes | None:
        """The content of an object, `None` if it is not there; raises `TooLong` beyond ``size`` bytes."""
        data = bytearray()
        try:
            async for piece in self.pieces(bucket, name):
                data += piece
                if len(data) > size:
                    raise TooLong(f"more than {size} bytes")
        except NoSuchObject:
            return None
        return bytes(data)

    async def pieces(self, bucket: str, name: str) -> AsyncIterator[bytes]:
        """The content of an object, chunk by chunk; raises `NoSuchObject`."""
        info = await _info(await self._bucket(bucket), name)
        if info is None:
            raise NoSuchObject(name)
        sequence = 0
        for _ in range(info.chunks or 0):
            subject = f"$O.{bucket}.C.{info.nuid}"
            try:
                chunk = await self._js.get_msg(
                    f"OBJ_{bucket}", seq=sequence + 1, subject=subject, next=True, direct=True
                )
            except NotFoundError:
                raise NoSuchObject(name) from None
            sequence = chunk.seq or 0
            yield chunk.data or b""

    async def _bucket(self, name: str) -> ObjectStore:
        if name not in self._buckets:
            self._buckets[name] = await self._js.object_store(name)
        return self._buckets[name]


async def _info(store: ObjectStore, name: str) -> ObjectInfo | None:
    """What is known of an object itself; a link could lead into the bucket of another tenant."""
    try:
        info = await store.get_info(name)
    except NotFoundError:
        return None
    return None if info.is_link() else info
