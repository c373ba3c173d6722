"""Objects in a bucket of the object store, written once under a name that is made of their digest.

They are written and read here and not by the client library, which makes consumers to read, takes back what it wrote
by purging, and rolls subjects up: whoever only writes and reads needs none of these rights. An object without its
chunks is missing and not waited for.
"""

import asyncio
import json
from base64 import urlsafe_b64encode
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from typing import IO, Annotated, Any
from uuid import uuid4

from nats.js import JetStreamContext
from nats.js.api import RawStreamMsg
from nats.js.errors import NotFoundError
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

CHUNK_BYTES = 128 * 1024
WRONG_LAST_SEQUENCE = (10071, 10164)
"""Something is stored under the subject by now, says the server."""


class BadObject(ValueError):
    """The description of an object cannot be read."""


class Description(BaseModel):
    """What is needed of it: the subject token of its chunks, how many they are, and what makes it no content."""

    model_config = ConfigDict(strict=True, frozen=True)

    nuid: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9]{1,64}$")]
    chunks: int = Field(default=0, ge=0)
    deleted: bool = False
    options: dict[str, Any] | None = None

    @property
    def has_content(self) -> bool:
        """Whether it describes an object itself; a link could lead into the bucket of another tenant."""
        return not self.deleted and not (self.options and self.options.get("link"))


def subject_of(bucket: str, name: str) -> str:
    """Where the description of an object lies."""
    return f"$O.{bucket}.M.{urlsafe_b64encode(name.encode()).decode()}"


def read(data: bytes) -> Description:
    """A description; raises `BadObject`."""
    try:
        return Description.model_validate_json(data)
    except ValidationError as error:
        raise BadObject(f"{error.error_count()} fields do not fit") from None


class Described:
    """Gathers the description of an object while its chunks are written."""

    def __init__(self, bucket: str, name: str, nuid: str) -> None:
        self._about = {"name": name, "bucket": bucket, "nuid": nuid, "options": {"max_chunk_size": CHUNK_BYTES}}
        self._hash, self._size, self._chunks = sha256(), 0, 0

    def add(self, chunk: bytes) -> None:
        """Count a chunk."""
        self._hash.update(chunk)
        self._size, self._chunks = self._size + len(chunk), self._chunks + 1

    def as_json(self, mtime: str) -> dict[str, Any]:
        """The whole description, as of a time."""
        digest = urlsafe_b64encode(self._hash.digest()).decode()
        counts = {"size": self._size, "chunks": self._chunks, "digest": f"SHA-256={digest}"}
        return {**self._about, **counts, "mtime": mtime}


PAUSES_S = (0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32)
"""A server that is behind for longer answers no direct gets: it is catching up."""


async def get_stored(read: Callable[[], Awaitable[RawStreamMsg]]) -> RawStreamMsg | None:
    """What is read of something that was stored before anybody could ask for it; `None` if it is not there."""
    for pause in PAUSES_S:
        try:
            return await read()
        except NotFoundError:
            await asyncio.sleep(pause)
    return None


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
