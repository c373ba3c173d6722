"""Objects in a bucket of the object store, written once under a name that is made of their digest.

They are written and read here and not by the client library, which makes consumers to read, takes back what it wrote
by purging, and rolls subjects up: whoever only writes and reads needs none of these rights. An object without its
chunks is missing and not waited for.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from functools import partial
from typing import IO
from uuid import uuid4

from nats.js import JetStreamContext
from nats.js.errors import NotFoundError

from .object_metadata import CHUNK_BYTES, BadObject, Described, Description, read, subject_of
from .replicas import get_stored


class NoSuchObject(LookupError):
    """A bucket has no object of a name, or not all of its content."""


class Objects:
    """Write-once objects of buckets that exist."""

    def __init__(self, js: JetStreamContext) -> None:
        self._js = js

    async def put_once(self, bucket: str, name: str, data: bytes | IO[bytes]) -> None:
        """Write an object that is not there yet; replacing one would pull its chunks away from readers."""
        if not await self._is_there(bucket, name):
            await self._write(bucket, name, uuid4().hex, _chunks_of(data))

    async def put_pieces_once(self, bucket: str, name: str, pieces: AsyncIterator[bytes]) -> None:
        """The same from pieces, of which few are in memory at a time; what they raise leaves no object behind.

        They are read to their end also when the object is there: only then is it known that they are sound. What was
        written in vain is purged.
        """
        if not await self._is_there(bucket, name):
            nuid = uuid4().hex
            try:
                await self._write(bucket, name, nuid, rechunked(pieces))
            except BaseException:
                await self._js.purge_stream(f"OBJ_{bucket}", subject=f"$O.{bucket}.C.{nuid}")
                raise
        async for _ in pieces:
            pass

    async def pieces(self, bucket: str, name: str) -> AsyncIterator[bytes]:
        """The content of an object, chunk by chunk; raises `NoSuchObject` and `BadObject`."""
        described = await self._described(bucket, name)
        if described is None:
            raise NoSuchObject(name)
        sequence = 0
        for _ in range(described.chunks):
            subject = f"$O.{bucket}.C.{described.nuid}"
            chunk = await get_stored(
                partial(self._js.get_msg, f"OBJ_{bucket}", seq=sequence + 1, subject=subject, next=True, direct=True)
            )
            if chunk is None:
                raise NoSuchObject(name)
            sequence = chunk.seq or 0
            yield chunk.data or b""

    async def _is_there(self, bucket: str, name: str) -> bool:
        """What has no readable description is not there: it is written anew."""
        try:
            return await self._described(bucket, name) is not None
        except BadObject:
            return False

    async def _described(self, bucket: str, name: str) -> Description | None:
        try:
            message = await self._js.get_last_msg(f"OBJ_{bucket}", subject_of(bucket, name))
        except NotFoundError:
            return None
        described = read(message.data or b"")
        return described if described.has_content else None

    async def _write(self, bucket: str, name: str, nuid: str, chunks: AsyncIterator[bytes]) -> None:
        stream, described = f"OBJ_{bucket}", Described(bucket, name, nuid)
        async for chunk in chunks:
            await self._js.publish(f"$O.{bucket}.C.{nuid}", chunk, stream=stream)
            described.add(chunk)
        body = described.as_json(datetime.now(UTC).isoformat())
        await self._js.publish(subject_of(bucket, name), json.dumps(body).encode(), stream=stream)


async def _chunks_of(data: bytes | IO[bytes]) -> AsyncIterator[bytes]:
    if isinstance(data, bytes):
        for start in range(0, len(data), CHUNK_BYTES):
            yield data[start : start + CHUNK_BYTES]
        return
    while chunk := await asyncio.to_thread(data.read, CHUNK_BYTES):
        yield chunk


async def rechunked(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Pieces of any size as chunks of one."""
    rest = bytearray()
    async for piece in pieces:
        rest += piece
        while len(rest) >= CHUNK_BYTES:
            yield bytes(rest[:CHUNK_BYTES])
            del rest[:CHUNK_BYTES]
    if rest:
        yield bytes(rest)
