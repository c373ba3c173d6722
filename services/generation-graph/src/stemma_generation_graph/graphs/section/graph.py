"""The section graph: load context, generate (with searches where the kind has tools), evaluate."""

from __future__ import annotations

from typing import Any

from langgraph.graph import END, START, StateGraph

from stemma_generation_graph.deps import GraphDeps, RunContext
from stemma_generation_graph.graphs.transitions import in_one_step, noted

from .nodes import SectionNodes
from .state import SectionState


def build_section_graph(deps: GraphDeps) -> StateGraph[Any, Any, Any, Any]:
    """The graph, not compiled; it never pauses."""
    nodes = SectionNodes(deps)
    graph = StateGraph(SectionState, context_schema=RunContext)
    load_context, generate = noted(nodes.load_context), noted(nodes.generate)
    graph.add_node("load_context", in_one_step(load_context, generate))
    graph.add_node("generate", generate)
    graph.add_node("tools", noted(nodes.tools))
    graph.add_node("evaluate", noted(nodes.evaluate))
    graph.add_edge(START, "load_context")
    graph.add_edge("tools", "generate")
    graph.add_edge("evaluate", END)
    return graph
