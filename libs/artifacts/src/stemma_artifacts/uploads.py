"""Uploads: what callers hand in beside a request, kept for seven days in a bucket of their tenant."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from io import BytesIO
from typing import IO

from nats.js import JetStreamContext
from stemma_contracts import subjects
from stemma_contracts.v1.references import UploadRef

from .objects import CHUNK_BYTES, BadObject, Mismatch, NoSuchObject, Objects, verified


class UploadMissing(LookupError):
    """The upload bucket has no such object; it was never there or its seven days are over."""


class UploadCorrupt(ValueError):
    """The uploaded content does not have the size and the digest of its reference, or its description is unreadable."""


class UploadStore:
    """The upload bucket of one tenant; the object name is the digest."""

    def __init__(self, js: JetStreamContext, tenant: str) -> None:
        self._objects = Objects(js)
        self._bucket = subjects.uploads_bucket(tenant)

    async def put(self, data: bytes | IO[bytes], name: str, media_type: str) -> UploadRef:
        """Upload bytes, or an open file without holding it in memory.

        Raises `pydantic.ValidationError` for a name that is not a plain relative path.
        """
        file = BytesIO(data) if isinstance(data, bytes) else data
        digest = _digest_of(file)
        size = file.tell()
        ref = UploadRef(object_name=digest, digest=digest, size=size, media_type=media_type, name=name)
        file.seek(0)
        await self._objects.put_once(self._bucket, digest, data)
        return ref

    async def get(self, ref: UploadRef) -> bytes:
        """The content of an upload. Raises `UploadMissing` and `UploadCorrupt`."""
        return b"".join([piece async for piece in self.pieces(ref)])

    async def pieces(self, ref: UploadRef) -> AsyncIterator[bytes]:
        """The content of an upload as it comes; raises `UploadMissing`, or `UploadCorrupt` at its end at the latest."""
        try:
            async for piece in verified(self._objects.pieces(self._bucket, ref.object_name), ref.digest, ref.size):
                yield piece
        except NoSuchObject:
            raise UploadMissing(ref.digest) from None
        except (Mismatch, BadObject):
            raise UploadCorrupt(ref.digest) from None


def _digest_of(file: IO[bytes]) -> str:
    """The digest of an open file, which is at its end then."""
    hashed = hashlib.sha256()
    while piece := file.read(CHUNK_BYTES):
        hashed.update(piece)
    return hashed.hexdigest()
