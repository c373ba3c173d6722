"""With what a draft is made: the same words stand with each draft and are told as what would be used now."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version

from stemma_contracts.v1.provenance import Provenance

from .criteria import DEFAULT
from .deps import GraphDeps
from .graphs.registry import Graph

AGENT_VERSION = f"generation-graph/{version('stemma-generation-graph')}"


def recipe(deps: GraphDeps, graph: str, writer: str, kind: str) -> Provenance:
    """How a graph whose drafts the node ``writer`` makes writes a section kind."""
    return Provenance(
        model=deps.models.for_node(graph, writer).settings.name,
        prompt_digest=deps.prompts.get(graph, writer, kind).digest,
        criteria_digest=deps.criteria.for_kind(kind).digest,
        agent_version=AGENT_VERSION,
    )


def recipes(deps: GraphDeps, graphs: Mapping[str, Graph]) -> dict[str, dict[str, object]]:
    """Every recipe by graph and section kind, ``default`` for the kinds that have nothing of their own."""
    return {
        name: {kind: recipe(deps, name, graph.writer, kind).model_dump() for kind in _kinds(deps, name, graph.writer)}
        for name, graph in graphs.items()
        if graph.writer in graph.nodes_with_prompts
    }


def _kinds(deps: GraphDeps, graph: str, writer: str) -> set[str]:
    return {DEFAULT, *deps.prompts.kinds(graph, writer), *deps.criteria.kinds}
