"""Events as they lie in the log."""

from __future__ import annotations

from dataclasses import dataclass

from nats.aio.msg import Msg
from pydantic import ValidationError
from stemma_contracts import Contract, Envelope, UnknownContract, registry, subjects
from stemma_contracts import v1 as _v1  # noqa: F401  (fills the registry)


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
    def document_id(self) -> str:
        """The document whose log it is in."""
        return subjects.parse_event(self.subject).document_id

    @property
    def name(self) -> str:
        """The last token of its subject, for example ``section-drafted``."""
        return subjects.parse_event(self.subject).name


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
