"""Keeps the read model of documents: one summary per document, as of a sequence of the log."""

from __future__ import annotations

from collections import OrderedDict

from nats.js.errors import KeyNotFoundError, KeyWrongLastSequenceError
from nats.js.kv import KeyValue
from stemma_contracts import subjects
from stemma_contracts.v1.values import DocumentSummary
from stemma_eventlog import EventStore, StreamId
from stemma_messaging import Delivery
from stemma_telemetry import annotate

from .core.commands import Command
from .core.state import Document, State
from .core.views import summarise

_REMEMBERED = 4096


class Projector:
    """Writes summaries; many events of one document that wait together cost one write."""

    def __init__(self, store: EventStore[Command, State], views: KeyValue) -> None:
        self._store = store
        self._views = views
        self._written: OrderedDict[StreamId, int] = OrderedDict()

    async def on_event(self, delivery: Delivery) -> None:
        """Bring the summary of the event's document up to the log."""
        address = subjects.parse_event(delivery.subject)
        annotate(tenant=address.tenant, document_id=address.document_id)
        stream = StreamId(address.tenant, address.document_id)
        if self._written.get(stream, 0) >= delivery.stream_sequence:
            return
        folded = await self._store.load(stream)
        if isinstance(folded.state, Document):
            await self._write(stream, summarise(folded.state, folded.sequence))
            self._remember(stream, folded.sequence)

    async def _write(self, stream: StreamId, summary: DocumentSummary) -> None:
        """Write unless a later summary is there; another process that was faster makes it look again."""
        key = subjects.view_key(stream.tenant, stream.document_id)
        data = summary.model_dump_json(exclude_defaults=True).encode()
        while True:
            try:
                revision = await self._revision(key, summary.last_sequence)
                if revision is not None:
                    await self._views.update(key, data, last=revision)
                return
            except KeyWrongLastSequenceError:
                continue

    async def _revision(self, key: str, sequence: int) -> int | None:
        """The revision to replace, None if the summary that is there is as new."""
        try:
            entry = await self._views.get(key)
        except KeyNotFoundError:
            return 0
        current = DocumentSummary.model_validate_json(entry.value or b"{}")
        return entry.revision if current.last_sequence < sequence else None

    def _remember(self, stream: StreamId, sequence: int) -> None:
        self._written[stream] = sequence
        self._written.move_to_end(stream)
        while len(self._written) > _REMEMBERED:
            self._written.popitem(last=False)
