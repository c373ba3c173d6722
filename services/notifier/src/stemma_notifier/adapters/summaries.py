"""What the read model says of documents: their kind, and the titles of their sections."""

from __future__ import annotations

from nats.js import JetStreamContext
from stemma_contracts import subjects
from stemma_contracts.v1.summary import DocumentSummary


class Summaries:
    """The summaries in the bucket."""

    def __init__(self, jetstream: JetStreamContext) -> None:
        self._js = jetstream

    async def of(self, tenant: str, document_id: str) -> DocumentSummary:
        """A document; raises `nats.js.errors.NotFoundError` while the read model does not know it yet."""
        bucket, key = subjects.VIEWS_BUCKET, subjects.view_key(tenant, document_id)
        stored = await self._js.get_last_msg(f"KV_{bucket}", f"$KV.{bucket}.{key}", direct=True)
        return DocumentSummary.model_validate_json(stored.data or b"{}")
