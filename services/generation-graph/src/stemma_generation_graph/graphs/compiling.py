"""Graphs are checked when they are compiled, which is once per process."""

from __future__ import annotations

from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph


class OrphanNode(ValueError):
    """A graph with nodes that no way leads to; the message names graph and nodes."""


def compiled(
    name: str, graph: StateGraph[Any, Any, Any, Any], checkpointer: BaseCheckpointSaver[Any] | None
) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The compiled graph; cycles are allowed. Raises `OrphanNode`."""
    ready = graph.compile(checkpointer=checkpointer, name=name)
    drawn = ready.get_graph()
    ways = {(edge.source, edge.target) for edge in drawn.edges}
    reached = {START}
    while more := {target for source, target in ways if source in reached} - reached:
        reached |= more
    if orphans := sorted(set(drawn.nodes) - reached):
        raise OrphanNode(f"graph {name}: no way leads to {', '.join(orphans)}")
    return ready
