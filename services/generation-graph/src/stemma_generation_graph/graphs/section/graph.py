"""The section graph: load context, generate (with searches where the kind has tools), evaluate."""

from __future__ import annotations

from typing import Any

from langgraph.graph import END, START, StateGraph

from stemma_generation_graph.deps import GraphDeps, RunContext
from stemma_generation_graph.graphs.transitions import Node, noted

from .nodes import SectionNodes
from .state import SectionState


def build_section_graph(deps: GraphDeps) -> StateGraph[Any, Any, Any, Any]:
    """The graph, not compiled; it never pauses."""
    nodes = SectionNodes(deps)
    graph = StateGraph(SectionState, context_schema=RunContext)
    every: tuple[Node, ...] = (nodes.load_context, nodes.generate, nodes.tools, nodes.evaluate)
    for node in every:
        graph.add_node(node.__name__, noted(node))
    graph.add_edge(START, "load_context")
    graph.add_edge("load_context", "generate")
    graph.add_edge("tools", "generate")
    graph.add_edge("evaluate", END)
    return graph
