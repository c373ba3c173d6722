"""What is wrong with a configuration file, in one line."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, RootModel, ValidationError, model_validator
from stemma_contracts.misfits import misfits
from stemma_contracts.tokens import Digest, Token
from stemma_kinds import KindFolder


class ConfigurationError(ValueError):
    """A configuration file that refuses the start; the message names file and field."""


def by_name(folder: str, files: Mapping[str, Path]) -> dict[str, Path]:
    """The files of a folder by what they are named for. Raises `ConfigurationError` naming one in a folder below it."""
    for name in files:
        if "/" in name:
            raise ConfigurationError(f"{folder}/{name}: it must be in {folder} itself")
    return {file.stem: file for file in files.values()}


SECTIONS = "sections.json"
OVERRIDES = "kinds.json"


class Kind(BaseModel):
    """How sections of one kind are written; without a schema or a structure the model writes Markdown itself.

    A schema is a class of ours (`rendering.py` of the section graph), a structure a JSON Schema of the document kind.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    schema_name: str | None = Field(default=None, alias="schema")
    structure: str | None = None
    tools: tuple[str, ...] = ()
    tool_rounds: int = Field(default=2, ge=1, le=10, description="rounds of tool calls before the draft")
    editor: Token | None = Field(default=None, description="who revises it, for the editor agent")
    seeks: Mapping[str, str] = Field(
        default={}, description="by language: what such a section looks for in inputs too long for a prompt, as a, b, c"
    )

    @model_validator(mode="after")
    def _is_filled_in_once(self) -> Kind:
        if self.schema_name is not None and self.structure is not None:
            raise ValueError("structure: there is a schema already")
        return self


PLAIN = Kind()
Kinds = Mapping[str, Kind]


@dataclass(frozen=True)
class Known:
    """What the kinds may name; tools that are ``absent`` are known, and not here."""

    schemas: Collection[str]
    structures: Collection[str]
    tools: Collection[str]
    absent: Collection[str] = ()


class _KindsFile(RootModel[dict[str, Kind]]):
    pass


def load_kinds(
    documents: Iterable[KindFolder],
    config: Path,
    known: Known,
) -> Kinds:
    """The kinds of all document kinds, and those of ``kinds.json`` in the config folder, which come before them.

    Raises `ConfigurationError` naming file and field for what does not exist. Tools that are absent may be named:
    who has none of them does without.
    """
    found: dict[str, Kind] = {}
    for document in documents:
        name = f"{document.name}/{SECTIONS}"
        for section, kind in _read_kinds(name, document.path / SECTIONS, known).items():
            if found.setdefault(section, kind) != kind:
                raise ConfigurationError(f"{name}: {section}: another document kind has another one of this name")
    found |= _read_kinds(OVERRIDES, config / OVERRIDES, known)
    return {name: kind.model_copy(update={"tools": _present(kind, known.tools)}) for name, kind in found.items()}


def _read_kinds(name: str, file: Path, known: Known) -> dict[str, Kind]:
    if not file.is_file():
        return {}
    try:
        kinds = _KindsFile.model_validate_json(file.read_bytes()).root
    except ValidationError as error:
        raise ConfigurationError(f"{name}: {misfits(error)[0]}") from None
    for section, kind in kinds.items():
        if kind.schema_name is not None and kind.schema_name not in known.schemas:
            raise ConfigurationError(f"{name}: {section}.schema: no schema is called {kind.schema_name!r}")
        if kind.structure is not None and kind.structure not in known.structures:
            raise ConfigurationError(f"{name}: {section}.structure: no structure is called {kind.structure!r}")
        for tool in kind.tools:
            if tool not in {*known.tools, *known.absent}:
                raise ConfigurationError(f"{name}: {section}.tools: no tool is called {tool!r}")
    return kinds


def _present(kind: Kind, tools: Collection[str]) -> tuple[str, ...]:
    return tuple(tool for tool in kind.tools if tool in tools)


DEFAULT = "default"


class Criterion(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    id: Token
    description: str = Field(min_length=1)
    weight: float = Field(gt=0, le=1, description="share of the weighted score; all weights sum to 1")
    threshold: float = Field(ge=0, le=1, description="the score that is good enough")
    critical: bool = Field(default=False, description="below its threshold the draft fails, whatever the rest")


class _CriteriaFile(RootModel[tuple[Criterion, ...]]):
    @model_validator(mode="after")
    def _weights_sum_to_one(self) -> _CriteriaFile:
        total = math.fsum(criterion.weight for criterion in self.root)
        if not math.isclose(total, 1, abs_tol=0.001):
            raise ValueError(f"weight: all weights must sum to 1, they sum to {total:g}")
        return self

    @model_validator(mode="after")
    def _ids_differ(self) -> _CriteriaFile:
        ids = [criterion.id for criterion in self.root]
        if len(set(ids)) < len(ids):
            raise ValueError("id: two criteria have the same id")
        return self


@dataclass(frozen=True)
class Criteria:
    criteria: tuple[Criterion, ...]
    digest: Digest

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(criterion.id for criterion in self.criteria)


class CriteriaSets:
    def __init__(self, by_kind: Mapping[str, Criteria]) -> None:
        self._by_kind = dict(by_kind)

    @property
    def kinds(self) -> tuple[str, ...]:
        return tuple(sorted(self._by_kind))

    def for_kind(self, kind: str) -> Criteria:
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
    return CriteriaSets({kind: _read_criteria(path) for kind, path in files.items()})


def _read_criteria(path: Path) -> Criteria:
    data = path.read_bytes()
    try:
        criteria = _CriteriaFile.model_validate_json(data).root
    except ValidationError as error:
        raise ConfigurationError(f"{path.parent.name}/{path.name}: {misfits(error)[0]}") from None
    return Criteria(criteria, hashlib.sha256(data).hexdigest())
