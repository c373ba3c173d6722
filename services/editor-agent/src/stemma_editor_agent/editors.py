"""Which editor revises which section kind, by document kinds and ``config/editors.json``; and with what it does so."""

from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError
from stemma_contracts.misfits import misfits
from stemma_contracts.tokens import Token
from stemma_contracts.v1.provenance import Provenance
from stemma_kinds import KindFolder
from stemma_models import PromptKey, Prompts, load_prompts

GRAPH, NODE = "editor", "revise"
PLACEHOLDERS = ("title", "document_kind")
SECTIONS = "sections.json"
T = TypeVar("T")


class EditorsError(ValueError):
    """The file of the editors is missing or malformed; the message names it."""


class Editors(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    default: Token
    kinds: Mapping[Token, Token] = {}

    def for_kind(self, kind: str) -> str:
        return self.kinds.get(kind, self.default)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(sorted({self.default, *self.kinds.values()}))


class _Brought(BaseModel):
    """What ``sections.json`` of a document kind says of editors; the rest of it is not for this service."""

    model_config = ConfigDict(extra="ignore")

    editor: Token | None = None


_SECTIONS = TypeAdapter(dict[Token, _Brought])


def load_editors(documents: Iterable[KindFolder], file: Path) -> Editors:
    """The editors of the document kinds, and those of ``file``, which come before them. Raises `EditorsError`."""
    named = _read(file, Editors.model_validate_json)
    tables = [(kind.path / SECTIONS, kind.name) for kind in documents]
    found = [_read(table, _SECTIONS.validate_json, f"{name}/") for table, name in tables if table.is_file()]
    brought = {kind: one.editor for sections in found for kind, one in sections.items() if one.editor is not None}
    return named.model_copy(update={"kinds": {**brought, **named.kinds}})


def _read(file: Path, read: Callable[[bytes], T], place: str = "") -> T:
    try:
        return read(file.read_bytes())
    except FileNotFoundError:
        raise EditorsError(f"{place}{file.name} is missing") from None
    except ValidationError as error:
        raise EditorsError(f"{place}{file.name}: {misfits(error)[0]}") from None


def load_editor_prompts(folder: Path, editors: Editors, of_kinds: Mapping[str, Path]) -> Prompts:
    """The prompts of all editors; raises `stemma_models.PromptError` for one that is missing or malformed."""
    return load_prompts(folder, [PromptKey(GRAPH, NODE, name) for name in editors.names], PLACEHOLDERS, of_kinds)


AGENT_VERSION = f"editor-agent/{version('stemma-editor-agent')}"
DEFAULT = "default"


def recipe(model: str, prompts: Prompts, editor: str) -> Provenance:
    digest = prompts.get(GRAPH, NODE, editor).digest
    return Provenance(model=model, prompt_digest=digest, agent_version=AGENT_VERSION)


def recipes(model: str, prompts: Prompts, editors: Editors) -> dict[str, dict[str, object]]:
    """Every recipe by section kind, whatever the graph; ``default`` for the kinds that have no editor of their own."""
    by_kind = {DEFAULT: editors.default, **editors.kinds}
    return {DEFAULT: {kind: recipe(model, prompts, editor).model_dump() for kind, editor in by_kind.items()}}
