"""Keeps the read model of documents: one key for each document and one for each section, as of a sequence of the log.

Sections are written before their document, so that whoever sees a document as of a sequence finds its sections as late.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from cachetools import LRUCache
from nats.js.errors import KeyNotFoundError, KeyWrongLastSequenceError
from nats.js.kv import KeyValue
from pydantic import BaseModel, Field, ValidationError
from stemma_contracts import subjects
from stemma_contracts.v1.events import AnyEvent
from stemma_contracts.v1.staleness import Because
from stemma_domain.commands import Command
from stemma_domain.staleness import Staleness, staleness
from stemma_domain.state import Document, Section, State
from stemma_domain.view import bounded_view, is_in_motion, summarise
from stemma_eventlog import EventStore, Folded, StreamId
from stemma_messaging import Delivery, InvalidMessage
from stemma_telemetry import annotate

MAX_TRIES = 20
_REMEMBERED = 4096

_Shown = tuple[Section, Because | None]
"""What the read model of a section is made from."""


class AsOf(BaseModel):
    """What every read model says of itself."""

    last_sequence: int = Field(ge=0)


@dataclass(frozen=True)
class Written:
    revision: int = 0
    last_sequence: int = 0


@dataclass
class Known:
    """What this process wrote last of a document: its keys, and what its sections were made from."""

    keys: dict[str, Written] = field(default_factory=dict)
    sections: dict[str, _Shown] = field(default_factory=dict)


class ReadBehind(Exception):
    """The log was read where the event is not yet: try again."""


class TooManyWriters(Exception):
    """Other processes wrote the same read model each time: try again later."""


def document_of(subject: str) -> StreamId:
    address = subjects.parse_event(subject)
    return StreamId(address.tenant, address.document_id)


def key_of(subject: str) -> StreamId | str:
    """What the events of one document have in common; a subject that names no document stands for itself."""
    try:
        return document_of(subject)
    except ValueError:
        return subject


class Projector:
    """Writes read models; many events of one document that wait together are written once."""

    def __init__(self, store: EventStore[Command, State, AnyEvent], views: KeyValue) -> None:
        self._store = store
        self._views = views
        self._known: LRUCache[StreamId, Known] = LRUCache(_REMEMBERED)

    async def on_event(self, delivery: Delivery) -> None:
        try:
            stream = document_of(delivery.subject)
        except ValueError as error:
            raise InvalidMessage(type(error).__name__) from None
        annotate(tenant=stream.tenant, document_id=stream.document_id)
        await self.write(stream, delivery.stream_sequence)

    async def write(self, stream: StreamId, sequence: int, *, anew: bool = False) -> None:
        """Write a document and what changed of its sections as of a sequence or later.

        ``anew`` writes all, also over what says that it is as late. What is there is read only if it is not what this
        process wrote last.
        """
        known = Known() if anew else self._known.get(stream, Known())
        self._known[stream] = known
        key = subjects.view_key(stream.tenant, stream.document_id)
        for _ in range(MAX_TRIES):
            if known.keys.get(key, Written()).last_sequence >= sequence and not anew:
                return
            folded = await self._folded(stream, sequence)
            if folded.sequence < sequence:
                raise ReadBehind(f"read to {folded.sequence}")
            if not isinstance(folded.state, Document):
                return  # what lies there is no event of a document
            if await self._wrote(stream, known, folded.state, folded.sequence, anew):
                return
        raise TooManyWriters

    async def _wrote(self, stream: StreamId, known: Known, document: Document, sequence: int, anew: bool) -> bool:
        """Whether all that changed is written; if not, others wrote meanwhile: look at the log again."""
        stale, of = staleness(document), (stream.tenant, stream.document_id)
        sections_are_there = True
        for name in _changed(known, document, stale, anew):
            details = bounded_view(document, name, stale, sequence)
            data = details.stored(document.document_id)
            if await self._put(known, subjects.section_view_key(*of, name), data, sequence, anew):
                known.sections[name] = (document.sections[name], stale.get(name))
            else:
                sections_are_there = False
        summary = summarise(document, sequence, stale)
        data = summary.model_dump_json(exclude_defaults=True, round_trip=True).encode()
        return sections_are_there and await self._put(known, subjects.view_key(*of), data, sequence, anew)

    async def _put(self, known: Known, key: str, data: bytes, last_sequence: int, anew: bool) -> bool:
        """Whether a read model is there, as late or later; what another process wrote is read, and not there yet."""
        written = known.keys.get(key, Written())
        if written.last_sequence >= last_sequence and not anew:
            return True
        try:
            revision = await self._views.update(key, data, last=written.revision)
        except KeyWrongLastSequenceError:
            known.keys[key] = await self._read(key)
            return False
        known.keys[key] = Written(revision, last_sequence)
        return True

    async def _folded(self, stream: StreamId, sequence: int) -> Folded[State]:
        """The state as of the event at least; the log is read only if this process does not know it yet."""
        folded = await self._store.known(stream)
        return folded if folded.sequence >= sequence else await self._store.load(stream)

    async def _read(self, key: str) -> Written:
        """What is there now; what was deleted, or that nobody can read, is made anew."""
        try:
            entry = await self._views.get(key)
        except KeyNotFoundError as missing:
            return Written(missing.entry.revision if missing.entry else 0)
        try:
            last_sequence = AsOf.model_validate_json(entry.value or b"{}").last_sequence
        except ValidationError:
            last_sequence = 0
        return Written(entry.revision or 0, last_sequence)


def _changed(known: Known, document: Document, stale: Staleness, anew: bool) -> Iterator[str]:
    """The sections that are not as they were written last; those in motion are written once they rest."""
    for name, section in document.sections.items():
        if is_in_motion(section) and not anew:
            continue
        before = known.sections.get(name)
        if before is None or before[0] is not section or before[1] != stale.get(name):
            yield name
