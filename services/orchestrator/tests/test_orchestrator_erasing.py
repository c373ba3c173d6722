"""Erasing on a real server: what is stored late goes, too, and nothing brings a document back."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from nats.js.errors import NotFoundError
from stemma_artifacts.jetstream import JetStreamArtifactStore
from stemma_client import Client
from stemma_client.errors import RequestRejectedError
from stemma_contracts import registry, subjects
from stemma_contracts.v1.outcomes import JobCancelled, ThreadsErased
from stemma_contracts.v1.requests import CancelDocument, EraseDocument, PauseDocument
from stemma_messaging import Publisher
from stemma_orchestrator.app import service
from stemma_provisioning import NatsServer, client_user
from stemma_testkit.servers import connected, eventually, provisioned_server
from stemma_testkit.working import access, at_work

pytestmark = pytest.mark.req("O7")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with provisioned_server(tmp_path_factory.mktemp("nats")) as running:
        yield running


@asynccontextmanager
async def orchestrator(server: NatsServer) -> AsyncIterator[None]:
    settings = service.load_settings(sweep_every_s=0.2, **access(server, subjects.ORCHESTRATOR))
    async with at_work(service.run(settings)):
        yield


@pytest.fixture
async def client(server: NatsServer) -> AsyncIterator[Client]:
    user = client_user("default")
    async with Client.connect(server.url, user=user, password=server.passwords[user], actor="ada") as client:
        yield client


async def asked_for(client: Client) -> str:
    """A cancelled document that is being erased."""
    document_id = (await client.create_document("proposal", brief="A ferry.", request_id="one")).document_id
    await client.edit(document_id, "research", 0, text="# Research\n\nIt carries lanterns.\n")
    await client.request(CancelDocument(document_id=document_id))
    plan = await client.request(EraseDocument(document_id=document_id))
    await client.request(EraseDocument(document_id=document_id, sequence=plan.sequence))
    with pytest.raises(RequestRejectedError, match="being erased"):
        await client.request(PauseDocument(document_id=document_id))
    return document_id


async def test_an_erasure_goes_on_after_a_kill_and_what_comes_late_brings_nothing_back(
    server: NatsServer, client: Client, tmp_path: Path
) -> None:
    async with connected(server) as nats:
        js = nats.jetstream()
        publisher, store = Publisher(js, "/test"), JetStreamArtifactStore(js)

        async def told(outcome: ThreadsErased | JobCancelled) -> None:
            subject = subjects.outcome(subjects.GENERATION, registry.entry_of(outcome).token)
            await publisher.publish(subject, outcome, id=outcome.job_id, about="default")

        async with orchestrator(server):
            document_id = await asked_for(client)
            pattern = subjects.event("default", document_id, subjects.ANY)
            requested = await js.get_msg(subjects.EVENTS, 1, pattern, next=True)
            erase = await js.get_msg(subjects.JOBS, 1, subjects.job(subjects.GENERATION, "erase-threads"), next=True)
        about: dict[str, Any] = {"tenant": "default", "document_id": document_id}
        await told(ThreadsErased(job_id=str((erase.headers or {})["ce-id"]), threads=2, **about))

        async def only_the_last_stays() -> bool:
            return [event.name for event in await client.history(document_id)] == ["document-erased"]

        async with orchestrator(server):
            await eventually(only_the_last_stays)
            late = [await store.put("default", document_id, data, media_type="text/plain", name="a") for data in LATE]
            await told(JobCancelled(job_id=f"{document_id}.1.generate.research", **about))

            async def nothing_is_left() -> bool:
                artifacts = subjects.artifact("default", document_id, subjects.ANY)
                objects = f"$O.{subjects.artifacts_bucket('default')}.>"
                places = ((subjects.ARTIFACTS, artifacts), (f"OBJ_{subjects.artifacts_bucket('default')}", objects))
                for stream, subject in (*places, (subjects.OUTCOMES, ">")):
                    try:
                        await js.get_msg(stream, 1, subject, next=True)
                    except NotFoundError:
                        continue
                    return False
                return True

            await eventually(nothing_is_left)
            assert len(late) == len(LATE)
            assert await only_the_last_stays()

            rest = {name: value for name, value in (requested.headers or {}).items() if name.startswith("ce-")}
            await js.publish(requested.subject or "", requested.data or b"", headers=rest)

            async def the_rest_is_cut() -> bool:
                return (await js.get_last_msg(subjects.EVENTS, pattern)).subject != requested.subject

            await eventually(the_rest_is_cut)
            with pytest.raises(RequestRejectedError, match="was erased"):
                await client.create_document("proposal", brief="A ferry.", request_id="one", title="again")


LATE = (b"It carries lanterns.", b"It carries lanterns." * 10_000)
