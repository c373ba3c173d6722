"""Keeps the read model of documents: one summary per document, as of a sequence of the log."""

from __future__ import annotations

from dataclasses import dataclass

from cachetools import LRUCache
from nats.js.errors import KeyNotFoundError, KeyWrongLastSequenceError
from nats.js.kv import KeyValue
from pydantic import ValidationError
from stemma_contracts import subjects
from stemma_contracts.v1.values import DocumentSummary
from stemma_document.state import Document, State
from stemma_document.summary import summarise
from stemma_eventlog import EventStore, Folded, StreamId
from stemma_messaging import Delivery, InvalidMessage
from stemma_telemetry import annotate

from .core.commands import Command

MAX_TRIES = 20
_REMEMBERED = 4096


@dataclass(frozen=True)
class Written:
    """The revision of a summary in the bucket, and the sequence that it was folded to."""

    revision: int = 0
    last_sequence: int = 0


class ReadBehind(Exception):
    """The log was read where the event is not yet: try again."""


class TooManyWriters(Exception):
    """Other processes wrote the same summary each time: try again later."""


def document_of(subject: str) -> StreamId:
    """Whose summary the event under a subject changes."""
    address = subjects.parse_event(subject)
    return StreamId(address.tenant, address.document_id)


def key_of(subject: str) -> StreamId | str:
    """What the events of one summary have in common; a subject that names no document stands for itself."""
    try:
        return document_of(subject)
    except ValueError:
        return subject


class Projector:
    """Writes summaries; many events of one document that wait together cost one write."""

    def __init__(self, store: EventStore[Command, State], views: KeyValue) -> None:
        self._store = store
        self._views = views
        self._written: LRUCache[str, Written] = LRUCache(_REMEMBERED)

    async def on_event(self, delivery: Delivery) -> None:
        """Bring the summary of the event's document up to the log."""
        try:
            stream = document_of(delivery.subject)
        except ValueError as error:
            raise InvalidMessage(type(error).__name__) from None
        annotate(tenant=stream.tenant, document_id=stream.document_id)
        await self.write(stream, delivery.stream_sequence)

    async def write(self, stream: StreamId, sequence: int, *, anew: bool = False) -> None:
        """Write a summary as of a sequence or later; ``anew`` also if it says that it is as late as that.

        What is there is read only if it is not what this process wrote last.
        """
        key = subjects.view_key(stream.tenant, stream.document_id)
        for _ in range(MAX_TRIES):
            written = self._written.get(key, Written())
            if written.last_sequence >= sequence and not anew:
                return
            folded = await self._folded(stream, sequence)
            if folded.sequence < sequence:
                raise ReadBehind(f"read to {folded.sequence}")
            if not isinstance(folded.state, Document):
                return  # what lies there is no event of a document
            data = summarise(folded.state, folded.sequence).model_dump_json(exclude_defaults=True).encode()
            try:
                revision = await self._views.update(key, data, last=written.revision)
            except KeyWrongLastSequenceError:
                self._written[key] = await self._read(key)
                continue
            self._written[key] = Written(revision, folded.sequence)
            return
        raise TooManyWriters

    async def _folded(self, stream: StreamId, sequence: int) -> Folded[State]:
        """The state as of the event at least; the log is read only if this process does not know it yet."""
        folded = await self._store.known(stream)
        return folded if folded.sequence >= sequence else await self._store.load(stream)

    async def _read(self, key: str) -> Written:
        """What is there now; a summary that was deleted, or that nobody can read, is made anew."""
        try:
            entry = await self._views.get(key)
        except KeyNotFoundError as missing:
            return Written(missing.entry.revision if missing.entry else 0)
        try:
            last_sequence = DocumentSummary.model_validate_json(entry.value or b"{}").last_sequence
        except ValidationError:
            last_sequence = 0
        return Written(entry.revision or 0, last_sequence)
