"""The document agent as a graph; `routing.ROUTES` is all of its edges."""

from __future__ import annotations

from functools import wraps
from typing import Any

from langgraph.graph import START, StateGraph
from opentelemetry import metrics
from opentelemetry.metrics import Meter
from stemma_contracts.v1.jobs import GenerateSection
from stemma_contracts.v1.references import InputFile
from stemma_telemetry import bind

from stemma_generation_graph.deps import GraphDeps, RunContext
from stemma_generation_graph.graphs.transitions import Node, noted
from stemma_generation_graph.session.references import MAX_IMAGE_BYTES, is_image
from stemma_generation_graph.session.session import new_manifest
from stemma_generation_graph.session.tools import READABLE
from stemma_generation_graph.sources.library import InputsRefused

from .failures import guarded
from .nodes import DocumentNodes
from .routing import router, targets_of
from .state import DocumentState, build_initial_state, with_all_fields


def in_session(node: Node) -> Node:
    """The same node; its log lines carry the session, and its state has every field."""

    @wraps(node)
    async def run(state: DocumentState, *args: Any, **kwargs: Any) -> Any:
        with bind(session_id=state["session_id"]):
            return await node(with_all_fields(state), *args, **kwargs)

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


MAX_TEXT_BYTES = 2 * 1024 * 1024


def open_session(job: GenerateSection) -> DocumentState:
    """The state that a job starts with: its inputs are in the session by reference. Raises `InputsRefused`."""
    texts = [file.name for file in job.inputs if file.artifact.media_type in READABLE]
    if not texts:
        raise InputsRefused("there is no text among the inputs")
    for file in job.inputs:
        _check(file)
    state = build_initial_state(job.thread_id, texts)
    return {**state, "job": job.model_dump(mode="json"), "manifest": new_manifest(job.inputs)}


def _check(file: InputFile) -> None:
    kind, size = file.artifact.media_type, file.artifact.size
    limit = MAX_IMAGE_BYTES if is_image(kind) else MAX_TEXT_BYTES if kind in READABLE else None
    if limit is not None and size > limit:
        raise InputsRefused(f"an input of the kind {kind} has {size} bytes; at most {limit} are taken")
