"""Which fields of a request are free text, which the orchestrator stores as an artifact before anything is decided."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .base import Contract


@dataclass(frozen=True)
class Stored:
    """Marks a field whose text becomes an artifact of this name. It changes nothing on the wire."""

    name: str
    media_type: str = "text/plain"


def free_texts(message: Contract) -> Iterator[tuple[str, Stored, str]]:
    """The texts of a message that are to be stored: the field, the mark, and the words."""
    for name, field in type(message).model_fields.items():
        for mark in field.metadata:
            if isinstance(mark, Stored) and (text := getattr(message, name)) is not None:
                yield name, mark, text
