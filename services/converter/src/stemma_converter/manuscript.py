"""The whole document before it is written in a format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from stemma_contracts.v1.exports import ExportRemark, ExportWarning
from stemma_languages import Language

from .attribution import Replay
from .images import Picture
from .markers import Maker
from .tree import Node


@dataclass(frozen=True)
class House:
    """Who sends the documents: names for the cover and the properties; empty ones are left out."""

    author: str = ""
    company: str = ""


@dataclass(frozen=True)
class Manuscript:
    """Chapters as blocks, with the pictures that they show by name and what a person should know.

    ``created_at`` has a zone; ``tag`` is the BCP 47 tag of the text, ``language`` the one that our own words are in.
    ``generator`` names the models that wrote it, for the properties, and may be empty. ``previous`` are the blocks of
    the version that a comparison leads from, none if nothing is compared; ``replays`` tell by the numbers of ``makers``
    who changed what in each chapter. ``key`` is the same for what was assembled of the same, empty if nobody said.
    """

    title: str
    house: House
    generator: str
    created_at: datetime
    tag: str
    language: Language
    blocks: list[Node]
    pictures: Mapping[str, Picture]
    warnings: tuple[ExportWarning, ...]
    remarks: tuple[ExportRemark, ...] = ()
    previous: list[Node] | None = None
    replays: tuple[Replay, ...] = ()
    makers: tuple[Maker, ...] = ()
    key: str = ""

    @property
    def date(self) -> str:
        return self.language.date(self.created_at.astimezone(UTC).date())

    @property
    def origin(self) -> str:
        return f"Written with {self.generator}" if self.generator else ""

    @property
    def headings(self) -> int:
        return sum(block["t"] == "Header" for block in self.blocks)

    def running(self) -> dict[str, str]:
        """What a template may show on each page or on the cover, by name."""
        return {
            "title": self.title,
            "company": self.house.company,
            "author": self.house.author,
            "date": self.date,
            "origin": self.origin,
        }
