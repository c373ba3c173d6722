"""Events and sections in words."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from stemma_contracts.v1.values import SectionStatus

from stemma_client.recorded import RecordedEvent
from stemma_client.views import SectionView

_DETAILS: tuple[tuple[str, Callable[[Any], str]], ...] = (
    ("version", "version {}".format),
    ("evaluation", lambda evaluation: f"score {evaluation.score:.2f}"),
    ("validation", lambda validation: issues(validation.issue_count)),
    ("round", "round {}".format),
    ("format", str),
    ("need", lambda need: f"asks: {need.kind} {need.need_id}"),
    ("warnings", lambda warnings: f"{sum(w.count for w in warnings)} warnings"),
    ("detail", str),
    ("current_version", "current version is {}".format),
    ("document_status", "the document is {}".format),
    ("by_policy", lambda _: "by policy"),
    ("actor", "by {}".format),
    ("starts", lambda starts: f"starts {', '.join(starts)}"),
)


def issues(count: int) -> str:
    """A number of lint issues."""
    return "no lint issues" if count == 0 else f"{count} lint issue{'' if count == 1 else 's'}"


def event_words(event: RecordedEvent) -> str:
    """What happened, in a line without the time."""
    about = getattr(event.contract, "section_id", None) or "document"
    words = event.name.replace("-", " ").removeprefix("section ").removeprefix("document ")
    details = [tell(value) for name, tell in _DETAILS if (value := getattr(event.contract, name, None))]
    return f"{about}: {words}{' (' + ', '.join(details) + ')' if details else ''}"


def event_line(event: RecordedEvent) -> str:
    """What happened and when, in the time of this machine."""
    return f"{event.envelope.time.astimezone():%H:%M:%S} {event_words(event)}"


def event_json(event: RecordedEvent) -> dict[str, Any]:
    """An event with its envelope, as one JSON object; ``data`` is the body as it was published."""
    envelope = event.envelope
    return {
        "sequence": event.sequence,
        "id": envelope.id,
        "type": envelope.type,
        "time": envelope.time.isoformat(),
        "subject": event.subject,
        "document_id": event.document_id,
        "number": envelope.sequence,
        "correlation_id": envelope.correlation_id,
        "causation_id": envelope.causation_id,
        "data": json.loads(event.data),
    }


def status_words(section: SectionView) -> str:
    """The status of a section, and what is being done to it."""
    if section.need is not None:
        return f"waits for an answer ({section.need.need_id})"
    if section.status is SectionStatus.GENERATING and section.activity:
        return f"{section.status} ({section.activity})"
    return section.status.replace("_", " ")


def score_words(score: float | None) -> str:
    """A score with two digits, or nothing."""
    return "" if score is None else f"{score:.2f}"


def version_words(version: int) -> str:
    """A version, or nothing while nothing is written."""
    return str(version) if version else ""
