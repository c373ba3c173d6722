"""Settings, adapters and wiring of generation-graph."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Literal

from faststream import FastStream
from langgraph.checkpoint.base import BaseCheckpointSaver
from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator
from stemma_artifacts.kept import CachedArtifacts
from stemma_artifacts.store import ArtifactStore, JetStreamArtifactStore
from stemma_contracts import registry, subjects
from stemma_contracts.v1.outcomes import ThreadsHeld
from stemma_kinds import KindError, digests, find_kinds, merged
from stemma_messaging import BadSettings, Opened, Service, WorkerBroker, WorkerSettings, config_dir
from stemma_messaging.cancellation import end
from stemma_messaging.same_kind import same_kind
from stemma_models import (
    JetStreamRecordStore,
    KeyMissing,
    ModelCaller,
    ModelSettings,
    PromptError,
    PromptKey,
    RecordStore,
    load_prompts,
    open_chat_model,
    provider,
)

from .checkpoints import CheckpointsUnusable, check_dsn, open_checkpointer, require_strict_decoder, set_up
from .checkpoints.cleaning import EVERY_S, HoldsThreads, tell_for_ever
from .configuration import ConfigurationError
from .criteria import load_criteria
from .deps import ContextLimits, GraphDeps, Models
from .graphs.document_agent.limits import AgentLimits
from .graphs.registry import Graph, find_graphs, recipes
from .graphs.roles.limits import RolesSettings
from .graphs.section.rendering import SCHEMAS
from .graphs.section.structures import load_structures
from .handlers import Tools, routes
from .kinds import Known, load_kinds
from .runner import Runner
from .second_opinion import GRAPH as REQUIREMENTS
from .second_opinion import NODE as PROPOSE
from .sources.corpus import Corpus
from .sources.library import Library
from .tools.search import SearchInputs, Tool
from .tools.web import NAME as SEARCH_WEB
from .tools.web import SearchWeb, WebSearchSettings, WebSearchUnusable, find_provider
from .writing.evaluating import NODE as EVALUATE

PLACEHOLDERS = ("title", "document_kind", "language")
ROLE = "dynamic_agent_executor"
INPUT_CHARS = 48_000
EVERYTHING_CHARS = 10_000_000


class NodeModel(BaseModel):
    """What differs for one node; the rest is as for all nodes."""

    model_config = ConfigDict(extra="forbid")

    model: str | None = Field(default=None, min_length=1)
    temperature: float | None = Field(default=None, ge=0, le=2)
    max_tokens: int | None = Field(default=None, ge=1)
    context_tokens: int | None = Field(default=None, ge=1024)
    call_limit_s: float | None = Field(default=None, gt=0)
    call_retries: int | None = Field(default=None, ge=0, le=20)

    def set_fields(self) -> dict[str, Any]:
        """What is set, by name."""
        return self.model_dump(exclude_none=True)


class GenerationSettings(WorkerSettings):
    """What generation-graph can be told. The keys of model providers are read by LiteLLM from the environment."""

    slots: int = Field(default=128, ge=1, le=1024, description="jobs at a time")
    model: str = Field(default="offline", min_length=1, description="'offline', or a model name as LiteLLM spells it")
    api_base: str | None = Field(default=None, description="base URL of an OpenAI-compatible server")
    temperature: float | None = Field(default=None, ge=0, le=2)
    max_tokens: int = Field(default=8192, ge=1, description="upper bound of one answer")
    context_tokens: int | None = Field(
        default=None,
        ge=1024,
        description="tokens that a local model holds, prompt and answer; LiteLLM knows others",
    )
    call_limit_s: float = Field(
        default=180.0,
        gt=0,
        description="one model call with all its retries; a stream that is silent for half of it is tried again",
    )
    call_retries: int = Field(default=4, ge=0, le=20)
    nodes: dict[str, NodeModel] = Field(
        default={}, description="what differs for single nodes: 'evaluate' in every graph, 'section.evaluate' in one"
    )
    roles: RolesSettings = Field(default=RolesSettings(), description="the graph that chooses roles")
    environment: Literal["production", "development"] = Field(
        default="production", description="in development the roles graph logs its state and keeps it for inspection"
    )
    agent: AgentLimits = Field(default=AgentLimits(), description="the graph that works by tools")
    web_search: WebSearchSettings = Field(
        default=WebSearchSettings(), description="a tool of research, by default none"
    )
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

    @property
    def context_limits(self) -> ContextLimits:
        """How much of each kind a prompt holds; all of it, where that costs nothing."""
        if provider(self.model).reads_everything:
            inputs = self.max_input_chars or EVERYTHING_CHARS
            return ContextLimits(brief=EVERYTHING_CHARS, inputs=inputs, upstream=EVERYTHING_CHARS)
        return ContextLimits(inputs=self.max_input_chars or INPUT_CHARS)

    def model_settings(self, key: str = "") -> ModelSettings:
        """The model of a node, of all graphs or of one: what is set for one graph comes before what is for all."""
        node = key.rpartition(".")[2]
        places = (self.nodes.get(key), self.nodes.get(node))
        special = {name: value for place in reversed(places) if place for name, value in place.set_fields().items()}
        is_role = node == ROLE
        # What the model of all nodes holds says nothing of another one.
        window = None if "model" in special else self.context_tokens
        return ModelSettings(
            name=special.get("model", self.model),
            api_base=self.api_base,
            temperature=special.get("temperature", self.temperature),
            max_tokens=special.get("max_tokens", self.max_tokens),
            context_tokens=special.get("context_tokens", window),
            # A role is cut off by its own limit, which must be the one that speaks unless the node is told another.
            call_limit=special.get("call_limit_s", self.call_limit_s + (self.roles.role_limit_s if is_role else 0)),
            retries=special.get("call_retries", self.roles.role_retries if is_role else self.call_retries),
        )

    @property
    def in_development(self) -> bool:
        """Whether state may be logged and looked at."""
        return self.environment == "development"


def node_tools(web_search: WebSearchSettings) -> dict[str, Tool[Corpus]]:
    """The tools that kinds may name; the web only if there is a provider. Raises `WebSearchUnusable`."""
    tools: list[Tool[Corpus]] = [SearchInputs()]
    if (provider := find_provider(web_search)) is not None:
        tools.append(SearchWeb(provider, web_search.results))
    return {tool.name: tool for tool in tools}


def load_deps(settings: GenerationSettings, models: Models, graphs: Mapping[str, Graph], folder: Path) -> GraphDeps:
    """Everything that the graphs need from the config folder; raises `BadSettings` naming the file."""
    try:
        tools = node_tools(settings.web_search)
        documents = tuple(find_kinds().values())
        structures = load_structures(merged(documents, "structures", ".json"))
        kinds = load_kinds(documents, folder, Known(SCHEMAS, structures, tools, absent=(SEARCH_WEB,)))
        criteria = load_criteria(folder / "evaluation", kinds, merged(documents, "criteria", ".json"))
        needed = [PromptKey(name, node) for name, graph in graphs.items() for node in graph.nodes_with_prompts]
        needed.append(PromptKey(REQUIREMENTS, PROPOSE))
        own = [PromptKey("section", "generate", kind) for kind in kinds]
        prompted = {key.graph for key in [*needed, *own]}
        brought = merged(documents, "prompts", ".md")
        here = {name: file for name, file in brought.items() if name.partition("/")[0] in prompted}
        prompts = load_prompts(folder / "prompts", [*needed, *own], PLACEHOLDERS, here)
    except (ConfigurationError, KindError, PromptError, WebSearchUnusable) as error:
        raise BadSettings([str(error)]) from None
    log_state = settings.in_development if settings.roles.log_state is None else settings.roles.log_state
    return GraphDeps(
        models,
        tools,
        prompts,
        criteria,
        kinds,
        settings.context_limits,
        structures=structures,
        agent=settings.agent,
        roles=settings.roles.model_copy(update={"log_state": log_state}),
        inspection=settings.data_dir / "inspection" if settings.in_development else None,
    )


def check_nodes(settings: GenerationSettings, graphs: Mapping[str, Graph]) -> None:
    """Raises `BadSettings` for a node that is set and that no graph has."""
    nodes = {name: {*graph.nodes_with_prompts, EVALUATE} for name, graph in graphs.items()} | {REQUIREMENTS: {PROPOSE}}
    known = {node for own in nodes.values() for node in own}
    known |= {f"{graph}.{node}" for graph, own in nodes.items() for node in own}
    if unknown := sorted(set(settings.nodes) - known):
        raise BadSettings(
            [f"nodes.{key}: there is no such node; there are {', '.join(sorted(known))}" for key in unknown]
        )


async def open_models(settings: GenerationSettings, records: RecordStore, artifacts: ArtifactStore) -> Models:
    """The callers of all nodes; raises `BadSettings` for a model whose key is missing."""

    async def caller(chosen: ModelSettings) -> ModelCaller:
        try:
            return ModelCaller(await open_chat_model(chosen), chosen, records, artifacts)
        except KeyMissing as missing:
            raise BadSettings([str(missing)]) from None

    by_node = {key: await caller(settings.model_settings(key)) for key in {ROLE, *settings.nodes}}
    return Models(await caller(settings.model_settings()), by_node)


def check(settings: GenerationSettings) -> None:
    """Raises `BadSettings` for files or settings that no service can work with."""
    graphs = find_graphs()
    check_nodes(settings, graphs)
    load_deps(settings, Models(default=None), graphs, config_dir(__package__))  # type: ignore[arg-type]


@asynccontextmanager
async def open_runner(
    settings: GenerationSettings, graphs: Mapping[str, Graph], deps: GraphDeps
) -> AsyncIterator[Runner]:
    """The runner; the checkpointer is opened if a graph pauses, or a PostgreSQL is named. Raises `BadSettings`."""
    async with AsyncExitStack() as stack:
        checkpointer: BaseCheckpointSaver[str] | None = None
        try:
            require_strict_decoder()
            if settings.checkpoint_dsn is not None or any(graph.pauses for graph in graphs.values()):
                checkpointer = await stack.enter_async_context(open_checkpointer(settings.checkpoint_place))
        except CheckpointsUnusable as error:
            raise BadSettings([str(error)]) from None
        yield Runner(graphs, deps, checkpointer)


@asynccontextmanager
async def telling_of_threads(runner: Runner, broker: WorkerBroker, every_s: float) -> AsyncIterator[None]:
    """Tell the orchestrator which threads are kept, at the start and every so many seconds until the block ends."""

    async def publish(held: ThreadsHeld, message_id: str) -> None:
        subject = subjects.outcome(broker.service, registry.entry_of(held).token)
        await broker.sender.publish(subject, held, id=message_id, about=f"{held.tenant}/{held.document_id}")

    store: object = runner.checkpointer
    if not isinstance(store, HoldsThreads):
        yield
        return
    telling = asyncio.create_task(tell_for_ever(store, publish, every_s))
    try:
        yield
    finally:
        await end([telling])


def build_app(settings: GenerationSettings) -> FastStream:
    """Generation: its broker, its handlers, and what they need, which is opened when it starts."""
    broker, tools = WorkerBroker(subjects.GENERATION, settings), Opened[Tools]()
    broker.include_router(routes(tools))
    broker.declare_outcomes(ThreadsHeld)

    @asynccontextmanager
    async def lifespan() -> AsyncIterator[None]:
        graphs = find_graphs()
        async with broker.connected(), open_tools(settings, graphs, broker) as opened:
            tools.give(opened)
            await broker.publish_capabilities(capabilities(opened.deps, graphs))
            yield

    return FastStream(broker, lifespan=lifespan, logger=None)


@asynccontextmanager
async def open_tools(
    settings: GenerationSettings, graphs: Mapping[str, Graph], broker: WorkerBroker
) -> AsyncIterator[Tools]:
    """The graphs with their models, stores and checkpoints."""
    artifacts = CachedArtifacts(JetStreamArtifactStore(broker.jetstream))
    models = await open_models(settings, JetStreamRecordStore(broker.jetstream), artifacts)
    deps = load_deps(settings, models, graphs, config_dir(__package__))
    every_s = settings.sweep_every_s
    async with open_runner(settings, graphs, deps) as runner, telling_of_threads(runner, broker, every_s):
        yield Tools(runner, deps, Library(artifacts), broker.publish_live, same_kind(broker, digests()))


def capabilities(deps: GraphDeps, graphs: Mapping[str, Graph]) -> dict[str, Any]:
    """The graphs, the kinds of section that have a prompt of their own, and what texts are made with."""
    prompts = deps.prompts.kinds("section", "generate")
    return {"graphs": sorted(graphs), "prompts": sorted(prompts), "recipes": recipes(deps, graphs)}


service = Service(subjects.GENERATION, GenerationSettings, build_app, check)


def main() -> None:
    """Run the service, or with ``--setup`` make the checkpointer's tables and end."""
    service.main({"--setup": _set_up})


def _set_up(settings: GenerationSettings) -> None:
    """make the tables of the checkpointer and end"""
    try:
        asyncio.run(set_up(settings.checkpoint_place))
    except CheckpointsUnusable as unusable:
        print(f"stemma-generation-graph: {unusable}", file=sys.stderr)
        sys.exit(1)
