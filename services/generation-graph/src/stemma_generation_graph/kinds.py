"""How sections of a kind are written: ``sections.json`` of their document kind says it, then ``kinds.json``."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, RootModel, ValidationError, model_validator
from stemma_contracts.misfits import misfits
from stemma_contracts.tokens import Token
from stemma_kinds import KindFolder

from .configuration import ConfigurationError

SECTIONS = "sections.json"
OVERRIDES = "kinds.json"


class Kind(BaseModel):
    """How sections of one kind are written; without a schema or a structure the model writes Markdown itself.

    A schema is a class of ours (`schemas.py` of the section graph), a structure a JSON Schema of the document kind.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    schema_name: str | None = Field(default=None, alias="schema")
    structure: str | None = None
    tools: tuple[str, ...] = ()
    tool_rounds: int = Field(default=2, ge=1, le=10, description="rounds of tool calls before the draft")
    editor: Token | None = Field(default=None, description="who revises it, for the editor agent")

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


class _File(RootModel[dict[str, Kind]]):
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
        for section, kind in _read(name, document.path / SECTIONS, known).items():
            if found.setdefault(section, kind) != kind:
                raise ConfigurationError(f"{name}: {section}: another document kind has another one of this name")
    found |= _read(OVERRIDES, config / OVERRIDES, known)
    return {name: kind.model_copy(update={"tools": _present(kind, known.tools)}) for name, kind in found.items()}


def _read(name: str, file: Path, known: Known) -> dict[str, Kind]:
    if not file.is_file():
        return {}
    try:
        kinds = _File.model_validate_json(file.read_bytes()).root
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
