"""Evaluation criteria per section kind: a file in its document kind, ``config/evaluation/default.json`` for others."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, RootModel, ValidationError, model_validator
from stemma_contracts.misfits import misfits
from stemma_contracts.tokens import Digest, Token

from .configuration import ConfigurationError, by_name

DEFAULT = "default"


class Criterion(BaseModel):
    """One thing that a draft is scored by."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: Token
    description: str = Field(min_length=1)
    weight: float = Field(gt=0, le=1, description="share of the weighted score; all weights sum to 1")
    threshold: float = Field(ge=0, le=1, description="the score that is good enough")
    critical: bool = Field(default=False, description="below its threshold the draft fails, whatever the rest")


class _File(RootModel[tuple[Criterion, ...]]):
    @model_validator(mode="after")
    def _weights_sum_to_one(self) -> _File:
        total = math.fsum(criterion.weight for criterion in self.root)
        if not math.isclose(total, 1, abs_tol=0.001):
            raise ValueError(f"weight: all weights must sum to 1, they sum to {total:g}")
        return self

    @model_validator(mode="after")
    def _ids_differ(self) -> _File:
        ids = [criterion.id for criterion in self.root]
        if len(set(ids)) < len(ids):
            raise ValueError("id: two criteria have the same id")
        return self


@dataclass(frozen=True)
class Criteria:
    """The criteria of one section kind and the SHA-256 of their file."""

    criteria: tuple[Criterion, ...]
    digest: Digest

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids in the order of the file."""
        return tuple(criterion.id for criterion in self.criteria)


class CriteriaSets:
    """The criteria of all section kinds."""

    def __init__(self, by_kind: Mapping[str, Criteria]) -> None:
        self._by_kind = dict(by_kind)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds that have criteria of their own, and ``default``."""
        return tuple(sorted(self._by_kind))

    def for_kind(self, kind: str) -> Criteria:
        """The criteria of a kind, or the default ones."""
        return self._by_kind.get(kind, self._by_kind[DEFAULT])


def load_criteria(folder: Path, kinds: Iterable[str], of_kinds: Mapping[str, Path] | None = None) -> CriteriaSets:
    """Read all criteria. Each of ``kinds`` must have a file of its own, and there must be a ``default.json``.

    ``of_kinds`` are the files that document kinds bring; what lies in the folder comes before them.

    Raises `ConfigurationError` naming file and field.
    """
    files = by_name("criteria", of_kinds or {})
    files |= {path.stem: path for path in sorted(folder.glob("*.json"))}
    if DEFAULT not in files:
        raise ConfigurationError(f"{folder.name}/{DEFAULT}.json is missing")
    for kind in kinds:
        if kind not in files:
            raise ConfigurationError(f"criteria/{kind}.json is missing")
    return CriteriaSets({kind: _read(path) for kind, path in files.items()})


def _read(path: Path) -> Criteria:
    data = path.read_bytes()
    try:
        criteria = _File.model_validate_json(data).root
    except ValidationError as error:
        raise ConfigurationError(f"{path.parent.name}/{path.name}: {misfits(error)[0]}") from None
    return Criteria(criteria, hashlib.sha256(data).hexdigest())
