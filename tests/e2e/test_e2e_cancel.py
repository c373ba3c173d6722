"""What nobody waits for any more is ended: a model call that would take for ever, between two real services."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest
from faststream import FastStream
from stemma_artifacts.jetstream import JetStreamArtifactStore
from stemma_client import Client
from stemma_contracts import subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.requests import CancelDocument
from stemma_generation_graph.app import load_deps
from stemma_generation_graph.deps import Models
from stemma_generation_graph.graphs.registry import find_graphs
from stemma_generation_graph.handlers import Tools, routes
from stemma_generation_graph.runner import Runner
from stemma_generation_graph.settings import GenerationSettings
from stemma_generation_graph.sources import Library
from stemma_kinds import digests
from stemma_messaging import Service, WorkerBroker, config_dir
from stemma_messaging.same_kind import same_kind
from stemma_models import JetStreamRecordStore, ModelCaller, ModelSettings
from stemma_orchestrator.app import service as orchestrator
from stemma_provisioning import NatsServer, client_user
from stemma_testkit.driving import wait_for
from stemma_testkit.scripted import EndlessModel
from stemma_testkit.servers import provisioned_server
from stemma_testkit.working import access, at_work


def generation_with(model: EndlessModel) -> Service[GenerationSettings]:
    graphs = find_graphs()

    def tools(settings: GenerationSettings, broker: WorkerBroker) -> Tools:
        artifacts = JetStreamArtifactStore(broker.jetstream)
        caller = ModelCaller(model, ModelSettings(name="endless"), JetStreamRecordStore(broker.jetstream), artifacts)
        deps = load_deps(settings, Models(caller), graphs, config_dir("stemma_generation_graph"))
        same = same_kind(broker, digests())
        return Tools(Runner(graphs, deps, None), deps, Library(artifacts), broker.publish_live, same)

    def build_app(settings: GenerationSettings) -> FastStream:
        broker = WorkerBroker(subjects.GENERATION, settings)
        broker.include_router(routes(lambda: tools(settings, broker)))

        @asynccontextmanager
        async def lifespan() -> AsyncIterator[None]:
            async with broker.connected():
                await broker.publish_capabilities({"graphs": tuple(graphs)})
                yield

        return FastStream(broker, lifespan=lifespan, logger=None)

    return Service(subjects.GENERATION, GenerationSettings, build_app)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with provisioned_server(tmp_path_factory.mktemp("nats")) as running:
        yield running


@pytest.fixture
def model() -> EndlessModel:
    return EndlessModel()


@pytest.fixture
async def client(server: NatsServer, model: EndlessModel) -> AsyncIterator[Client]:
    """A caller of an orchestrator and a generation service with the endless model."""
    user = client_user("default")
    async with AsyncExitStack() as stack:
        services: tuple[Service[Any], ...] = (orchestrator, generation_with(model))
        for service in services:
            settings = service.load_settings(**access(server, service.name), shutdown_grace_s=0)
            await stack.enter_async_context(at_work(service.run(settings)))
        yield await stack.enter_async_context(
            Client.connect(server.url, tenant="default", user=user, password=server.passwords[user], actor="ada")
        )


async def cancel(client: Client, document_id: str) -> None:
    await client.request(CancelDocument(document_id=document_id))


async def write(client: Client, document_id: str) -> None:
    await client.edit(document_id, "research", 0, text="# Research\n\nA person's text.\n")


@pytest.mark.parametrize("decide", [cancel, pytest.param(write, marks=pytest.mark.full)])
@pytest.mark.failure("called-off")
async def test_a_model_call_ends_when_its_job_is_closed_and_is_counted(
    client: Client, model: EndlessModel, decide: Callable[[Client, str], Awaitable[None]]
) -> None:
    document_id = (await client.create_document("proposal", brief="A ferry.", request_id=decide.__name__)).document_id
    await model.until_called()
    await decide(client, document_id)
    seen = await wait_for(client, document_id, lambda event: isinstance(event, e.OutcomeSuperseded), within_s=20)
    ended = seen[-1].contract
    assert isinstance(ended, e.OutcomeSuperseded)
    assert (ended.outcome, ended.usage.calls) == ("stemma.job.cancelled.v1", 1)
