"""The artifact store on JetStream.

Up to `SMALL_BYTES` an artifact is one message of the stream ARTIFACTS, read by a direct get of its subject;
a larger one is an object in the bucket of its tenant.
"""

from collections.abc import AsyncGenerator, AsyncIterator
from functools import partial

from nats.js import JetStreamContext
from nats.js.api import Header
from nats.js.errors import BadRequestError
from stemma_contracts import subjects
from stemma_contracts.v1.references import ArtifactRef

from .objects import WRONG_LAST_SEQUENCE, BadObject, Mismatch, NoSuchObject, Objects, get_stored, verified
from .store import ArtifactCorrupt, ArtifactMissing, checked, reference

SMALL_BYTES = 128 * 1024


class JetStreamArtifactStore:
    """The artifact store on a NATS server that was provisioned."""

    def __init__(self, js: JetStreamContext) -> None:
        self._js = js
        self._objects = Objects(js)

    async def put(self, tenant: str, document_id: str, data: bytes, *, media_type: str, name: str) -> ArtifactRef:
        """See `ArtifactStore.put`."""
        ref = reference(data, media_type, name)
        if ref.size <= SMALL_BYTES:
            await self._put_message(subjects.artifact(tenant, document_id, ref.digest), data)
        else:
            object_name = subjects.large_artifact(tenant, document_id, ref.digest)
            await self._objects.put_once(subjects.artifacts_bucket(tenant), object_name, data)
        return ref

    async def put_pieces(self, tenant: str, document_id: str, ref: ArtifactRef, pieces: AsyncIterator[bytes]) -> None:
        """See `ArtifactStore.put_pieces`."""
        if ref.size <= SMALL_BYTES:
            data = b"".join([piece async for piece in pieces])
            await self._put_message(subjects.artifact(tenant, document_id, ref.digest), data)
        else:
            object_name = subjects.large_artifact(tenant, document_id, ref.digest)
            await self._objects.put_pieces_once(subjects.artifacts_bucket(tenant), object_name, pieces)

    async def get(self, tenant: str, document_id: str, ref: ArtifactRef) -> bytes:
        """See `ArtifactStore.get`."""
        return b"".join([piece async for piece in self.pieces(tenant, document_id, ref)])

    async def pieces(self, tenant: str, document_id: str, ref: ArtifactRef) -> AsyncGenerator[bytes, None]:
        """See `ArtifactStore.pieces`."""
        if ref.size <= SMALL_BYTES:
            yield checked(await self._get_message(subjects.artifact(tenant, document_id, ref.digest)), ref)
            return
        object_name = subjects.large_artifact(tenant, document_id, ref.digest)
        stored = self._objects.pieces(subjects.artifacts_bucket(tenant), object_name)
        try:
            async for piece in verified(stored, ref.digest, ref.size):
                yield piece
        except NoSuchObject:
            raise ArtifactMissing(ref.digest) from None
        except (Mismatch, BadObject):
            raise ArtifactCorrupt(ref.digest) from None

    async def _put_message(self, subject: str, data: bytes) -> None:
        only_first: dict[str, str] = {Header.EXPECTED_LAST_SUBJECT_SEQUENCE: "0"}
        try:
            await self._js.publish(subject, data, stream=subjects.ARTIFACTS, headers=only_first)
        except BadRequestError as refused:
            if refused.err_code not in WRONG_LAST_SEQUENCE:
                raise

    async def _get_message(self, subject: str) -> bytes | None:
        message = await get_stored(partial(self._js.get_msg, subjects.ARTIFACTS, subject=subject, direct=True))
        return None if message is None else message.data or b""
