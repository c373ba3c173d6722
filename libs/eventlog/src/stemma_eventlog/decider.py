"""The one load-fold-decide-append-retry loop.

A decider is a start value and two plain functions. `EventStore.handle` loads the state of a document
(from memory, as far as it was folded), lets the decider decide, appends, and on a conflict reads the
tail and decides again. ``decide`` must be idempotent: the same command decided again gives nothing.

What lies in the log and is no event of its document (it cannot be read, says that it belongs elsewhere, repeats a
number or has one larger than the log's, does not fit the state) is skipped and reported: whoever put it there cannot
stop the document. An exception of ``evolve`` is a bug of ours: it stops this document, and nothing is skipped for it.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Generic, TypeVar, cast
from weakref import WeakValueDictionary

from cachetools import LRUCache
from stemma_contracts import Contract, envelope_for, registry
from stemma_contracts.v1.events import DecisionRefused, FormExportRequested, SectionEvent

from .log import AppendUnknown, Conflict, EventLog, NewEvent, Recorded, StreamId, Unreadable

S = TypeVar("S")
C = TypeVar("C")
E = TypeVar("E", bound=Contract)
MAX_TRIES = 50
CACHED_DOCUMENTS = 4096
PAUSE_S = 0.002
LONGEST_PAUSE_S = 0.1


@dataclass(frozen=True)
class Decider(Generic[C, S, E]):
    """The pure core: a start value, ``decide(command, state) -> events``, ``evolve(state, event, time, sequence)``.

    The time of an event is that of its envelope, its sequence that in the log: those of one append follow one another.
    Whatever the log gives back as an event of the document is an ``E``. For one that does not fit the state, ``evolve``
    returns that very state.
    """

    initial: S
    decide: Callable[[C, S], Sequence[E]]
    evolve: Callable[[S, E, datetime, int], S]


@dataclass(frozen=True)
class Cause:
    """The message that leads to a decision. The ids of the events are made from ``id``."""

    id: str
    source: str
    time: datetime
    correlation_id: str = ""
    trace: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Folded(Generic[S]):
    """A state, the sequence that it was folded to, and the number of its last event, which counts them.

    ``traces`` holds the trace headers of the last event of each section, and under ``""`` of the last one of all.
    """

    state: S
    sequence: int = 0
    count: int = 0
    traces: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Handled(Generic[S, E]):
    """What came of a command: the state after it, and the events that it added (none: nothing to do)."""

    folded: Folded[S]
    events: tuple[E, ...]


Report = Callable[[StreamId, int, str], None]


def _unreported(stream: StreamId, sequence: int, reason: str) -> None:
    """Nobody listens."""


class FoldFailed(Exception):
    """``evolve`` or an upcaster raised: a bug. The document stands still until a release mends it, with its log."""

    def __init__(self, stream: StreamId, sequence: int, error: Exception) -> None:
        super().__init__(f"event {sequence} of {stream.tenant}/{stream.document_id}: {type(error).__name__}")


class TooManyConflicts(Exception):
    """Other writers were faster each time; the command should be tried again later."""


class EventStore(Generic[C, S, E]):
    """Handles commands against the event log; one at a time per document in this process.

    ``report`` is told what was skipped in the log of a document: its sequence, and why.
    """

    def __init__(
        self,
        log: EventLog,
        decider: Decider[C, S, E],
        cached_documents: int = CACHED_DOCUMENTS,
        report: Report = _unreported,
    ) -> None:
        self._log = log
        self._decider = decider
        self._report = report
        self._cache: LRUCache[StreamId, Folded[S]] = LRUCache(cached_documents)
        self._locks: WeakValueDictionary[StreamId, asyncio.Lock] = WeakValueDictionary()

    async def load(self, stream: StreamId) -> Folded[S]:
        """The state of a document as the log has it now."""
        async with self._lock(stream):
            folded, _ = await self._refresh(stream)
            return folded

    async def known(self, stream: StreamId) -> Folded[S]:
        """A state that the document had; read from the log only while nothing of it is known here."""
        folded = self._cache.get(stream)
        return folded if folded is not None and folded.count else await self.load(stream)

    async def handle(self, stream: StreamId, command: C, cause: Cause) -> Handled[S, E]:
        """Decide a command and append what it gives. Raises `TooManyConflicts`, `AppendUnknown` and `FoldFailed`."""
        async with self._lock(stream):
            folded = self._cache.get(stream)
            fresh = folded is None
            hindrance: Exception | None = None
            if folded is None:
                folded, _ = await self._refresh(stream)
            for tried in range(MAX_TRIES):
                if tried:
                    await asyncio.sleep(min(LONGEST_PAUSE_S, tried * PAUSE_S))
                events = tuple(self._decider.decide(command, folded.state))
                if not events and fresh:
                    return Handled(folded, ())
                if events:
                    try:
                        return await self._append(stream, folded, events, cause)
                    except (Conflict, AppendUnknown) as error:
                        hindrance = error
                folded, tail = await self._refresh(stream)
                fresh = True
                if appended := _caused_by(tail, cause):
                    return Handled(folded, cast("tuple[E, ...]", appended))
            if isinstance(hindrance, AppendUnknown):
                raise hindrance
            raise TooManyConflicts(f"{MAX_TRIES} conflicts on {stream.document_id}")

    async def _append(self, stream: StreamId, folded: Folded[S], events: tuple[E, ...], cause: Cause) -> Handled[S, E]:
        new = [_new_event(stream, event, cause, i, folded.count) for i, event in enumerate(events)]
        last = await self._log.append(stream, folded.sequence, new)
        for sequence, one in enumerate(new, start=last - len(new) + 1):
            folded = self._fold(stream, folded, one, sequence)
        self._cache[stream] = folded
        return Handled(folded, events)

    async def _refresh(self, stream: StreamId) -> tuple[Folded[S], list[Recorded]]:
        folded = self._cache.get(stream) or Folded(self._decider.initial)
        events: list[Recorded] = []
        for found in await self._log.read(stream, folded.sequence):
            try:
                folded = self._taken_in(stream, folded, found)
                events += [found] if isinstance(found, Recorded) else []
            except _NoEvent as skipped:
                self._report(stream, found.sequence, skipped.reason)
                number = skipped.number if skipped.number <= found.sequence else 0
                folded = replace(folded, sequence=found.sequence, count=max(folded.count, number))
        self._cache[stream] = folded
        return folded, events

    def _taken_in(self, stream: StreamId, folded: Folded[S], found: Recorded | Unreadable) -> Folded[S]:
        """The state after what was found in the log; raises `_NoEvent`."""
        if isinstance(found, Unreadable):
            raise _NoEvent(found.reason, found.number)
        if found.envelope.subject != _about(stream):
            raise _NoEvent("it says that it belongs to another document")
        if found.envelope.sequence <= folded.count:
            raise _NoEvent("its number was there before")
        if found.envelope.sequence > found.sequence:
            raise _NoEvent("its number is larger than all of the log")
        after = self._fold(stream, folded, found, found.sequence)
        if after.state is folded.state:
            raise _NoEvent("it does not fit what was before", found.envelope.sequence)
        return after

    def _fold(self, stream: StreamId, folded: Folded[S], new: NewEvent | Recorded, sequence: int) -> Folded[S]:
        try:
            state = self._decider.evolve(folded.state, cast("E", new.event), new.envelope.time, sequence)
        except Exception as error:
            raise FoldFailed(stream, sequence, error) from error
        trace = dict.fromkeys(("", _section_of(new.event)), new.envelope.trace)
        return Folded(state, sequence, new.envelope.sequence, {**folded.traces, **trace})

    def _lock(self, stream: StreamId) -> asyncio.Lock:
        lock = self._locks.get(stream)
        if lock is None:
            lock = self._locks[stream] = asyncio.Lock()
        return lock


def _section_of(event: Contract) -> str:
    return event.section_id or "" if isinstance(event, SectionEvent | DecisionRefused | FormExportRequested) else ""


def _new_event(stream: StreamId, event: Contract, cause: Cause, index: int, count: int) -> NewEvent:
    envelope = envelope_for(
        registry.entry_of(event),
        id=f"{cause.id}.{index}",
        source=cause.source,
        subject=_about(stream),
        time=cause.time,
        correlation_id=cause.correlation_id,
        causation_id=cause.id,
        sequence=count + index + 1,
        trace=cause.trace,
    )
    return NewEvent(envelope, event)


class _NoEvent(Exception):
    def __init__(self, reason: str, number: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.number = number


def _about(stream: StreamId) -> str:
    return f"{stream.tenant}/{stream.document_id}"


def _caused_by(tail: Sequence[Recorded], cause: Cause) -> tuple[Contract, ...]:
    """The events in the tail that this very command added: an append whose acknowledgement was lost."""
    return tuple(recorded.event for recorded in tail if recorded.envelope.causation_id == cause.id)
