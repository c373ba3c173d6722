"""The state of the section graph; it never pauses, so nothing of it is ever stored."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from langchain_core.messages import AnyMessage, HumanMessage
from langgraph.graph.message import add_messages
from stemma_contracts.v1.jobs import GenerateSection


class SectionState(TypedDict):
    """``job`` is given; everything else starts empty.

    ``messages`` are written by ``load_context``, ``generate`` and ``tools``; each other field by one node:
    ``material_at`` by ``load_context``, ``draft`` and ``draft_artifact`` by ``generate``, ``tool_rounds`` by
    ``tools``, ``evaluation`` and ``material`` by ``evaluate``. Until then the material is held once, as a part of what
    the model is asked: see `material_of`.
    """

    job: GenerateSection
    messages: Annotated[list[AnyMessage], add_messages]
    material: str
    material_at: tuple[int, ...]
    tool_rounds: int
    draft: str
    draft_artifact: dict[str, Any] | None
    evaluation: dict[str, Any] | None


def initial_state(job: GenerateSection) -> SectionState:
    """The state that a job starts with."""
    return SectionState(
        job=job,
        messages=[],
        material="",
        material_at=(),
        tool_rounds=0,
        draft="",
        draft_artifact=None,
        evaluation=None,
    )


def material_of(state: SectionState) -> str:
    """What the section is written from, as it stands in the first question."""
    question = next(message for message in state["messages"] if isinstance(message, HumanMessage))
    return str(question.content)[slice(*state["material_at"])]
