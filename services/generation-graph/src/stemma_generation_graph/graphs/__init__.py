"""The graphs by name: those of this package, and any that an installed package adds as ``stemma.graphs``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Any, Literal

from langgraph.graph import StateGraph
from stemma_contracts.v1.jobs import GenerateSection

from .parts import GraphParts
from .section.graph import build_section_graph
from .section.state import initial_state


@dataclass(frozen=True)
class Graph:
    """How a graph is built and started.

    A graph that ``pauses`` gets the checkpointer; ``durability`` says when it is written. Its final state must
    hold ``draft_artifact`` and ``evaluation`` as the section graph's does.
    """

    build: Callable[[GraphParts], StateGraph[Any, Any, Any, Any]]
    initial_state: Callable[[GenerateSection], Any]
    nodes_with_prompts: tuple[str, ...] = ()
    pauses: bool = False
    durability: Literal["exit", "sync"] = "exit"


SECTION = Graph(build_section_graph, initial_state, nodes_with_prompts=("generate", "evaluate"))


def find_graphs() -> Mapping[str, Graph]:
    """All graphs by name."""
    added = {entry.name: entry.load() for entry in entry_points(group="stemma.graphs")}
    return {"section": SECTION, **added}
