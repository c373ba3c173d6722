"""Adapters and wiring of generation-graph."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import stemma_telemetry
from faststream import FastStream
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from stemma_artifacts.jetstream import JetStreamArtifactStore
from stemma_artifacts.store import ArtifactStore
from stemma_contracts import registry, subjects
from stemma_contracts.v1.outcomes import ThreadsHeld
from stemma_kinds import KindError, digests, find_kinds, merged
from stemma_messaging import BadSettings, Opened, Service, WorkerBroker, config_dir
from stemma_messaging.cancellation import end
from stemma_messaging.errors import BusFailed
from stemma_messaging.same_kind import same_kind
from stemma_models import (
    OFFLINE,
    JetStreamRecordStore,
    KeyMissing,
    ModelCaller,
    ModelSettings,
    PromptError,
    PromptKey,
    RecordStore,
    load_prompts,
    open_chat_model,
    probe,
)
from stemma_models.embedding import Embedder

from stemma_generation_graph.checkpoints.saving import HoldsThreads, report_forever
from stemma_generation_graph.graphs.section.rendering import load_structures

from .checkpoints import CheckpointsUnusable, open_checkpointer, require_strict_decoder, set_up
from .configuration import ConfigurationError, Known, load_criteria, load_kinds
from .deps import GraphDeps, Models
from .evaluating import NODE as EVALUATE
from .evaluating import Probe
from .graphs.registry import Graph, find_graphs, recipes
from .graphs.section.rendering import SCHEMAS
from .handlers import Tools, routes
from .nearness import Nearness
from .passages import Corpus
from .replaying import OverlaidArtifacts, Replay, told_jobs, without_calls
from .runner import Runner
from .second_opinion import GRAPH as REQUIREMENTS
from .second_opinion import NODE as PROPOSE
from .settings import JUDGING, ROLE, GenerationSettings
from .sources import Library
from .tools import (
    SearchInputs,
    SearchWeb,
    Tool,
    WebSearchSettings,
    WebSearchUnusable,
    find_provider,
    tool_name,
    web_tool,
)

PLACEHOLDERS = ("title", "document_kind", "language")


def node_tools(web_search: WebSearchSettings) -> dict[str, Tool[Corpus]]:
    """The tools that kinds may name; the web only if there is a provider. Raises `WebSearchUnusable`."""
    tools: list[Tool[Corpus]] = [Tool(SearchInputs, SearchInputs.run)]
    if (provider := find_provider(web_search)) is not None:
        tools.append(web_tool(provider, web_search.results))
    return {tool.name: tool for tool in tools}


def load_deps(settings: GenerationSettings, models: Models, graphs: Mapping[str, Graph], folder: Path) -> GraphDeps:
    """Everything that the graphs need from the config folder; raises `BadSettings` naming the file."""
    try:
        tools = node_tools(settings.web_search)
        documents = tuple(find_kinds().values())
        structures = load_structures(merged(documents, "structures", ".json"))
        kinds = load_kinds(documents, folder, Known(SCHEMAS, structures, tools, absent=(tool_name(SearchWeb),)))
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
        settings.context_limits(),
        structures=structures,
        agent=settings.agent,
        roles=settings.roles.model_copy(update={"log_state": log_state}),
        answers=settings.answers,
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


async def open_models(
    settings: GenerationSettings, records: RecordStore, artifacts: ArtifactStore, *, calls: bool = True
) -> Models:
    """The callers of all nodes; without ``calls`` they know records alone.

    Raises `BadSettings` for a model whose key is missing.
    """

    async def caller(chosen: ModelSettings) -> ModelCaller:
        try:
            model = await open_chat_model(chosen)
        except KeyMissing as missing:
            raise BadSettings([str(missing)]) from None
        return ModelCaller(*((model, chosen) if calls else without_calls(model, chosen)), records, artifacts)

    by_node = {key: await caller(settings.model_settings(key)) for key in {ROLE, *JUDGING, *settings.nodes}}
    chosen = settings.model_settings()
    quoting = None if chosen.name == OFFLINE else await caller(ModelSettings())
    return Models(await caller(chosen), by_node, quoting)


async def open_nearness(settings: GenerationSettings) -> Nearness | None:
    """What ranks passages by their meaning, if a model for that is set; raises `BadSettings` without its key."""
    if not settings.embeddings:
        return None
    embedder = Embedder(settings.embeddings, settings.embeddings_api_base)
    try:
        await asyncio.to_thread(embedder.check)
    except KeyMissing as missing:
        raise BadSettings([f"embeddings: {missing}"]) from None
    return Nearness(embedder)


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
async def reporting_threads(runner: Runner, broker: WorkerBroker, every_s: float) -> AsyncIterator[None]:
    """Tell the orchestrator which threads are kept, at the start and every so many seconds until the block ends."""

    async def publish(held: ThreadsHeld, message_id: str) -> None:
        subject = subjects.outcome(broker.service, registry.entry_of(held).token)
        await broker.sender.publish(subject, held, id=message_id, about=f"{held.tenant}/{held.document_id}")

    store: object = runner.checkpointer
    if not isinstance(store, HoldsThreads):
        yield
        return
    telling = asyncio.create_task(report_forever(store, publish, every_s))
    try:
        yield
    finally:
        await end([telling])


def build_app(settings: GenerationSettings) -> FastStream:
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
    artifacts = JetStreamArtifactStore(broker.jetstream)
    models = await open_models(settings, JetStreamRecordStore(broker.jetstream), artifacts)
    limits = settings.context_limits(models.window)
    deps = replace(load_deps(settings, models, graphs, config_dir(__package__)), probe=Probe(), limits=limits)
    every_s = settings.sweep_every_s
    async with open_runner(settings, graphs, deps) as runner, reporting_threads(runner, broker, every_s):
        library = Library(artifacts, nearness=await open_nearness(settings))
        yield Tools(runner, deps, library, broker.publish_live, same_kind(broker, digests()))


def capabilities(deps: GraphDeps, graphs: Mapping[str, Graph]) -> dict[str, Any]:
    prompts = deps.prompts.kinds("section", "generate")
    return {"graphs": sorted(graphs), "prompts": sorted(prompts), "recipes": recipes(deps, graphs)}


service = Service(subjects.GENERATION, GenerationSettings, build_app, check)


def main() -> None:
    """Run the service, or do once what another argument says."""
    service.main({"--setup": _set_up, "--check-model": _check_model, "--replay": _replay})


def _replay(settings: GenerationSettings) -> None:
    """run the jobs that `stemma replay --jobs` prints once more, from their records with no model, and compare"""
    stemma_telemetry.configure(subjects.GENERATION, json=settings.log_json, level="ERROR")
    try:
        sys.exit(asyncio.run(replay(settings, sys.stdin)))
    except (BadSettings, BusFailed, KeyError, ValueError) as error:
        sys.exit(f"stemma-generation-graph: {error}")


async def replay(settings: GenerationSettings, lines: Iterable[str]) -> int:
    """Print what came of each job and end with 0 if all came to the same; nothing is stored."""
    graphs, broker = find_graphs(), WorkerBroker(subjects.GENERATION, settings)
    verdicts = Counter[str]()
    async with broker.connected():
        artifacts = OverlaidArtifacts(JetStreamArtifactStore(broker.jetstream))
        models = await open_models(settings, JetStreamRecordStore(broker.jetstream), artifacts, calls=False)
        deps = load_deps(settings, models, graphs, config_dir(__package__))
        deps = replace(deps, limits=settings.context_limits(models.window))
        runner = Runner(graphs, deps, InMemorySaver())
        library = Library(artifacts, nearness=await open_nearness(settings))
        again = Replay(Tools(runner, deps, library, broker.publish_live, same_kind(broker, digests())))
        for job, event in told_jobs(lines):
            if found := await again.run(job, event):
                verdicts[found.verdict] += 1
                print(found.job_id, found.verdict, found.why, sep="\t", flush=True)
    print(", ".join(f"{number} {verdict}" for verdict, number in sorted(verdicts.items())), file=sys.stderr)
    return int(verdicts["differs"] > 0)


def _check_model(settings: GenerationSettings) -> None:
    """ask the model what it can do, print it as JSON and end"""
    try:
        found = asyncio.run(probe(settings.model_settings(), partial(print, file=sys.stderr, flush=True)))
        print(found.model_dump_json())
    except KeyMissing as missing:
        sys.exit(str(missing))


def _set_up(settings: GenerationSettings) -> None:
    """make the tables of the checkpointer and end"""
    try:
        asyncio.run(set_up(settings.checkpoint_place))
    except CheckpointsUnusable as unusable:
        print(f"stemma-generation-graph: {unusable}", file=sys.stderr)
        sys.exit(1)
