"""Which section kinds are filled in by schema, and which tools they get: ``config/kinds.json``."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, RootModel, ValidationError

from .configuration import ConfigurationError, first_problem


class Kind(BaseModel):
    """How sections of one kind are written; without a schema the model writes Markdown itself."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    schema_name: str | None = Field(default=None, alias="schema")
    tools: tuple[str, ...] = ()
    tool_rounds: int = Field(default=2, ge=1, le=10, description="rounds of tool calls before the draft")


PLAIN = Kind()
Kinds = Mapping[str, Kind]


class _File(RootModel[dict[str, Kind]]):
    pass


def load_kinds(path: Path, schemas: Collection[str], tools: Collection[str], absent: Collection[str] = ()) -> Kinds:
    """Read the kinds. Raises `ConfigurationError` naming file and field for what does not exist.

    Tools that are ``absent`` may be named: who has none of them does without.
    """
    try:
        kinds = _File.model_validate_json(path.read_bytes()).root
    except FileNotFoundError:
        raise ConfigurationError(f"{path.name} is missing") from None
    except ValidationError as error:
        raise ConfigurationError(f"{path.name}: {first_problem(error)}") from None
    for name, kind in kinds.items():
        if kind.schema_name is not None and kind.schema_name not in schemas:
            raise ConfigurationError(f"{path.name}: {name}.schema: no schema is called {kind.schema_name!r}")
        for tool in kind.tools:
            if tool not in tools and tool not in absent:
                raise ConfigurationError(f"{path.name}: {name}.tools: no tool is called {tool!r}")
    return {name: kind.model_copy(update={"tools": _present(kind, tools)}) for name, kind in kinds.items()}


def _present(kind: Kind, tools: Collection[str]) -> tuple[str, ...]:
    return tuple(tool for tool in kind.tools if tool in tools)
