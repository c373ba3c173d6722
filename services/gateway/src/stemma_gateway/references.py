"""Everything that a view of a document refers to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from pydantic import BaseModel
from stemma_contracts.v1.references import ArtifactRef


def references(found: Any) -> Iterator[ArtifactRef]:
    """The references in a view, however deep they stand."""
    if isinstance(found, ArtifactRef):
        yield found
        return
    for inner in _inside(found):
        yield from references(inner)


def _inside(found: Any) -> Iterator[Any]:
    if is_dataclass(found):
        yield from (getattr(found, field.name) for field in fields(found))
    elif isinstance(found, BaseModel):
        yield from (value for _, value in found)
    elif isinstance(found, Mapping):
        yield from found.values()
    elif isinstance(found, (tuple, list, frozenset)):
        yield from found
