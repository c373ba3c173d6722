"""A text made of what the roles wrote, without a model; and what a reader must be told of a partial one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stemma_contracts.v1.provenance import GenerationWarning

from stemma_generation_graph.writing.drafts import clean_heading
from stemma_generation_graph.writing.headings import body_under_heading
from stemma_generation_graph.writing.material import language_of

from .schemas import AgentOutput, Role
from .state import WritingGraphState, job_of, roles_of


def joined(outputs: Sequence[tuple[Role, str]]) -> str:
    """The contributions one after the other, each under the name of its role."""
    return "\n\n".join(
        f"## {clean_heading(role.name)}\n\n{body_under_heading(text, role.id)}" for role, text in outputs
    )


def notice(state: WritingGraphState) -> str:
    """What is missing in a partial text, for its reader; empty if nothing is."""
    words = language_of(job_of(state)).words
    why = {"timed_out": words.cut_off, "failed": words.failed}
    lines = [why[output.status].format(role=clean_heading(role.name)) for role, output in _incomplete(state)]
    if _not_joined(state):
        lines.append(words.not_joined)
    return f"> **{words.incomplete}** {' '.join(lines)}" if lines else ""


def shortcomings(state: WritingGraphState) -> dict[str, Any]:
    """The same for the event: by role id and type of error, never in words of a document."""
    found = _warnings(state)
    return {"partial": bool(found), "warnings": [warning.model_dump() for warning in found]}


def _warnings(state: WritingGraphState) -> list[GenerationWarning]:
    found = [
        GenerationWarning.model_validate(
            {"code": f"role_{output.status}", "detail": ": ".join(filter(None, (role.id, output.error_type)))}
        )
        for role, output in _incomplete(state)
    ]
    not_roles = (error for error in state["errors"] if error["node"] != "dynamic_agent_executor")
    return found + [GenerationWarning(code="failure", detail=f"{e['node']}: {e['error_type']}") for e in not_roles]


def _incomplete(state: WritingGraphState) -> list[tuple[Role, AgentOutput]]:
    outputs = {name: AgentOutput.model_validate(entry) for name, entry in state["agent_outputs"].items()}
    found = [(role, outputs[role.id]) for role in roles_of(state) if role.id in outputs]
    return [(role, output) for role, output in found if output.status != "completed"]


def _not_joined(state: WritingGraphState) -> bool:
    of_parts = bool(roles_of(state))
    return of_parts and any(error["node"] == "synthesizer" for error in state["errors"])
