"""The event log: one append-only stream of events per document, written by compare and set."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from stemma_contracts import Contract, Envelope


@dataclass(frozen=True)
class StreamId:
    """Which document's events; both parts are subject tokens."""

    tenant: str
    document_id: str


@dataclass(frozen=True)
class Recorded:
    """An event in the log; ``sequence`` is the log's own number, which a reader goes on from."""

    envelope: Envelope
    event: Contract
    sequence: int


@dataclass(frozen=True)
class Unreadable:
    """A message in the log of a document that is no event of it; ``reason`` says why without quoting it.

    ``number`` is the one that it gives itself in its document, 0 if it gives none: no later event has it.
    """

    sequence: int
    reason: str
    number: int = 0


@dataclass(frozen=True)
class NewEvent:
    """An event that is to be appended; the id of its envelope is the same at every try."""

    envelope: Envelope
    event: Contract


class Conflict(Exception):
    """The log did not end where the writer thought: read the tail and decide again."""


class AppendUnknown(Exception):
    """No acknowledgement came; the events may be in the log or not: read the tail and compare ids."""

    is_outage = True


class EventLog(Protocol):
    """The port of the log. Order is total within a document, there is none across documents."""

    async def read(self, stream: StreamId, after: int = 0) -> list[Recorded | Unreadable]:
        """What lies in the log of a document behind the sequence ``after``, in order."""
        ...

    async def append(self, stream: StreamId, expected: int, events: Sequence[NewEvent]) -> int:
        """Append all of ``events`` or none, if the document's last sequence is ``expected`` (0: none yet).

        Returns the sequence of the last one; those of the others are the numbers before it. Raises `Conflict` if the
        document went on meanwhile and `AppendUnknown` if the server did not answer.
        """
        ...
