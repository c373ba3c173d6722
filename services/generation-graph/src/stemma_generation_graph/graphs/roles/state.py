"""The state of the roles graph: JSON values only.

Which node sets which field, besides `initial_state`, which sets all:

| field | set by |
|---|---|
| ``job``, ``graph_execution_id``, ``started_at`` (seconds of the event loop's clock) | nothing else |
| ``user_request``, ``material`` | ``role_analyzer``; in a lint round, where it does not run, ``synthesizer`` |
| ``role_analysis`` | ``role_analyzer`` |
| ``agent_outputs`` | ``dynamic_agent_executor``, one entry for each role; ``error_handler`` |
| ``synthesized_content`` | ``synthesizer``, ``error_handler`` |
| ``draft``, ``draft_artifact``, ``evaluation``, ``partial``, ``warnings`` | ``output_formatter``, ``error_handler`` |
| ``errors``, ``critical`` | ``error_handler`` |
| ``failures``, ``timed_out`` | ``role_analyzer``, ``dynamic_agent_executor``, ``synthesizer``, ``output_formatter`` |
| ``timings`` | ``role_analyzer``, ``dynamic_agent_executor``, ``synthesizer``, ``output_formatter``, ``error_handler`` |
"""  # noqa: E501

from __future__ import annotations

import asyncio
from operator import or_
from typing import Annotated, Any, TypedDict

from stemma_contracts.execution import graph_execution_id
from stemma_contracts.v1.jobs import GenerateSection

from stemma_generation_graph.graphs.transitions import append, merge_by_section, replace

from .schemas import AgentOutput, Role, RoleAnalysis

Entry = dict[str, Any]


class WritingGraphState(TypedDict):
    """See the module for who sets what; every field that more than one node sets has a reducer."""

    job: Entry
    graph_execution_id: str
    started_at: float
    user_request: Annotated[str, replace]
    material: Annotated[str, replace]
    role_analysis: Entry | None
    agent_outputs: Annotated[dict[str, Entry], merge_by_section]
    synthesized_content: Annotated[str, replace]
    failures: Annotated[list[Entry], append]
    errors: Annotated[list[Entry], append]
    timings: Annotated[list[Entry], append]
    timed_out: Annotated[bool, or_]
    critical: str
    draft: Annotated[str, replace]
    draft_artifact: Annotated[Entry | None, replace]
    evaluation: Annotated[Entry | None, replace]
    partial: Annotated[bool, replace]
    warnings: Annotated[list[Entry], replace]


class RoleTask(TypedDict):
    job: Entry
    started_at: float
    role: Entry
    roles: list[Entry]
    user_request: str
    material: str


def initial_state(job: GenerateSection) -> WritingGraphState:
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
