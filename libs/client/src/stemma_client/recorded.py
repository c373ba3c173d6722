"""Events as they lie in the log."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import AsyncGenerator, AsyncIterable, Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from nats.aio.msg import Msg
from pydantic import ValidationError
from stemma_contracts import Contract, Entry, Envelope, Family, UnknownContract, UpcastFailed, registry, subjects

from .errors import CopyIncompleteError, UnreadableEventError

if TYPE_CHECKING:
    from stemma_contracts.v1.views import EventView


@dataclass(frozen=True)
class RecordedEvent:
    """One event of the log.

    ``sequence`` is its place in the stream: following from ``sequence + 1`` goes on behind it.
    ``contract`` is None for a type that this version does not know; ``data`` is the body as it is.
    ``pending`` counts the events that were already stored behind it when it was read, at least one if there are any.
    """

    envelope: Envelope
    contract: Contract | None
    sequence: int
    subject: str
    data: bytes
    pending: int

    @property
    def is_known(self) -> bool:
        """Whether this version knows its type; a later release may have more."""
        return _known(self.envelope.type) is not None

    @property
    def document_id(self) -> str:
        """The document whose log it is in."""
        return subjects.parse_event(self.subject).document_id

    @property
    def name(self) -> str:
        """The last token of its subject, for example ``section-drafted``."""
        return subjects.parse_event(self.subject).name

    @property
    def view(self) -> EventView:
        """The event as programs read it."""
        from stemma_contracts.v1.views import EventView  # with most of what messages are made of

        envelope = self.envelope
        return EventView(
            sequence=self.sequence,
            name=self.name,
            type=envelope.type,
            id=envelope.id,
            time=envelope.time,
            subject=self.subject,
            document_id=self.document_id,
            number=envelope.sequence,
            correlation_id=envelope.correlation_id,
            causation_id=envelope.causation_id,
            data=json.loads(self.data),
        )


ERASED = "document-erased"
"""The event that stays of a document whose log is erased."""


class NoEventError(ValueError):
    """A message in the log of a document that is no event of it; the message says why without quoting it."""


@dataclass(frozen=True)
class _Reached:
    number: int = 0
    sequence: int = 0
    unreadable: int = 0


class Genuine:
    """Tells the events of documents from what else lies in their logs: the orchestrator skips the same.

    ``hole`` says what should have been read before the event that was read last: a copy of the log can lack events,
    the log never does, unless it is erased. With ``whole`` all is read, from the first event on; else nothing is known
    of what was not read.
    """

    def __init__(self, *, whole: bool = True) -> None:
        self._reached: dict[str, _Reached] = defaultdict(_Reached)
        self._whole = whole
        self.hole: CopyIncompleteError | UnreadableEventError | None = None

    def copy(self) -> Genuine:
        """One that read the same, and goes on by itself."""
        other = Genuine(whole=self._whole)
        other._reached.update(self._reached)
        return other

    def read_or_tell(self, message: Msg, tell: Callable[[str], None]) -> RecordedEvent | None:
        """The event in a message; what is none is told of and left out."""
        try:
            return self.read(message)
        except NoEventError as error:
            tell(f"sequence {message.metadata.sequence.stream} of the log is no event: {error}")
            return None

    def read(self, message: Msg) -> RecordedEvent:
        """The event in a message, of which those before it in the log were read; raises `NoEventError`."""
        try:
            address = subjects.parse_event(message.subject)
        except ValueError as error:
            raise NoEventError(type(error).__name__) from None
        about = f"{address.tenant}/{address.document_id}"
        before = self._reached[about]
        try:
            event = recorded(message)
        except ValueError as error:
            self._reached[about] = replace(before, unreadable=before.unreadable + 1)
            raise NoEventError(type(error).__name__) from None
        _check_number(event, about, before.number)
        self._reached[about] = _Reached(event.envelope.sequence, event.sequence)
        entry = _known(event.envelope.type)
        if entry is not None and (entry.family, entry.token) != (Family.EVENT, address.name):
            raise NoEventError(f"{entry.ce_type} does not belong there")
        self.hole = _hole(before, event) if self._whole else None
        return event


def _check_number(event: RecordedEvent, about: str, before: int) -> None:
    number = event.envelope.sequence
    if event.envelope.subject != about:
        raise NoEventError("it says that it belongs to another document")
    if number > event.sequence:
        raise NoEventError("its number is larger than all of the log")
    if number <= before:
        raise NoEventError("its number was there before")


def _hole(before: _Reached, event: RecordedEvent) -> CopyIncompleteError | UnreadableEventError | None:
    """What is missing between two events by their numbers: it is not there, unless what is there cannot be read."""
    missing = event.envelope.sequence - before.number - 1
    where = (before.sequence + 1, event.sequence - 1)
    if not missing or event.name == ERASED:
        return None
    if missing <= before.unreadable:
        return UnreadableEventError(event.document_id, *where)
    address = subjects.parse_event(event.subject)
    return CopyIncompleteError(subjects.event(address.tenant, address.document_id, subjects.ANY), *where)


async def read_whole(
    messages: AsyncIterable[Msg], genuine: Genuine, tell: Callable[[str], None]
) -> AsyncGenerator[RecordedEvent, None]:
    """The events in messages that are the whole log of a document, or its rest.

    Raises `CopyIncompleteError` and `UnreadableEventError`.
    """
    async for message in messages:
        if event := genuine.read_or_tell(message, tell):
            if genuine.hole:
                raise genuine.hole
            yield event


def _known(ce_type: str) -> Entry | None:
    try:
        return registry.entry_for(ce_type)
    except UnknownContract:
        return None


def recorded(message: Msg) -> RecordedEvent:
    """Read a message of the event stream; raises `InvalidEnvelope` and `UnreadableEventError`."""
    envelope = Envelope.from_headers(message.headers or {})
    metadata = message.metadata
    sequence = metadata.sequence.stream
    try:
        contract = _decoded(envelope.type, message.data)
    except UpcastFailed as error:
        raise UnreadableEventError(subjects.parse_event(message.subject).document_id, sequence, sequence) from error
    return RecordedEvent(
        envelope,
        contract,
        sequence,
        message.subject,
        message.data,
        metadata.num_pending,
    )


def _decoded(ce_type: str, data: bytes) -> Contract | None:
    try:
        return registry.decode(ce_type, data)
    except (UnknownContract, ValidationError):
        return None
