"""Events as they lie in the log."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncGenerator, AsyncIterable, Callable
from dataclasses import dataclass

from nats.aio.msg import Msg
from pydantic import ValidationError
from stemma_contracts import Contract, Entry, Envelope, Family, UnknownContract, registry, subjects
from stemma_contracts import v1 as _v1  # noqa: F401  (fills the registry)

from .errors import LogIncompleteError


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


class NoEventError(ValueError):
    """A message in the log of a document that is no event of it; the message says why without quoting it."""


class Genuine:
    """Tells the events of documents from what else lies in their logs: the orchestrator skips the same.

    ``missing`` are the numbers of the events of its document that should have been read before the one that was read
    last: a copy of the log can lack some, the log never does. With ``whole`` all is read, from the first event on; else
    nothing is known of what was not read.
    """

    def __init__(self, *, whole: bool = True) -> None:
        self._numbers: dict[str, int] = defaultdict(int)
        self._whole = whole
        self.missing = range(0)

    def copy(self) -> Genuine:
        """One that read the same, and goes on by itself."""
        other = Genuine(whole=self._whole)
        other._numbers.update(self._numbers)
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
            event = recorded(message)
            address = subjects.parse_event(event.subject)
        except ValueError as error:
            raise NoEventError(type(error).__name__) from None
        about, number = f"{address.tenant}/{address.document_id}", event.envelope.sequence
        if event.envelope.subject != about:
            raise NoEventError("it says that it belongs to another document")
        if number > event.sequence:
            raise NoEventError("its number is larger than all of the log")
        before, self._numbers[about] = self._numbers[about], max(self._numbers[about], number)
        if number <= before:
            raise NoEventError("its number was there before")
        entry = _known(event.envelope.type)
        if entry is not None and (entry.family, entry.token) != (Family.EVENT, address.name):
            raise NoEventError(f"{entry.ce_type} does not belong there")
        self.missing = range(before + 1, number) if self._whole else range(0)
        return event


async def read_whole(
    messages: AsyncIterable[Msg], genuine: Genuine, tell: Callable[[str], None]
) -> AsyncGenerator[RecordedEvent, None]:
    """The events in messages that are the whole log of a document, or its rest; raises `LogIncompleteError`."""
    async for message in messages:
        if event := genuine.read_or_tell(message, tell):
            if genuine.missing:
                raise LogIncompleteError(event.document_id, genuine.missing)
            yield event


def _known(ce_type: str) -> Entry | None:
    try:
        return registry.entry_for(ce_type)
    except UnknownContract:
        return None


def recorded(message: Msg) -> RecordedEvent:
    """Read a message of the event stream; raises `InvalidEnvelope` for one that has no envelope."""
    envelope = Envelope.from_headers(message.headers or {})
    metadata = message.metadata
    return RecordedEvent(
        envelope,
        _decoded(envelope.type, message.data),
        metadata.sequence.stream,
        message.subject,
        message.data,
        metadata.num_pending,
    )


def _decoded(ce_type: str, data: bytes) -> Contract | None:
    try:
        return registry.decode(ce_type, data)
    except (UnknownContract, ValidationError):
        return None
