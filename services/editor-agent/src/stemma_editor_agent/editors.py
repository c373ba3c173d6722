"""Which editor revises which section kind: ``config/editors.json``; the prompt of each lies beside it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError
from stemma_contracts.tokens import Token
from stemma_models import PromptKey, Prompts, load_prompts

GRAPH, NODE = "editor", "revise"
PLACEHOLDERS = ("title", "document_kind")


class EditorsError(ValueError):
    """The file of the editors is missing or malformed; the message names it."""


class Editors(BaseModel):
    """Editors by section kind."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    default: Token
    kinds: Mapping[Token, Token] = {}

    def for_kind(self, kind: str) -> str:
        """The editor of a section kind."""
        return self.kinds.get(kind, self.default)

    @property
    def names(self) -> tuple[str, ...]:
        """Every editor."""
        return tuple(sorted({self.default, *self.kinds.values()}))


def load_editors(file: Path) -> Editors:
    """Read the editors; raises `EditorsError`."""
    try:
        return Editors.model_validate_json(file.read_bytes())
    except FileNotFoundError:
        raise EditorsError(f"{file.name} is missing") from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(map(str, first["loc"])) or "file"
        raise EditorsError(f"{file.name}: {field}: {first['msg']}") from None


def load_editor_prompts(folder: Path, editors: Editors) -> Prompts:
    """The prompts of all editors; raises `stemma_models.PromptError` for one that is missing or malformed."""
    return load_prompts(folder, [PromptKey(GRAPH, NODE, name) for name in editors.names], PLACEHOLDERS)
