"""The graphs by name: those of this package, and any that an installed package adds as ``stemma.graphs``."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import entry_points, version
from typing import Any, Literal

from langgraph.graph import StateGraph
from stemma_contracts.v1.jobs import GenerateSection
from stemma_contracts.v1.provenance import Provenance

from stemma_generation_graph.configuration import DEFAULT
from stemma_generation_graph.deps import GraphDeps
from stemma_generation_graph.graphs.document_agent.nodes import build_document_agent, open_session
from stemma_generation_graph.graphs.roles.nodes import PROMPTED as ROLES_NODES
from stemma_generation_graph.graphs.roles.nodes import build_roles_graph
from stemma_generation_graph.settings import RECURSION_LIMIT

from . import single_call
from .roles.state import initial_state as roles_state
from .section.nodes import build_section_graph, initial_state


@dataclass(frozen=True)
class Graph:
    """How a graph is built and started.

    ``writer`` is the node whose prompt and model the recipe of a draft names. A graph that ``pauses`` gets the
    checkpointer; ``durability`` says when it is written. Its final state must hold ``draft_artifact`` and
    ``evaluation`` as the section graph's does.
    """

    build: Callable[[GraphDeps], StateGraph[Any, Any, Any, Any]]
    initial_state: Callable[[GenerateSection], Any]
    nodes_with_prompts: tuple[str, ...] = ()
    writer: str = "generate"
    pauses: bool = False
    durability: Literal["exit", "sync"] = "exit"
    recursion_limit: int = 100


SECTION = Graph(build_section_graph, initial_state, nodes_with_prompts=("generate", "evaluate"))
ROLES = Graph(build_roles_graph, roles_state, nodes_with_prompts=ROLES_NODES, writer="synthesizer")
REVIEWER = Graph(
    single_call.build_reviewer_graph,
    single_call.initial_state,
    nodes_with_prompts=(single_call.REVIEW_DOC,),
    writer=single_call.REVIEW_DOC,
)
FORMATTER = Graph(
    single_call.build_formatter_graph,
    single_call.initial_state,
    nodes_with_prompts=(single_call.FORMAT_DOC,),
    writer=single_call.FORMAT_DOC,
)
DOCUMENT_AGENT = Graph(
    build_document_agent,
    open_session,
    nodes_with_prompts=("agent",),
    writer="agent",
    pauses=True,
    durability="sync",
    recursion_limit=RECURSION_LIMIT,
)


def find_graphs() -> Mapping[str, Graph]:
    added = {entry.name: entry.load() for entry in entry_points(group="stemma.graphs")}
    return {
        "section": SECTION,
        "document_agent": DOCUMENT_AGENT,
        "roles": ROLES,
        "reviewer": REVIEWER,
        "formatter": FORMATTER,
        **added,
    }


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
