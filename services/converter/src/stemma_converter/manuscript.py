"""The whole document before it is written in a format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from stemma_contracts.v1.exports import ExportWarning

from .images import Picture
from .tree import Node, node, text


@dataclass(frozen=True)
class Manuscript:
    """Chapters as blocks, with the pictures that they show by name and what a person should know.

    ``created_at`` has a zone; ``generator`` names the models that wrote it and may be empty. ``previous`` are the
    blocks of the version that a comparison leads from; none if nothing is compared.
    """

    title: str
    kind: str
    author: str
    generator: str
    created_at: datetime
    blocks: list[Node]
    pictures: Mapping[str, Picture]
    warnings: tuple[ExportWarning, ...]
    previous: list[Node] | None = None

    @property
    def date(self) -> str:
        """The day of the document in words, in UTC."""
        day = self.created_at.astimezone(UTC)
        return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"

    @property
    def origin(self) -> str:
        """Who wrote it, for footers and properties."""
        return f"Written with {self.generator}" if self.generator else ""

    @property
    def subtitle(self) -> str:
        """The line below the title."""
        return self.date if self.kind == self.title else f"{self.kind} · {self.date}"

    def meta(self) -> dict[str, Node]:
        """The metadata as pandoc takes it; every value is plain text."""
        values = {
            "title": self.title,
            "pagetitle": self.title,
            "subtitle": self.subtitle,
            "origin": self.origin,
            "lang": "en",
        }
        return {key: node("MetaInlines", text(value)) for key, value in values.items() if value}


# Names of months from the standard library follow the locale of the host.
_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
