"""What was stored for documents that were never made is found and taken away, and nothing else."""

import json
from collections.abc import AsyncIterator, Iterator
from datetime import timedelta

import pytest
from nats.aio.client import Client
from nats.js import JetStreamContext
from stemma_artifacts.jetstream import SMALL_BYTES, JetStreamArtifactStore
from stemma_artifacts.store import ArtifactMissing
from stemma_contracts import subjects
from stemma_contracts.v1.references import ArtifactRef
from stemma_orchestrator.app import service, sweep
from stemma_orchestrator.erasing import Eraser, Piece
from stemma_orchestrator.orphans import Orphans
from stemma_orchestrator.requests import document_id_for
from stemma_provisioning import NatsServer
from stemma_testkit.servers import connected, provisioned_server

SIZES = (10, SMALL_BYTES + 1)
CREATE = {"kind": "proposal", "brief": "Write it.", "request_id": "again"}
ASKED = document_id_for("default", "again")


@pytest.fixture
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with provisioned_server(tmp_path_factory.mktemp("nats")) as server:
        yield server


@pytest.fixture
async def client(server: NatsServer) -> AsyncIterator[Client]:
    async with connected(server, subjects.ORCHESTRATOR) as client:
        yield client


async def stored(js: JetStreamContext, *document_ids: str) -> dict[str, list[ArtifactRef]]:
    store = JetStreamArtifactStore(js)
    return {
        name: [await store.put("default", name, b"x" * size, media_type="x/y", name="a") for size in SIZES]
        for name in document_ids
    }


async def made(js: JetStreamContext, document_id: str) -> None:
    await js.publish(subjects.event("default", document_id, "document-requested"), json.dumps({}).encode())


async def are_there(js: JetStreamContext, document_id: str, refs: list[ArtifactRef]) -> list[bool]:
    found = []
    for ref in refs:
        try:
            found.append(bool(await JetStreamArtifactStore(js).get("default", document_id, ref)))
        except ArtifactMissing:
            found.append(False)
    return found


@pytest.mark.req("O7")
async def test_artifacts_of_documents_that_were_never_made_are_told_and_taken_away_when_they_are_old(
    server: NatsServer, client: Client
) -> None:
    js = client.jetstream()
    eraser = Eraser(client, await js.key_value(subjects.VIEWS_BUCKET))
    orphans = Orphans(js, eraser, timedelta())
    refs = await stored(js, "made", "never")
    assert await orphans.swept(take=True) == 0, "a log that is empty tells of nothing"
    await made(js, "made")
    assert await Orphans(js, eraser).swept(take=True) == 0, "their request may be under way"
    assert await orphans.swept(take=False) == len(SIZES)
    assert await orphans.swept(take=True, most=1) == 1
    assert await orphans.swept(take=True) == 1
    assert await orphans.swept(take=True) == 0
    assert await are_there(js, "made", refs["made"]) == [True, True]
    assert await are_there(js, "never", refs["never"]) == [False, False]
    assert (await stored(js, "never"))["never"] == refs["never"], "a request that comes again stores all of it"
    assert await are_there(js, "never", refs["never"]) == [True, True]
    user = subjects.ORCHESTRATOR
    known = service.load_settings(nats_url=server.url, nats_user=user, nats_password=server.passwords[user])
    assert await sweep(known, take=False) == 0


class EraserBesideRequests(Eraser):
    """A document is made, of artifacts that were stored, once the first thing of another one goes."""

    gone = 0

    async def take(self, piece: Piece, tenant: str) -> None:
        self.gone += 1
        if self.gone == 1:
            await made(self._js, "late")
        await super().take(piece, tenant)


@pytest.mark.req("O7")
async def test_what_a_request_that_comes_again_has_or_made_meanwhile_is_left(
    server: NatsServer, client: Client
) -> None:
    js = client.jetstream()
    refs = await stored(js, "never", "late", ASKED)
    await made(js, "made")
    async with connected(server) as other:
        await other.jetstream().publish(subjects.request("default", "create-document"), json.dumps(CREATE).encode())
    eraser = EraserBesideRequests(client, await js.key_value(subjects.VIEWS_BUCKET))
    assert await Orphans(js, eraser, timedelta()).swept(take=True) == len(SIZES)
    assert [await are_there(js, name, refs[name]) for name in refs] == [[False] * 2, [True] * 2, [True] * 2]


@pytest.mark.req("O7")
async def test_an_object_is_taken_away_by_its_description_first(client: Client) -> None:
    js, gone = client.jetstream(), []

    class Told(Eraser):
        async def take(self, piece: Piece, tenant: str) -> None:
            gone.append((piece.stream, bool(piece.chunks)))
            await super().take(piece, tenant)

    await stored(js, "never")
    await made(js, "made")
    await Orphans(js, Told(client, await js.key_value(subjects.VIEWS_BUCKET)), timedelta()).swept(take=True)
    bucket = f"OBJ_{subjects.artifacts_bucket('default')}"
    assert gone == [(subjects.ARTIFACTS, False), (bucket, False), (bucket, True)]
    assert (await js.stream_info(bucket)).state.messages == 0
