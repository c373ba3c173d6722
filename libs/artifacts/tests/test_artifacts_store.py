"""One suite for every artifact store, in memory and on the real server; then what only the real one has."""

import json

import pytest
from nats.errors import Error as NatsError
from nats.js import JetStreamContext
from nats.js.errors import APIError
from pydantic import ValidationError
from stemma_artifacts.jetstream import SMALL_BYTES, JetStreamArtifactStore
from stemma_artifacts.objects import subject_of
from stemma_artifacts.store import (
    ArtifactCorrupt,
    ArtifactMissing,
    ArtifactStore,
    MemoryArtifactStore,
    digest_of,
    look_for,
)
from stemma_contracts import subjects
from stemma_contracts.tokens import InvalidToken
from stemma_contracts.v1.references import ArtifactRef
from stemma_provisioning import NatsServer, client_user
from stemma_testkit.servers import connected

SIZES = [0, 1, SMALL_BYTES, SMALL_BYTES + 1, 3 * SMALL_BYTES + 7]
LARGE = b"\x00large" * SMALL_BYTES
BUCKET = "OBJ_artifacts-default"


@pytest.fixture(params=["memory", "jetstream"])
def store(request: pytest.FixtureRequest, jetstream: JetStreamContext) -> ArtifactStore:
    return MemoryArtifactStore() if request.param == "memory" else JetStreamArtifactStore(jetstream)


async def _put(store: ArtifactStore, data: bytes, document_id: str = "d1", tenant: str = "default") -> ArtifactRef:
    return await store.put(tenant, document_id, data, media_type="text/markdown", name="draft.md")


@pytest.mark.parametrize("size", SIZES)
async def test_gives_back_what_was_put(store: ArtifactStore, size: int) -> None:
    data = bytes(range(256)) * (size // 256) + b"x" * (size % 256)
    ref = await _put(store, data)
    assert (ref.digest, ref.size, ref.media_type, ref.name) == (digest_of(data), size, "text/markdown", "draft.md")
    assert await store.get("default", "d1", ref) == data
    pieces = [piece async for piece in store.pieces("default", "d1", ref)]
    assert b"".join(pieces) == data
    assert max(map(len, pieces)) <= SMALL_BYTES or isinstance(store, MemoryArtifactStore)


@pytest.mark.parametrize("data", [b"twice", LARGE])
async def test_putting_again_gives_the_same_reference(store: ArtifactStore, data: bytes) -> None:
    assert await _put(store, data) == await _put(store, data)


@pytest.mark.parametrize("data", [b"of d1", LARGE])
async def test_another_document_has_nothing_of_it(store: ArtifactStore, data: bytes) -> None:
    ref = await _put(store, data, document_id="only-here")
    with pytest.raises(ArtifactMissing):
        await store.get("default", "elsewhere", ref)
    await look_for(store, "default", "only-here", ref)
    with pytest.raises(ArtifactMissing):
        await look_for(store, "default", "elsewhere", ref)


@pytest.mark.parametrize("data", [b"of default", LARGE])
async def test_another_tenant_has_nothing_of_it(store: ArtifactStore, data: bytes) -> None:
    ref = await _put(store, data)
    with pytest.raises(ArtifactMissing):
        await store.get("other", "d1", ref)


@pytest.mark.parametrize("data", [b"right", LARGE])
@pytest.mark.parametrize("off", [-1, 1])
async def test_refuses_content_of_another_size(store: ArtifactStore, data: bytes, off: int) -> None:
    ref = await _put(store, data)
    with pytest.raises(ArtifactCorrupt):
        await store.get("default", "d1", ref.model_copy(update={"size": ref.size + off}))


@pytest.mark.parametrize(("tenant", "document_id"), [("*", "d1"), ("default", ">"), ("a.b", "d1"), ("default", "")])
async def test_refuses_ids_that_are_no_tokens(store: ArtifactStore, tenant: str, document_id: str) -> None:
    with pytest.raises(InvalidToken):
        await _put(store, b"x", document_id, tenant)


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "a\\b", ""])
async def test_refuses_a_name_that_could_be_taken_for_a_path(store: ArtifactStore, name: str) -> None:
    with pytest.raises(ValidationError):
        await store.put("default", "d1", b"x", media_type="text/plain", name=name)


async def test_stores_the_same_content_once(jetstream: JetStreamContext) -> None:
    store = JetStreamArtifactStore(jetstream)
    await _put(store, b"once")
    await _put(store, LARGE)
    before = [(await jetstream.stream_info(s)).state.last_seq for s in (subjects.ARTIFACTS, "OBJ_artifacts-default")]
    await _put(store, b"once")
    await _put(store, LARGE)
    after = [(await jetstream.stream_info(s)).state.last_seq for s in (subjects.ARTIFACTS, "OBJ_artifacts-default")]
    assert after == before


async def test_refuses_a_message_that_is_not_what_its_subject_says(jetstream: JetStreamContext) -> None:
    ref = ArtifactRef(digest="a" * 64, size=6, media_type="text/plain", name="a.txt")
    await jetstream.publish(subjects.artifact("default", "d1", ref.digest), b"forged")
    with pytest.raises(ArtifactCorrupt):
        await JetStreamArtifactStore(jetstream).get("default", "d1", ref)


@pytest.mark.req("S2")
async def test_what_is_stored_is_not_replaced_by_another_writer(jetstream: JetStreamContext) -> None:
    store = JetStreamArtifactStore(jetstream)
    ref = await _put(store, b"true", document_id="kept")
    with pytest.raises(APIError, match="maximum messages per subject"):
        await jetstream.publish(subjects.artifact("default", "kept", ref.digest), b"forged")
    assert await store.get("default", "kept", ref) == b"true"


@pytest.mark.req("S2")
@pytest.mark.parametrize("service", subjects.WORKERS)
async def test_a_worker_empties_no_bucket(nats_server: NatsServer, jetstream: JetStreamContext, service: str) -> None:
    ref = await _put(JetStreamArtifactStore(jetstream), LARGE, document_id="stays")
    refused: list[str] = []

    async def hear(error: Exception) -> None:
        refused.append(str(error))

    async with connected(nats_server, service, on_error=hear) as worker:
        js = worker.jetstream(timeout=10)
        with pytest.raises(NatsError):
            await worker.jetstream(timeout=0.1).purge_stream(BUCKET)  # it is never answered
        for rollup in ("all", "sub"):
            with pytest.raises(APIError, match="rollup"):
                await js.publish("$O.artifacts-default.M.x", b"{}", headers={"Nats-Rollup": rollup})
        await _put(JetStreamArtifactStore(js), LARGE + service.encode(), document_id="written")
    assert await JetStreamArtifactStore(jetstream).get("default", "stays", ref) == LARGE
    assert "stream.purge" in refused[0]


@pytest.mark.req("S3")
@pytest.mark.parametrize("spoilt", [b"", b"[]", b'{"nuid": "*", "chunks": 3}'])
async def test_an_object_whose_description_is_spoilt_is_corrupt_until_it_is_written_again(
    jetstream: JetStreamContext, spoilt: bytes
) -> None:
    store, data = JetStreamArtifactStore(jetstream), LARGE + spoilt
    ref = await _put(store, data, document_id="spoilt")
    await jetstream.publish(subject_of("artifacts-default", _object_name("spoilt", ref)), spoilt)
    with pytest.raises(ArtifactCorrupt):
        await store.get("default", "spoilt", ref)
    await _put(store, data, document_id="spoilt")
    assert await store.get("default", "spoilt", ref) == data


async def test_a_large_artifact_that_lost_its_chunks_is_missing(jetstream: JetStreamContext) -> None:
    store = JetStreamArtifactStore(jetstream)
    ref = await _put(store, LARGE + b"lost", document_id="lost")
    info = await (await jetstream.object_store("artifacts-default")).get_info(_object_name("lost", ref))
    await jetstream.purge_stream("OBJ_artifacts-default", subject=f"$O.artifacts-default.C.{info.nuid}")
    with pytest.raises(ArtifactMissing):
        await store.get("default", "lost", ref)


async def test_a_link_to_another_tenants_object_is_not_followed_and_gives_way_to_content(
    jetstream: JetStreamContext,
) -> None:
    store = JetStreamArtifactStore(jetstream)
    theirs = await _put(store, LARGE, tenant="other")
    target = subjects.large_artifact("other", "d1", theirs.digest)
    await _link(jetstream, _object_name("linked", theirs), subjects.artifacts_bucket("other"), target)
    with pytest.raises(ArtifactMissing):
        await store.get("default", "linked", theirs)
    assert await store.get("default", "linked", await _put(store, LARGE, document_id="linked")) == LARGE


async def _link(jetstream: JetStreamContext, name: str, bucket: str, target: str) -> None:
    """What a hostile writer could put into a bucket: the library itself makes no links."""
    body = {"name": name, "nuid": "x", "chunks": 1, "options": {"link": {"bucket": bucket, "name": target}}}
    await jetstream.publish(subject_of("artifacts-default", name), json.dumps(body).encode())


def _object_name(document_id: str, ref: ArtifactRef) -> str:
    return subjects.large_artifact("default", document_id, ref.digest)


@pytest.mark.parametrize("data", [b"small", LARGE])
async def test_a_caller_reads_the_artifacts_of_its_tenant(
    nats_server: NatsServer, jetstream: JetStreamContext, data: bytes
) -> None:
    ref = await _put(JetStreamArtifactStore(jetstream), data)
    async with connected(nats_server, client_user("default")) as client:
        assert await JetStreamArtifactStore(client.jetstream()).get("default", "d1", ref) == data
