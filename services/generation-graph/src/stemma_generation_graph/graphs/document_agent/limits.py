"""What bounds the agent, as ``[agent]`` of the settings says."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

MAX_STEPS = 20_000
CHAPTERS_INCLUDED = 5
"""As many chapters as ``max_agent_steps`` is meant for; each one beyond them adds ``steps_per_chapter``."""
STEPS_OF_LANGGRAPH = 5
"""Nodes that LangGraph counts, at most, for one step of the agent: agent, tools, validate, checkpoint, error."""
RECURSION_LIMIT = MAX_STEPS * STEPS_OF_LANGGRAPH + 100
"""Above what the largest bound of ours can need, so that ours always speaks first."""


class AgentLimits(BaseModel):
    """Bounds of one run of the agent, and what becomes of it when it meets them."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    max_agent_steps: int = Field(default=100, ge=1, le=MAX_STEPS)
    steps_per_chapter: int = Field(default=20, ge=0, le=1000, description="more steps for a chapter beyond the fifth")
    on_step_bound: Literal["human_input", "complete", "fail"] = Field(
        default="human_input", description="ask a person whether to go on; end with what was written; or without"
    )
    step_limit_s: float = Field(default=60.0, gt=0, description="one step of the agent")
    max_fix_attempts: int = Field(default=3, ge=0, le=20)
    on_fix_bound: Literal["checkpoint", "parse_to_json", "error_handler"] = Field(
        default="checkpoint", description="the chapter keeps its issues and the next begins; or it ends the document"
    )
    max_retries: int = Field(default=3, ge=0, le=20, description="after failures, before what there is is delivered")
    max_checkpoints_per_session: int = Field(default=50, ge=1, le=1000)
    history_tokens: int = Field(default=32_000, ge=500, description="upper bound of the messages in a prompt")

    def steps_for(self, chapters: int) -> int:
        """How many steps the agent may take for so many chapters."""
        more = self.steps_per_chapter * max(0, chapters - CHAPTERS_INCLUDED)
        return min(self.max_agent_steps + more, MAX_STEPS)
