"""The roles graph: choose roles, let all of them write at once, join what they wrote, give it its form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

from stemma_generation_graph.deps import GraphDeps, RunContext
from stemma_generation_graph.graphs.transitions import noted

from .nodes import RolesNodes
from .state import RoleTask, WritingGraphState, job_of, roles_of
from .steps import Steps

Failed = Literal["error_handler"]


def build_roles_graph(
    deps: GraphDeps, make_nodes: Callable[[GraphDeps, Steps], RolesNodes] = RolesNodes
) -> StateGraph[Any, Any, Any, Any]:
    """The graph, not compiled; it never pauses."""
    steps = Steps(deps.roles, deps.inspection)
    nodes = make_nodes(deps, steps)
    graph = StateGraph(WritingGraphState, context_schema=RunContext)
    graph.add_node("role_analyzer", noted(steps.guarded(nodes.role_analyzer)))
    # A role ends by its own clock, which ends with the graph's: what it has finished by then is kept.
    executor = noted(steps.guarded(nodes.dynamic_agent_executor, bounded=False))
    graph.add_node("dynamic_agent_executor", executor, input_schema=RoleTask)
    # Deferred: it waits for every branch, those that the error handler deals with too.
    graph.add_node("synthesizer", noted(steps.guarded(nodes.synthesizer)), defer=True)
    graph.add_node("output_formatter", noted(steps.guarded(nodes.output_formatter, bounded=False)))
    graph.add_node("error_handler", noted(steps.checked(nodes.error_handler)))
    graph.add_conditional_edges(START, first_node)
    graph.add_conditional_edges("role_analyzer", after_analysis, ["dynamic_agent_executor", "error_handler"])
    graph.add_conditional_edges("dynamic_agent_executor", after_role)
    graph.add_conditional_edges("synthesizer", after_synthesis)
    graph.add_conditional_edges("output_formatter", after_format)
    graph.add_conditional_edges("error_handler", after_error)
    return graph


async def first_node(state: WritingGraphState) -> Literal["role_analyzer", "synthesizer"]:
    """In a lint round there is a text already, which is only put right."""
    return "role_analyzer" if job_of(state).previous is None else "synthesizer"


async def after_analysis(state: WritingGraphState) -> list[Send] | Failed:
    if state["failures"]:
        return "error_handler"
    roles = [role.model_dump(mode="json") for role in roles_of(state)]
    return [Send("dynamic_agent_executor", _task(state, role, roles)) for role in roles]


def _task(state: WritingGraphState, role: dict[str, Any], roles: list[dict[str, Any]]) -> RoleTask:
    return RoleTask(
        job=state["job"],
        started_at=state["started_at"],
        role=role,
        roles=roles,
        user_request=state["user_request"],
        material=state["material"],
    )


async def after_role(state: dict[str, Any]) -> Literal["synthesizer"] | Failed:
    """A branch sees its own failure only."""
    return "error_handler" if state.get("failures") else "synthesizer"


async def after_synthesis(state: WritingGraphState) -> Literal["output_formatter"] | Failed:
    return "error_handler" if _unhandled(state) else "output_formatter"


async def after_format(state: WritingGraphState) -> Literal["__end__"] | Failed:
    return "error_handler" if _unhandled(state) else END  # type: ignore[return-value]


async def after_error(state: WritingGraphState) -> Literal["synthesizer", "output_formatter", "__end__"]:
    """On behind the node that failed; nowhere if nothing is there to go on with."""
    follows = {"dynamic_agent_executor": "synthesizer", "synthesizer": "output_formatter"}
    if state["critical"]:
        return END  # type: ignore[return-value]
    return follows.get(state["errors"][-1]["node"], END)  # type: ignore[return-value]


def _unhandled(state: WritingGraphState) -> bool:
    return len(state["failures"]) > len(state["errors"])
