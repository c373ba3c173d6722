"""Settings of generation-graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator, model_validator
from stemma_messaging import WorkerSettings
from stemma_models import ModelFields, ModelSettings, provider
from stemma_models.client import ANSWER_SHARE
from stemma_models.settings import Structure

from stemma_generation_graph.checkpoints.saving import EVERY_S

from .checkpoints import check_dsn
from .tools import WebSearchSettings

ROLE = "dynamic_agent_executor"
JUDGING = ("evaluate", "propose", "review_doc")
"""Nodes whose answers shall be the same each time."""
INPUT_CHARS, KNOWN_WINDOW_CHARS = 48_000, 160_000
"""Of inputs in one prompt: where it is not known what the model holds, and where that is large enough."""
LEAST_CHARS = 4_000
TASK_TOKENS, CHARS_A_TOKEN = 2_500, 3
"""Of the rules, the outline and the task; and what a token has at least, in bytes."""
EVERYTHING_CHARS = 10_000_000


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
    step_limit_s: float = Field(
        default=60.0, gt=0, description="one step of the agent; a model slower than those of providers has more"
    )
    max_fix_attempts: int = Field(default=3, ge=0, le=20)
    on_fix_bound: Literal["checkpoint", "parse_to_json", "error_handler"] = Field(
        default="checkpoint", description="the chapter keeps its issues and the next begins; or it ends the document"
    )
    max_retries: int = Field(default=3, ge=0, le=20, description="after failures, before what there is is delivered")
    max_checkpoints_per_session: int = Field(default=50, ge=1, le=1000)
    history_tokens: int = Field(default=32_000, ge=500, description="upper bound of the messages in a prompt")

    def steps_for(self, chapters: int) -> int:
        more = self.steps_per_chapter * max(0, chapters - CHAPTERS_INCLUDED)
        return min(self.max_agent_steps + more, MAX_STEPS)


class AnswerLimits(BaseModel):
    """Tokens that an answer may have by its task, if the model may write as many; thoughts do not count."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    section: int = Field(default=4096, ge=256, description="a section of no usual length")
    tokens_per_word: float = Field(default=4.0, ge=1, description="of a section's words, limited or usual")
    judgement: int = Field(default=2048, ge=256, description="scores, findings, a choice of roles")

    def of_section(self, max_words: int | None) -> int:
        return self.section if max_words is None else max(256, int(max_words * self.tokens_per_word))


class RolesSettings(BaseModel):
    """How many roles there are, how long they may take, and what is told of the state."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    min_roles: int = Field(default=2, ge=1, le=16)
    max_roles: int = Field(default=4, ge=1, le=16)
    min_request_words: int = Field(default=3, ge=1, description="a shorter request says too little to choose roles")
    role_limit_s: float = Field(default=30.0, gt=0, description="one role with all its retries; a slow model has more")
    graph_limit_s: float = Field(default=60.0, gt=0, description="the whole graph; a slow model has more")
    role_retries: int = Field(default=3, ge=0, le=20, description="further calls of a role after a model error")
    log_state: bool | None = Field(
        default=None, description="log node names, times and sizes, never content; by default in development only"
    )

    @model_validator(mode="after")
    def _in_order(self) -> RolesSettings:
        if self.min_roles > self.max_roles:
            raise ValueError("min_roles must not exceed max_roles")
        return self


@dataclass(frozen=True)
class ContextLimits:
    """How much material goes into a prompt, in characters; ``room`` is for all of it, if that is known.

    ``beside`` is for the texts of a role that is not quoted: of manner, or internal.
    """

    brief: int = 24_000
    inputs: int = 48_000
    upstream: int = 48_000
    beside: int = 24_000
    room: int | None = None

    def inputs_with(self, beside: Sequence[str]) -> int:
        """How much of the inputs goes in with blocks of texts that are not quoted."""
        if self.room is None:
            return self.inputs
        left = self.room - self.brief - self.upstream - sum(map(len, beside))
        return min(self.inputs, max(LEAST_CHARS // 2, left))


class NodeModel(BaseModel):
    """What differs for one node; the rest is as for all nodes."""

    model_config = ConfigDict(extra="forbid")

    model: str | None = Field(default=None, min_length=1)
    temperature: float | None = Field(default=None, ge=0, le=2)
    max_tokens: int | None = Field(default=None, ge=1)
    context_tokens: int | None = Field(default=None, ge=1024)
    call_limit_s: float | None = Field(default=None, gt=0)
    call_retries: int | None = Field(default=None, ge=0, le=20)
    structure: Structure | None = None
    stop: tuple[str, ...] | None = Field(default=None, max_length=4)

    def set_fields(self) -> dict[str, Any]:
        return self.model_dump(exclude_none=True)


class GenerationSettings(ModelFields, WorkerSettings):
    """What generation-graph can be told. The keys of model providers are read by LiteLLM from the environment."""

    slots: int = Field(default=128, ge=1, le=1024, description="jobs at a time")
    nodes: dict[str, NodeModel] = Field(
        default={}, description="what differs for single nodes: 'evaluate' in every graph, 'section.evaluate' in one"
    )
    roles: RolesSettings = Field(default=RolesSettings(), description="the graph that chooses roles")
    answers: AnswerLimits = Field(default=AnswerLimits(), description="how long answers may be")
    environment: Literal["production", "development"] = Field(
        default="production", description="in development the roles graph logs its state and keeps it for inspection"
    )
    agent: AgentLimits = Field(default=AgentLimits(), description="the graph that works by tools")
    web_search: WebSearchSettings = Field(
        default=WebSearchSettings(), description="a tool of research, by default none"
    )
    embeddings: str = Field(
        default="", description="a model of embeddings as LiteLLM spells it, by which passages are chosen, too"
    )
    embeddings_api_base: str | None = Field(default=None, description="base URL of its OpenAI-compatible server")
    max_input_chars: int | None = Field(default=None, ge=1000, description="passages of the inputs in one prompt")
    sweep_every_s: float = Field(default=EVERY_S, gt=0, description="between two looks for threads that nobody needs")
    data_dir: Path = Field(Path(".stemma"), validation_alias="STEMMA_DATA_DIR")
    checkpoint_path: Path | None = Field(default=None, description="default: checkpoints.sqlite in the data folder")
    checkpoint_dsn: SecretStr | None = Field(
        None,
        validation_alias="STEMMA_CHECKPOINT_DSN",
        description="a PostgreSQL for the checkpoints, instead of the file",
    )

    @field_validator("checkpoint_dsn")
    @classmethod
    def _is_a_dsn(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None:
            check_dsn(value.get_secret_value())
        return value

    @property
    def checkpoint_place(self) -> Path | str:
        """Where checkpoints are kept: the DSN of a PostgreSQL, or a SQLite file."""
        if self.checkpoint_dsn is not None:
            return self.checkpoint_dsn.get_secret_value()
        return self.checkpoint_path or self.data_dir / "checkpoints.sqlite"

    def context_limits(self, window: int | None = None) -> ContextLimits:
        """How much of each kind a prompt holds: all of it, where that costs nothing, else what fits beside the rest.

        ``window`` is what the model holds, prompt and answer; nothing if that is not known.
        """
        if provider(self.model).reads_everything:
            inputs = self.max_input_chars or EVERYTHING_CHARS
            return ContextLimits(brief=EVERYTHING_CHARS, inputs=inputs, upstream=EVERYTHING_CHARS)
        if window is None:
            return ContextLimits(inputs=self.max_input_chars or INPUT_CHARS)
        room = max(LEAST_CHARS, (window - window // ANSWER_SHARE - TASK_TOKENS) * CHARS_A_TOKEN)
        most = ContextLimits(inputs=self.max_input_chars or KNOWN_WINDOW_CHARS)
        return ContextLimits(
            brief=min(most.brief, room // 4),
            inputs=min(most.inputs, room // 2),
            upstream=min(most.upstream, room // 4),
            beside=min(most.beside, room // 8),
            room=room,
        )

    def model_settings(self, key: str = "") -> ModelSettings:
        """The model of a node, of all graphs or of one: what is set for one graph comes before what is for all."""
        node = key.rpartition(".")[2]
        places = (self.nodes.get(key), self.nodes.get(node))
        special = {name: value for place in reversed(places) if place for name, value in place.set_fields().items()}
        if "model" in special:  # what the model of all nodes holds says nothing of another one
            special.setdefault("context_tokens", None)
        if node in JUDGING:
            special.setdefault("temperature", 0.0)
        if node == ROLE:
            # A role is cut off by its own limit, which must be the one that speaks unless the node is told another.
            if self.call_limit_s is not None:
                special.setdefault("call_limit_s", self.call_limit_s + self.roles.role_limit_s)
            special.setdefault("call_retries", self.roles.role_retries)
        return self.settings_of_model(**special)

    @property
    def in_development(self) -> bool:
        return self.environment == "development"
