import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
from generation_asking import ASKING, run_on
from generation_workshop import HEAD, Workshop
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.js.errors import NotFoundError
from stemma_artifacts.store import JetStreamArtifactStore
from stemma_contracts import registry, subjects
from stemma_contracts.envelope import place
from stemma_contracts.v1.jobs import GenerateSection
from stemma_contracts.v1.outcomes import SectionGenerated, ThreadsHeld
from stemma_generation_graph.app import service
from stemma_generation_graph.checkpoints import open_checkpointer, set_up
from stemma_generation_graph.runner import Runner
from stemma_messaging import Publisher
from stemma_provisioning import NatsServer, client_user
from stemma_testkit.scripted import ScriptedModel
from stemma_testkit.servers import barrier, connected, eventually, provisioned_server
from stemma_testkit.working import access, at_work


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with provisioned_server(tmp_path_factory.mktemp("nats")) as running:
        yield running


@asynccontextmanager
async def running_service(server: NatsServer, folder: Path, **told: float) -> AsyncIterator[Path | str]:
    """The service at work; where its threads are."""
    settings = service.load_settings(**access(server, subjects.GENERATION), data_dir=folder, **told)
    await set_up(settings.checkpoint_place)
    async with at_work(service.run(settings)):
        yield settings.checkpoint_place


async def ordered(client: Client, kind: str, **fields: object) -> GenerateSection:
    """A job whose artifacts lie in the store, published as the orchestrator does."""
    store = JetStreamArtifactStore(client.jetstream())
    brief = await store.put(
        "default", "doc", b"A ferry for 40 people by May.", media_type="text/markdown", name="brief.md"
    )
    job = (await Workshop().job(kind)).model_copy(update={"brief": brief, **fields})
    publisher = Publisher(client.jetstream(), "test")
    subject = subjects.job(subjects.GENERATION, registry.entry_of(job).token)
    await publisher.publish(subject, job, id=job.job_id, about=f"default/{HEAD.document_id}/{kind}")
    return job


async def test_a_job_on_the_bus_becomes_a_section(server: NatsServer, tmp_path: Path) -> None:
    tokens: list[bytes] = []
    places: list[int | None] = []

    async def on_token(message: Msg) -> None:
        places.append(place(message.headers))
        tokens.append(message.data)

    async with (
        connected(server) as client,
        connected(server, client_user("default")) as caller,
        running_service(server, tmp_path),
    ):
        await caller.subscribe(subjects.live("default", "doc", "approach"), cb=on_token)
        await barrier(caller)
        job = await ordered(client, "approach")
        subject = subjects.outcome(subjects.GENERATION, "section-generated")
        js = client.jetstream()

        async def answered() -> bool:
            with suppress(NotFoundError):
                return bool(await js.get_last_msg(subjects.OUTCOMES, subject))
            return False

        await eventually(answered)
        data = (await js.get_last_msg(subjects.OUTCOMES, subject)).data or b""
        outcome = SectionGenerated.model_validate_json(data)
        draft = await JetStreamArtifactStore(js).get("default", "doc", outcome.draft)
        known = await (await js.key_value(subjects.CAPABILITIES_BUCKET)).get(subjects.GENERATION)
    assert (outcome.job_id, outcome.provenance.model, outcome.usage.calls) == (job.job_id, "offline", 1)
    assert not outcome.evaluation.judged
    assert draft.startswith(b"# Approach\n")
    assert b"".join(tokens).strip() == draft.strip()
    assert places == [len(b"".join(tokens[:number]).decode()) for number in range(len(tokens))]
    capabilities = json.loads(known.value or b"")
    assert "section" in capabilities["graphs"]
    assert {"research", "default"} < set(capabilities["prompts"])
    assert capabilities["recipes"]["section"]["approach"] == outcome.provenance.model_dump()


@pytest.mark.req("F4")
async def test_threads_are_told_again_and_again_while_the_service_runs(
    server: NatsServer, tmp_path: Path, workshop: Workshop, job: GenerateSection
) -> None:
    async with connected(server) as client, running_service(server, tmp_path, sweep_every_s=0.05) as place:

        async def told() -> tuple[str, ...]:
            subject = subjects.outcome(subjects.GENERATION, "threads-held")
            with suppress(NotFoundError):
                last = await client.jetstream().get_last_msg(subjects.OUTCOMES, subject)
                return ThreadsHeld.model_validate_json(last.data or b"").threads
            return ()

        async with open_checkpointer(place) as checkpointer:
            runner = Runner({"asking": ASKING}, workshop.tools(ScriptedModel(script=[])).deps, checkpointer)
            for number in range(1, 4):
                await run_on(runner, job.model_copy(update={"thread_id": f"doc.{number}.generate.approach"}), "")

                async def are_told(threads: int = number) -> bool:
                    return len(await told()) == threads

                await eventually(are_told)
