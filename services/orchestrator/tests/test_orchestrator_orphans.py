"""What was stored for documents that were never made is found and taken away, and nothing else."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from stemma_artifacts.store import SMALL_BYTES, ArtifactMissing, JetStreamArtifactStore
from stemma_contracts import subjects
from stemma_orchestrator.app import service, sweep
from stemma_orchestrator.erasing import Eraser
from stemma_orchestrator.orphans import Orphans
from stemma_provisioning import NatsServer
from stemma_testkit.servers import connected, provisioned_server

SIZES = (10, SMALL_BYTES + 1)
LATER = timedelta(days=9)


@pytest.fixture
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with provisioned_server(tmp_path_factory.mktemp("nats")) as server:
        yield server


@pytest.mark.req("O7")
async def test_artifacts_of_documents_that_were_never_made_are_told_and_taken_away_when_they_are_old(
    server: NatsServer,
) -> None:
    async with connected(server, subjects.ORCHESTRATOR) as client:
        js, now = client.jetstream(), datetime.now(UTC)
        store = JetStreamArtifactStore(js)
        refs = {
            (document_id, size): await store.put("default", document_id, b"x" * size, media_type="x/y", name="a")
            for document_id in ("made", "never")
            for size in SIZES
        }
        await js.publish(subjects.event("default", "made", "document-requested"), json.dumps({}).encode())
        orphans = Orphans(js, Eraser(client, await js.key_value(subjects.VIEWS_BUCKET)))
        assert await orphans.swept(now, take=True) == 0, "their request may be under way"
        assert await orphans.swept(now + LATER, take=False) == len(SIZES)
        assert await orphans.swept(now + LATER, take=True, most=1) == 1
        assert await orphans.swept(now + LATER, take=True) == 1
        assert await orphans.swept(now + LATER, take=True) == 0
        for (document_id, _), ref in refs.items():
            if document_id == "made":
                assert await store.get("default", document_id, ref)
                continue
            with pytest.raises(ArtifactMissing):
                await store.get("default", document_id, ref)
    user = subjects.ORCHESTRATOR
    known = service.load_settings(nats_url=server.url, nats_user=user, nats_password=server.passwords[user])
    assert await sweep(known, take=False) == 0
