"""The section graph: load context, generate (with searches where the kind has tools), evaluate."""

from __future__ import annotations

from typing import Any

from langgraph.graph import END, START, StateGraph

from stemma_generation_graph.graphs.parts import GraphParts, RunContext
from stemma_generation_graph.graphs.transitions import noted

from .nodes import SectionNodes, after_generate
from .state import SectionState


def build_section_graph(parts: GraphParts) -> StateGraph[Any, Any, Any, Any]:
    """The graph, not compiled; it never pauses."""
    nodes = SectionNodes(parts)
    graph = StateGraph(SectionState, context_schema=RunContext)
    for node in (nodes.load_context, nodes.generate, nodes.tools, nodes.evaluate):
        graph.add_node(node.__name__, noted(node))
    graph.add_edge(START, "load_context")
    graph.add_edge("load_context", "generate")
    graph.add_conditional_edges("generate", after_generate)
    graph.add_edge("tools", "generate")
    graph.add_edge("evaluate", END)
    return graph
