"""Uploads: what callers hand in beside a request, kept for seven days in a bucket of their tenant."""

from __future__ import annotations

from nats.js import JetStreamContext
from stemma_contracts import subjects
from stemma_contracts.v1.values import UploadRef

from .digests import digest_of, fits
from .objects import Objects, TooLong


class UploadMissing(LookupError):
    """The upload bucket has no such object; it was never there or its seven days are over."""


class UploadCorrupt(ValueError):
    """The uploaded content does not have the size and the digest of its reference."""


class UploadStore:
    """The upload bucket of one tenant; the object name is the digest."""

    def __init__(self, js: JetStreamContext, tenant: str) -> None:
        self._objects = Objects(js)
        self._bucket = subjects.uploads_bucket(tenant)

    async def put(self, data: bytes, name: str, media_type: str) -> UploadRef:
        """Upload ``data``. Raises `pydantic.ValidationError` for a name that is not a plain relative path."""
        digest = digest_of(data)
        ref = UploadRef(object_name=digest, digest=digest, size=len(data), media_type=media_type, name=name)
        await self._objects.put_once(self._bucket, digest, data)
        return ref

    async def get(self, ref: UploadRef) -> bytes:
        """The content of an upload. Raises `UploadMissing` and `UploadCorrupt`."""
        try:
            data = await self._objects.get(self._bucket, ref.object_name, ref.size)
        except TooLong:
            raise UploadCorrupt(ref.digest) from None
        if data is None:
            raise UploadMissing(ref.digest)
        if not fits(data, ref.digest, ref.size):
            raise UploadCorrupt(ref.digest)
        return data
