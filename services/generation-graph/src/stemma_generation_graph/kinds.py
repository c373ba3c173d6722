"""How sections of a kind are written: ``sections.json`` of their document kind says it, then ``kinds.json``."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, RootModel, ValidationError
from stemma_contracts.tokens import Token
from stemma_kinds import KindFolder

from .configuration import ConfigurationError, first_problem

SECTIONS = "sections.json"
OVERRIDES = "kinds.json"


class Kind(BaseModel):
    """How sections of one kind are written; without a schema the model writes Markdown itself."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    schema_name: str | None = Field(default=None, alias="schema")
    tools: tuple[str, ...] = ()
    tool_rounds: int = Field(default=2, ge=1, le=10, description="rounds of tool calls before the draft")
    editor: Token | None = Field(default=None, description="who revises it, for the editor agent")


PLAIN = Kind()
Kinds = Mapping[str, Kind]


class _File(RootModel[dict[str, Kind]]):
    pass


def load_kinds(
    documents: Iterable[KindFolder],
    config: Path,
    schemas: Collection[str],
    tools: Collection[str],
    absent: Collection[str] = (),
) -> Kinds:
    """The kinds of all document kinds, and those of ``kinds.json`` in the config folder, which come before them.

    Raises `ConfigurationError` naming file and field for what does not exist. Tools that are ``absent`` may be named:
    who has none of them does without.
    """
    known = {*tools, *absent}
    found: dict[str, Kind] = {}
    for document in documents:
        name = f"{document.name}/{SECTIONS}"
        for section, kind in _read(name, document.path / SECTIONS, schemas, known).items():
            if found.setdefault(section, kind) != kind:
                raise ConfigurationError(f"{name}: {section}: another document kind has another one of this name")
    found |= _read(OVERRIDES, config / OVERRIDES, schemas, known)
    return {name: kind.model_copy(update={"tools": _present(kind, tools)}) for name, kind in found.items()}


def _read(name: str, file: Path, schemas: Collection[str], tools: Collection[str]) -> dict[str, Kind]:
    if not file.is_file():
        return {}
    try:
        kinds = _File.model_validate_json(file.read_bytes()).root
    except ValidationError as error:
        raise ConfigurationError(f"{name}: {first_problem(error)}") from None
    for section, kind in kinds.items():
        if kind.schema_name is not None and kind.schema_name not in schemas:
            raise ConfigurationError(f"{name}: {section}.schema: no schema is called {kind.schema_name!r}")
        for tool in kind.tools:
            if tool not in tools:
                raise ConfigurationError(f"{name}: {section}.tools: no tool is called {tool!r}")
    return kinds


def _present(kind: Kind, tools: Collection[str]) -> tuple[str, ...]:
    return tuple(tool for tool in kind.tools if tool in tools)
