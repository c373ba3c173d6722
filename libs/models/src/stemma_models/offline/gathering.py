"""All inputs of a request as one body of material."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from .material import Place, Unit, read_document
from .procedure import is_formal, is_of_tender
from .tender import of_tender

_LEGAL = re.compile(r"(?:^|/)(?:licen[cs]e|copying|notice)(?:\.\w+)?$", re.I)


@dataclass(frozen=True)
class Material:
    """The units of the inputs, file by file, and where their images stand; an image of no use has no place."""

    units: tuple[Unit, ...]
    places: dict[str, Place]
    decorations: frozenset[str]
    of_tender: bool = False


@lru_cache(maxsize=16)
def gather(inputs: tuple[tuple[str, str], ...]) -> Material:
    """The material of the inputs, by name and text. The inputs of a call for offers lose what is about offers."""
    documents = [read_document(name, text) for name, text in inputs if not _LEGAL.search(name)]
    units = [unit for document in documents for unit in document.units]
    places = [place for document in documents for place in document.images]
    if not any(is_of_tender(text) for _, text in inputs):
        return Material(tuple(units), _first(places), frozenset())
    adapted = {id(unit): of_tender(unit) for unit in units}
    fit = [replace(p, beside=adapted.get(id(p.beside))) for p in places if not _is_decoration(p)]
    spare = frozenset(p.name for p in places if _is_decoration(p))
    return Material(tuple(filter(None, adapted.values())), _first(fit), spare, of_tender=True)


def _first(places: list[Place]) -> dict[str, Place]:
    return {place.name: place for place in reversed(places)}


def _is_decoration(place: Place) -> bool:
    """A seal before the first heading, a form among the exhibits: nothing that an offer would show."""
    return is_formal(place.headings) or (place.beside is None and not any(place.headings))
