"""The JSON Schema of the headers that every message carries."""

from __future__ import annotations

from typing import Any

from stemma_contracts import subjects
from stemma_contracts.envelope import CONTENT_TYPE, SPEC_VERSION


def _text(description: str, **rules: str) -> dict[str, str]:
    return {"type": "string", "description": description, **rules}


ENVELOPE: dict[str, Any] = {
    "type": "object",
    "description": "CloudEvents 1.0 attributes in binary mode, correlation and causation, W3C trace context.",
    "required": ["ce-id", "ce-type", "ce-source", "ce-subject", "ce-time"],
    "properties": {
        "ce-specversion": _text("version of CloudEvents", const=SPEC_VERSION),
        "ce-id": _text("unique with its source; the id by which a message is known again"),
        "ce-type": _text("wire name of the contract, with its major version", pattern=r"^stemma\.[a-z.]+\.v[0-9]+$"),
        "ce-source": _text(f"the service that sent it, or `{subjects.CALLERS}`"),
        "ce-subject": _text(
            "what it is about: tenant, document and section, as far as it has them, with slashes between"
        ),
        "ce-time": _text("when it was sent, with a zone", format="date-time"),
        "ce-dataschema": _text("path of the JSON Schema of the body"),
        "ce-correlationid": _text("the request that all this belongs to"),
        "ce-causationid": _text("the message that led to this one"),
        "ce-sequence": _text("dense number of an event in its document, from 1", pattern="^[1-9][0-9]*$"),
        "content-type": _text("media type of the body", const=CONTENT_TYPE),
        "traceparent": _text("W3C trace context"),
        "tracestate": _text("W3C trace context"),
    },
}
