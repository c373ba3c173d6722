"""What a dead letter tells in its headers."""

from __future__ import annotations

from collections.abc import Mapping

REASON, ERROR, SUBJECT = "stemma-dead-reason", "stemma-dead-error", "stemma-dead-subject"


def is_explained(headers: Mapping[str, str]) -> bool:
    """Whether it tells why it was put aside, and what had failed."""
    return bool(headers.get(REASON) and headers.get(ERROR))


def told_by(headers: Mapping[str, str]) -> str:
    """Why it was put aside, what had failed, and where it had come."""
    return " ".join(headers.get(name, "?") for name in (REASON, ERROR, SUBJECT))
