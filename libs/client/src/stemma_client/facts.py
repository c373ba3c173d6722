"""A fact that is changed wherever it stands: its places in all sections, which are shown before any is changed."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from typing import TYPE_CHECKING

from stemma_contracts.v1.requests import ChangeFact, FactPlaces

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from stemma_contracts.v1.views import DocumentView
    from stemma_markdown import Standing

    from .client import Client

MOST_SHOWN, _MOST_OF_SECTION = 400, 200
"""Places that are looked for at once, as many as a form can send back; what was changed is not among the next ones."""


@dataclass(frozen=True)
class Stated:
    """The places of a fact in one version of a section."""

    section_id: str
    version: int
    places: tuple[Standing, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """What its places are called, such as ``offer:12``."""
        return tuple(f"{self.section_id}:{place.start}" for place in self.places)

    def only(self, names: Container[str]) -> Stated:
        """Those of the places that are named."""
        kept = (place for name, place in zip(self.names, self.places, strict=True) if name in names)
        return Stated(self.section_id, self.version, tuple(kept))


async def places_of(client: Client, document: DocumentView, written: str) -> tuple[Stated, ...]:
    """The sections of a document in which words stand, in the order of the outline: the first `MOST_SHOWN` places."""
    found = list[Stated]()
    for name, section in document.sections.items():
        text = await client.text(document.document_id, section.current.draft) if section.current else ""
        most = min(_MOST_OF_SECTION, MOST_SHOWN - sum(len(one.places) for one in found))
        if places := await asyncio.to_thread(_places, text, written, most):
            found.append(Stated(name, section.version, places))
    return tuple(found)


def _places(text: str, written: str, most: int) -> tuple[Standing, ...]:
    from stemma_markdown import standing

    return tuple(islice(standing(text, written), most))


def change_of(document_id: str, stated: Sequence[Stated], written: str, instead: str) -> ChangeFact:
    """The request that puts other words in all of the places. Raises `ValidationError` for none of them."""
    sections = (
        FactPlaces(section_id=one.section_id, version=one.version, places=tuple(place.start for place in one.places))
        for one in stated
        if one.places
    )
    return ChangeFact(document_id=document_id, sections=tuple(sections), written=written, instead=instead)


def digest_of(change: ChangeFact) -> str:
    """What names a plan that was shown: the same versions, places and words."""
    return sha256(change.model_dump_json(exclude={"request_id", "actor"}).encode()).hexdigest()
