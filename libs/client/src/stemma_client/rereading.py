"""Documents that are looked at again and again: of each log only what is new is read and folded."""

from __future__ import annotations

from collections import OrderedDict
from contextlib import aclosing
from dataclasses import dataclass, field

from stemma_contracts import subjects
from stemma_contracts.v1.views import DocumentView

from .connection import Connection
from .errors import DocumentNotFoundError
from .reading import Reading
from .recorded import Genuine, RecordedEvent, read_whole


@dataclass(frozen=True)
class ReadLog:
    """The log of a document as far as it was read, folded, with what tells its events from what else lies there."""

    reading: Reading
    events: tuple[RecordedEvent, ...] = ()
    genuine: Genuine = field(default_factory=Genuine)

    @property
    def document(self) -> DocumentView:
        """The document as its events tell it."""
        return self.reading.view


class Documents:
    """The documents that somebody looks at.

    The logs that were read last are remembered, as many as have ``most_events`` in all, and one in any case.
    """

    def __init__(self, connection: Connection, most_events: int) -> None:
        self._connection = connection
        self._most_events = most_events
        self._known: OrderedDict[str, ReadLog] = OrderedDict()

    async def read(self, document_id: str, *, at_least: int = 0) -> ReadLog:
        """The log of a document as it is now; raises as `Client.history` does."""
        subject = subjects.event(self._connection.address.tenant, document_id, subjects.ANY)
        last = max(at_least, await self._connection.last_sequence(subjects.EVENTS, subject))
        known = self._known.pop(document_id, ReadLog(Reading(document_id)))
        if last > known.reading.last_sequence:
            known = await self._read_on(known, subject, last)
        if not last or not known.events:
            raise DocumentNotFoundError.of("document_unknown", document_id=document_id)
        self._remember(document_id, known)
        return known

    async def _read_on(self, known: ReadLog, subject: str, last: int) -> ReadLog:
        reading, genuine, events = known.reading, known.genuine.copy(), list(known.events)
        new = self._connection.snapshot(subjects.EVENTS, subject, at_least=last, after=reading.last_sequence)
        async with aclosing(new) as messages:
            async for event in read_whole(messages, genuine, self._connection.tell):
                events.append(event)
                reading = reading.after(event)
        return ReadLog(reading, tuple(events), genuine)

    def _remember(self, document_id: str, known: ReadLog) -> None:
        self._known[document_id] = known
        while len(self._known) > 1 and sum(len(each.events) for each in self._known.values()) > self._most_events:
            self._known.popitem(last=False)
