"""The document agent as a graph; `routing.ROUTES` is all of its edges."""

from __future__ import annotations

from functools import wraps
from typing import Any

from langgraph.graph import START, StateGraph
from opentelemetry import metrics
from opentelemetry.metrics import Meter
from stemma_telemetry import bind

from stemma_generation_graph.deps import GraphDeps, RunContext
from stemma_generation_graph.graphs.transitions import Node, noted

from .failures import guarded
from .nodes import DocumentNodes
from .routing import router, targets_of
from .state import DocumentState, started_earlier


def in_session(node: Node) -> Node:
    """The same node; its log lines carry the session, and its state has every field."""

    @wraps(node)
    async def run(state: DocumentState, *args: Any, **kwargs: Any) -> Any:
        with bind(session_id=state["session_id"]):
            return await node(started_earlier(state), *args, **kwargs)

    return run


def build_document_agent(deps: GraphDeps, meter: Meter | None = None) -> StateGraph[Any, Any, Any, Any]:
    """The graph, not compiled; it pauses for the validator, the converter and a person."""
    nodes = DocumentNodes(deps, meter or metrics.get_meter(__name__))
    graph = StateGraph(DocumentState, context_schema=RunContext)
    working = (nodes.scan_assets, nodes.agent, nodes.tools, nodes.validate_md, nodes.checkpoint)
    for node in (*working, nodes.human_input, nodes.parse_to_json, nodes.convert_docx):
        graph.add_node(node.__name__, in_session(noted(guarded(node))))
    for node in (nodes.error_handler, nodes.evaluate):
        graph.add_node(node.__name__, in_session(noted(node)))
    graph.add_edge(START, "scan_assets")
    for name in graph.nodes:
        graph.add_conditional_edges(name, router(name), targets_of(name))
    return graph
