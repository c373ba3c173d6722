"""What one tenant may have on the server at most, so that it cannot stop the others; the server refuses more.

What is bounded by counting documents, such as open jobs, is the orchestrator's to refuse.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

GIB = 1024**3
PREFIX = "STEMMA_TENANT_"


class BadBound(ValueError):
    """A variable that should say how much a tenant may have, and says something else."""


@dataclass(frozen=True)
class Bounds:
    """Of one tenant; each is set by a variable of its name, as in ``STEMMA_TENANT_CONNECTIONS``."""

    waiting_requests: int = 1000
    """Of one name, and of one name and one person."""
    upload_bytes: int = 4 * GIB
    """Of the last seven days, in pieces of 128 KiB; an upload has one more, which describes it."""
    connections: int = 1000
    """Of its programs; and as many of its people, to read and to ask."""
    consumers: int = 1000
    """Each of its events, its answers and its summaries."""

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> Bounds:
        """The bounds that the environment sets; raises `BadBound`."""
        given = {each.name: environ.get(f"{PREFIX}{each.name.upper()}", "") for each in fields(cls)}
        return cls(**{name: _number(name, text) for name, text in given.items() if text})


def _number(name: str, text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise BadBound(f"{PREFIX}{name.upper()} must be a number from 1 on")
    return int(text)
