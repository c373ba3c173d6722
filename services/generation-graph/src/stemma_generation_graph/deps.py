"""What graphs are built from, and what one run of a graph works with."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from stemma_contracts.v1.jobs import GenerateSection
from stemma_models import CallContext, Clock, ModelCaller, Prompts, TokenSink, tell_whole
from stemma_models.client import to_nobody

from stemma_generation_graph.graphs.section.rendering import Structure

if TYPE_CHECKING:
    from .evaluating import Probe

from .configuration import CriteriaSets, Kinds
from .passages import Corpus
from .settings import AgentLimits, AnswerLimits, ContextLimits, RolesSettings
from .sources import Library
from .tools import Tool


@dataclass(frozen=True)
class Models:
    """The model of every node: one for all, others for the nodes named ``node`` or, in one graph, ``graph.node``.

    ``quoting`` quotes the inputs; it is absent if all of them do.
    """

    default: ModelCaller
    by_node: Mapping[str, ModelCaller] = field(default_factory=dict)
    quoting: ModelCaller | None = None

    def for_node(self, graph: str, node: str) -> ModelCaller:
        return self.by_node.get(f"{graph}.{node}") or self.by_node.get(node, self.default)

    @property
    def window(self) -> int | None:
        """How many tokens each of the models holds; nothing if that is not known."""
        held = [one.holds for one in (self.default, *self.by_node.values())]
        return min((one for one in held if one is not None), default=None)

    def writer(self, job: GenerateSection) -> ModelCaller:
        """What writes a section: its model, or what quotes the inputs."""
        return (job.quote_only and self.quoting) or self.for_node(job.section.graph, "generate")


@dataclass(frozen=True)
class GraphDeps:
    """Everything that a graph may be built from, once per process."""

    models: Models
    tools: Mapping[str, Tool[Corpus]]
    prompts: Prompts
    criteria: CriteriaSets
    kinds: Kinds
    limits: ContextLimits = field(default_factory=ContextLimits)
    structures: Mapping[str, Structure] = field(default_factory=dict)
    agent: AgentLimits = field(default_factory=AgentLimits)
    roles: RolesSettings = field(default_factory=RolesSettings)
    answers: AnswerLimits = field(default_factory=AnswerLimits)
    probe: Probe | None = None
    """Whether those who judge can be believed; none: they are."""
    inspection: Path | None = None
    """The folder where the state after each node can be looked at; only in development."""


@dataclass(frozen=True)
class RunContext:
    """What one job brings to a run; it is handed in again when a paused run is resumed."""

    call: CallContext
    library: Library
    live: TokenSink = to_nobody

    def within(self, limit: asyncio.Timeout) -> RunContext:
        """The same under a time limit, which stands still while calls wait for their turn."""
        return replace(self, call=replace(self.call, clock=Clock(limit, self.call.clock)))

    async def show(self, text: str) -> None:
        """Send a text that is whole already to whoever listens, in as few messages as it fits into."""
        await tell_whole(self.live, text)
