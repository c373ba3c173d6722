"""With what a revision is made: the same words stand with each revision and are told as what would be used now."""

from __future__ import annotations

from importlib.metadata import version

from stemma_contracts.v1.provenance import Provenance
from stemma_models import Prompts

from .editors import GRAPH, NODE, Editors

AGENT_VERSION = f"editor-agent/{version('stemma-editor-agent')}"
DEFAULT = "default"


def recipe(model: str, prompts: Prompts, editor: str) -> Provenance:
    """How an editor revises."""
    digest = prompts.get(GRAPH, NODE, editor).digest
    return Provenance(model=model, prompt_digest=digest, agent_version=AGENT_VERSION)


def recipes(model: str, prompts: Prompts, editors: Editors) -> dict[str, dict[str, object]]:
    """Every recipe by section kind, whatever the graph; ``default`` for the kinds that have no editor of their own."""
    by_kind = {DEFAULT: editors.default, **editors.kinds}
    return {DEFAULT: {kind: recipe(model, prompts, editor).model_dump() for kind, editor in by_kind.items()}}
