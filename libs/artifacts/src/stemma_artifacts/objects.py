"""Objects in a bucket of the object store, written once under a name that is made of their digest."""

from __future__ import annotations

from nats.js import JetStreamContext
from nats.js.api import ObjectInfo
from nats.js.errors import NotFoundError
from nats.js.object_store import ObjectStore


class TooLong(ValueError):
    """An object has more bytes than its reference says."""


class Objects:
    """Write-once objects of buckets that exist.

    Chunks are read by direct gets and not, as the client library does, through a consumer: a reader then needs
    no permission to make consumers, and an object without its chunks is missing and not waited for.
    """

    def __init__(self, js: JetStreamContext) -> None:
        self._js = js
        self._buckets: dict[str, ObjectStore] = {}

    async def put_once(self, bucket: str, name: str, data: bytes) -> None:
        """Write an object that is not there yet; replacing one would pull its chunks away from readers."""
        store = await self._bucket(bucket)
        if await _info(store, name) is None:
            await store.put(name, data)

    async def get(self, bucket: str, name: str, size: int) -> bytes | None:
        """The content of an object, `None` if it is not there; raises `TooLong` beyond ``size`` bytes."""
        info = await _info(await self._bucket(bucket), name)
        if info is None:
            return None
        try:
            return await self._chunks(bucket, info, size)
        except NotFoundError:
            return None

    async def _chunks(self, bucket: str, info: ObjectInfo, size: int) -> bytes:
        data, sequence = bytearray(), 0
        for _ in range(info.chunks or 0):
            chunk = await self._js.get_msg(
                f"OBJ_{bucket}", seq=sequence + 1, subject=f"$O.{bucket}.C.{info.nuid}", next=True, direct=True
            )
            data += chunk.data or b""
            sequence = chunk.seq or 0
            if len(data) > size:
                raise TooLong(f"more than {size} bytes")
        return bytes(data)

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
