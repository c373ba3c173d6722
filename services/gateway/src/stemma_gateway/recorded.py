"""Events of the log as HTTP tells them."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from pydantic import BaseModel, Field
from stemma_client import RecordedEvent


class Recorded(BaseModel):
    """An event of the log with its envelope; ``data`` is its body, by the contract that ``type`` names."""

    sequence: int = Field(description="its place in the log: the id of the event in a stream")
    name: str = Field(description="its type in a word, such as `section-drafted`")
    type: str
    id: str
    time: datetime
    document_id: str
    number: int = Field(description="its place in the log of its document")
    correlation_id: str = ""
    causation_id: str = ""
    data: dict[str, Any]


def recorded(event: RecordedEvent) -> Recorded:
    """An event as it is told."""
    envelope = event.envelope
    return Recorded(
        sequence=event.sequence,
        name=event.name,
        type=envelope.type,
        id=envelope.id,
        time=envelope.time,
        document_id=event.document_id,
        number=envelope.sequence,
        correlation_id=envelope.correlation_id,
        causation_id=envelope.causation_id,
        data=json.loads(event.data),
    )
