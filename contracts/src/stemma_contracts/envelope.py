"""The envelope of every message: CloudEvents 1.0 attributes in headers, binary mode.

The body is the JSON of the contract alone. Beside the CloudEvents attributes there are a correlation
id (the request that all this belongs to), a causation id (the message that led to this one), a
sequence (the dense number of an event in its document) and the W3C trace context.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import MAXYEAR, MINYEAR, UTC, datetime

from stemma_contracts.registry import Entry

SPEC_VERSION = "1.0"
CONTENT_TYPE = "application/json"
MAX_REQUEST_BYTES = 64 * 1024
MAX_MESSAGE_BYTES = 768 * 1024
"""Of what services write: a job, event or answer about all 500 sections or 3,000 rows of a document is one message."""


class InvalidEnvelope(ValueError):
    """Headers that are not an envelope: an attribute is missing or has no valid value."""


@dataclass(frozen=True)
class Envelope:
    """CloudEvents attributes of one message; ``time`` has a zone; ``trace`` holds W3C headers."""

    id: str
    type: str
    source: str
    subject: str
    time: datetime
    schema: str = ""
    correlation_id: str = ""
    causation_id: str = ""
    sequence: int = 0
    trace: Mapping[str, str] = field(default_factory=dict)

    def headers(self) -> dict[str, str]:
        """The NATS headers of this envelope."""
        headers = {
            "ce-specversion": SPEC_VERSION,
            "ce-id": self.id,
            "ce-type": self.type,
            "ce-source": self.source,
            "ce-subject": self.subject,
            "ce-time": self.time.astimezone(UTC).isoformat().replace("+00:00", "Z"),
            "content-type": CONTENT_TYPE,
        }
        optional = {
            "ce-dataschema": self.schema,
            "ce-correlationid": self.correlation_id,
            "ce-causationid": self.causation_id,
            "ce-sequence": str(self.sequence) if self.sequence else "",
        }
        return headers | {k: v for k, v in optional.items() if v} | dict(self.trace)

    @classmethod
    def from_headers(cls, headers: Mapping[str, str]) -> Envelope:
        """Read an envelope from NATS headers; raises `InvalidEnvelope` naming the attribute."""
        try:
            return cls(
                id=headers["ce-id"],
                type=headers["ce-type"],
                source=headers["ce-source"],
                subject=headers["ce-subject"],
                time=parse_time(headers["ce-time"]),
                schema=headers.get("ce-dataschema", ""),
                correlation_id=headers.get("ce-correlationid", ""),
                causation_id=headers.get("ce-causationid", ""),
                sequence=int(headers.get("ce-sequence", "0")),
                trace={k: headers[k] for k in ("traceparent", "tracestate") if k in headers},
            )
        except KeyError as missing:
            raise InvalidEnvelope(f"header {missing.args[0]} is missing") from None
        except ValueError as wrong:
            raise InvalidEnvelope(str(wrong)) from None


def parse_time(text: str) -> datetime:
    """Read an RFC 3339 time; raises `ValueError` for one without a zone, or that has no hour in another zone."""
    time = datetime.fromisoformat(text.replace("Z", "+00:00"))
    if time.tzinfo is None:
        raise ValueError(f"time without a zone: {text!r}")
    if not MINYEAR < time.year < MAXYEAR:
        raise ValueError(f"time out of range: {text!r}")
    return time


def envelope_for(
    entry: Entry,
    *,
    id: str,
    source: str,
    subject: str,
    time: datetime,
    correlation_id: str = "",
    causation_id: str = "",
    sequence: int = 0,
    trace: Mapping[str, str] | None = None,
) -> Envelope:
    """An envelope for a contract of the registry: its type and schema are filled in."""
    return Envelope(
        id, entry.ce_type, source, subject, time, entry.schema_uri, correlation_id, causation_id, sequence, trace or {}
    )


AT = "Stemma-At"
"""How many characters of the text came before the words of a message; a text that begins anew is at 0 again."""


def place(headers: Mapping[str, str] | None) -> int | None:
    """The place of the words of a message; None where it says none, as in releases before 0.3."""
    told = (headers or {}).get(AT, "")
    return int(told) if told.isascii() and told.isdecimal() and len(told) <= 9 else None
