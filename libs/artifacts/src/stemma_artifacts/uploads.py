"""Uploads: what callers hand in beside a request, kept for seven days in a bucket of their tenant.

One that comes in several calls needs no memory between them: its chunks lie under its id, each with the place where it
ends, so that a call may come to another process than the one before.
"""

import hashlib
import json
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO
from typing import IO
from uuid import uuid4

from nats.js import JetStreamContext
from nats.js.api import Header
from nats.js.errors import BadRequestError, NotFoundError
from stemma_contracts import subjects
from stemma_contracts.v1.references import UploadRef

from . import objects


class UploadMissing(LookupError):
    """The upload bucket has no such object; it was never there or its seven days are over."""


class UploadCorrupt(ValueError):
    """The uploaded content does not have the size and the digest of its reference, or its description is unreadable."""


class UploadStore:
    """The upload bucket of one tenant; the object name is the digest."""

    def __init__(self, js: JetStreamContext, tenant: str) -> None:
        self._objects = objects.Objects(js)
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
            async for piece in objects.verified(
                self._objects.pieces(self._bucket, ref.object_name), ref.digest, ref.size
            ):
                yield piece
        except objects.NoSuchObject:
            raise UploadMissing(ref.digest) from None
        except (objects.Mismatch, objects.BadObject):
            raise UploadCorrupt(ref.digest) from None


def _digest_of(file: IO[bytes]) -> str:
    """The digest of an open file, which is at its end then."""
    hashed = hashlib.sha256()
    while piece := file.read(objects.CHUNK_BYTES):
        hashed.update(piece)
    return hashed.hexdigest()


ENDS_AT, LAST = "Stemma-Ends-At", "Stemma-Last"
_ID = re.compile(r"^[0-9a-f]{32}$")


@dataclass(frozen=True)
class Progress:
    """How far an upload has come: bytes, whether they are all, and the sequence of its last chunk."""

    offset: int = 0
    complete: bool = False
    sequence: int = 0


class WrongOffset(ValueError):
    """An upload has not come as far as a caller says, or further."""

    def __init__(self, progress: Progress) -> None:
        super().__init__(f"the upload has {progress.offset} bytes{' and is complete' if progress.complete else ''}")
        self.progress = progress


class Incomplete(LookupError):
    """Something is still missing of an upload, or it was never begun."""


class ResumableUploads:
    """Uploads in pieces into the bucket of one tenant."""

    def __init__(self, js: JetStreamContext, tenant: str) -> None:
        self._js = js
        self._bucket = subjects.uploads_bucket(tenant)
        self._stream = f"OBJ_{self._bucket}"

    @staticmethod
    def new_id() -> str:
        """The id of an upload that nobody has begun."""
        return uuid4().hex

    async def progress(self, upload_id: str) -> Progress:
        """How far an upload has come; one that nobody began has come nowhere. Raises `ValueError` for no id."""
        try:
            last = await self._js.get_last_msg(self._stream, self._chunks(upload_id))
        except NotFoundError:
            return Progress()
        headers = last.headers or {}
        return Progress(int(headers.get(ENDS_AT, "0")), LAST in headers, last.seq or 0)

    async def append(
        self, upload_id: str, offset: int, pieces: AsyncIterator[bytes], *, complete: bool = False
    ) -> Progress:
        """Add pieces behind the bytes that are there; what came is kept also if the pieces end with an exception.

        Raises `WrongOffset` if ``offset`` is not where the upload ends, or somebody else adds to it meanwhile.
        """
        progress = await self.progress(upload_id)
        if progress.complete or progress.offset != offset:
            raise WrongOffset(progress)
        async for chunk in objects.rechunked(pieces):
            progress = await self._store(upload_id, progress, chunk)
        return await self._store(upload_id, progress, b"", last=True) if complete else progress

    async def _store(self, upload_id: str, progress: Progress, chunk: bytes, *, last: bool = False) -> Progress:
        ends_at = progress.offset + len(chunk)
        headers: dict[str, str] = {Header.EXPECTED_LAST_SUBJECT_SEQUENCE: str(progress.sequence), ENDS_AT: str(ends_at)}
        if last:
            headers[LAST] = "1"
        try:
            stored = await self._js.publish(self._chunks(upload_id), chunk, stream=self._stream, headers=headers)
        except BadRequestError as refused:
            if refused.err_code not in objects.WRONG_LAST_SEQUENCE:
                raise
            raise WrongOffset(await self.progress(upload_id)) from None
        return Progress(ends_at, last, stored.seq)

    async def finished(self, upload_id: str, name: str, media_type: str) -> UploadRef:
        """The reference of an upload that is complete; asking again is harmless. Raises `Incomplete`."""
        progress = await self.progress(upload_id)
        if not progress.complete:
            raise Incomplete(f"{progress.offset} bytes are there, and not all")
        described, hashed = objects.Described(self._bucket, upload_id, upload_id), hashlib.sha256()
        async for chunk in self._stored(upload_id, progress):
            described.add(chunk)
            hashed.update(chunk)
        body = json.dumps(described.as_json(datetime.now(UTC).isoformat())).encode()
        await self._js.publish(objects.subject_of(self._bucket, upload_id), body, stream=self._stream)
        return UploadRef(
            object_name=upload_id, digest=hashed.hexdigest(), size=progress.offset, media_type=media_type, name=name
        )

    async def _stored(self, upload_id: str, progress: Progress) -> AsyncIterator[bytes]:
        sequence = 0
        while sequence < progress.sequence:
            chunk = await self._js.get_msg(self._stream, seq=sequence + 1, subject=self._chunks(upload_id), next=True)
            sequence = chunk.seq or progress.sequence
            yield chunk.data or b""

    def _chunks(self, upload_id: str) -> str:
        if not _ID.fullmatch(upload_id):
            raise ValueError("this is the id of no upload")
        return f"$O.{self._bucket}.C.{upload_id}"
