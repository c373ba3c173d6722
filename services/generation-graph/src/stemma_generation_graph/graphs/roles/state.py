"""The state of the roles graph: JSON values only."""

from __future__ import annotations

import asyncio
from operator import or_
from typing import Annotated, Any, TypedDict

from stemma_contracts.execution import graph_execution_id
from stemma_contracts.v1.jobs import GenerateSection

from stemma_generation_graph.reducers import append, merge_by_section

from .schemas import AgentOutput, Role, RoleAnalysis

Entry = dict[str, Any]


class WritingGraphState(TypedDict):
    """``job``, ``graph_execution_id`` and ``started_at`` (seconds of the event loop's clock) are given.

    ``user_request``, ``material`` and ``role_analysis`` are written by ``role_analyzer`` (in a lint round, where it
    does not run, the first two by ``synthesizer``); ``agent_outputs`` by
    ``dynamic_agent_executor``, one entry for each role, and by ``error_handler``; ``synthesized_content`` by
    ``synthesizer``; ``draft``, ``draft_artifact``, ``evaluation``, ``partial`` and ``warnings`` by
    ``output_formatter``; ``errors`` and ``critical`` by ``error_handler``, which writes what a node before it
    failed to. Every node writes ``timings``, and ``failures`` and ``timed_out`` if it comes to that.
    """

    job: Entry
    graph_execution_id: str
    started_at: float
    user_request: str
    material: str
    role_analysis: Entry | None
    agent_outputs: Annotated[dict[str, Entry], merge_by_section]
    synthesized_content: str
    failures: Annotated[list[Entry], append]
    errors: Annotated[list[Entry], append]
    timings: Annotated[list[Entry], append]
    timed_out: Annotated[bool, or_]
    critical: str
    draft: str
    draft_artifact: Entry | None
    evaluation: Entry | None
    partial: bool
    warnings: list[Entry]


class RoleTask(TypedDict):
    """What one branch of the fan-out is given."""

    job: Entry
    started_at: float
    role: Entry
    roles: list[Entry]
    user_request: str
    material: str


def initial_state(job: GenerateSection) -> WritingGraphState:
    """The state that a job starts with; called where an event loop runs."""
    return WritingGraphState(
        job=job.model_dump(mode="json"),
        graph_execution_id=graph_execution_id(job.job_id),
        started_at=asyncio.get_running_loop().time(),
        user_request="",
        material="",
        role_analysis=None,
        agent_outputs={},
        synthesized_content="",
        failures=[],
        errors=[],
        timings=[],
        timed_out=False,
        critical="",
        draft="",
        draft_artifact=None,
        evaluation=None,
        partial=False,
        warnings=[],
    )


def job_of(state: WritingGraphState | RoleTask) -> GenerateSection:
    """The job that the state was made from."""
    return GenerateSection.model_validate(state["job"])


def roles_of(state: WritingGraphState) -> list[Role]:
    """The identified roles, the one that comes first in front."""
    if state["role_analysis"] is None:
        return []
    return sorted(RoleAnalysis.model_validate(state["role_analysis"]).identified_roles, key=lambda role: role.priority)


def usable_outputs(state: WritingGraphState) -> list[tuple[Role, str]]:
    """The roles that wrote something, in the order of their priority, with what they wrote."""
    outputs = {name: AgentOutput.model_validate(entry) for name, entry in state["agent_outputs"].items()}
    found = ((role, outputs[role.id].text) for role in roles_of(state) if role.id in outputs)
    return [(role, text) for role, text in found if text.strip()]
