import os
from pathlib import Path

import pytest
from nats.js import JetStreamContext
from pydantic import ValidationError
from stemma_artifacts.jetstream import SMALL_BYTES, JetStreamArtifactStore
from stemma_artifacts.store import ArtifactMissing, reference
from stemma_artifacts.uploads import UploadCorrupt, UploadMissing, UploadStore
from stemma_contracts import subjects
from stemma_contracts.tokens import InvalidToken
from stemma_contracts.v1.references import ArtifactRef
from stemma_provisioning import NatsServer, client_user
from stemma_testkit.servers import connected

PLAN = b"\x89PNG" * 100_000
BUCKET = f"OBJ_{subjects.artifacts_bucket('default')}"


@pytest.mark.parametrize("data", [b"", b"small", PLAN])
async def test_the_orchestrator_reads_what_a_caller_uploaded(nats_server: NatsServer, data: bytes) -> None:
    async with connected(nats_server, client_user("default")) as caller:
        ref = await UploadStore(caller.jetstream(), "default").put(data, "media/plan.png", "image/png")
    assert (ref.size, ref.name, ref.object_name) == (len(data), "media/plan.png", ref.digest)
    async with connected(nats_server, "orchestrator") as orchestrator:
        assert await UploadStore(orchestrator.jetstream(), "default").get(ref) == data


async def test_what_was_never_uploaded_is_missing(jetstream: JetStreamContext) -> None:
    ref = await UploadStore(jetstream, "other").put(b"elsewhere", "a.md", "text/markdown")
    with pytest.raises(UploadMissing):
        await UploadStore(jetstream, "default").get(ref)


@pytest.mark.parametrize("claim", [{"digest": "0" * 64}, {"size": 3}, {"size": 300}])
async def test_refuses_an_upload_that_is_not_what_its_reference_says(
    jetstream: JetStreamContext, claim: dict[str, object]
) -> None:
    store = UploadStore(jetstream, "default")
    ref = await store.put(b"what was sent", "a.md", "text/markdown")
    with pytest.raises(UploadCorrupt):
        await store.get(ref.model_copy(update=claim))


async def test_reads_no_more_than_the_reference_announces(jetstream: JetStreamContext) -> None:
    store = UploadStore(jetstream, "default")
    ref = await store.put(PLAN, "plan.png", "image/png")
    with pytest.raises(UploadCorrupt):
        await store.get(ref.model_copy(update={"size": 10}))


async def test_refuses_names_that_could_be_taken_for_paths(jetstream: JetStreamContext) -> None:
    with pytest.raises(ValidationError):
        await UploadStore(jetstream, "default").put(b"x", "../plan.png", "image/png")


async def test_refuses_a_tenant_that_is_no_token(jetstream: JetStreamContext) -> None:
    with pytest.raises(InvalidToken):
        UploadStore(jetstream, "a.b")


@pytest.mark.parametrize("size", [3, SMALL_BYTES, 5 * SMALL_BYTES + 3])
async def test_an_upload_is_copied_to_the_artifacts_in_pieces(
    jetstream: JetStreamContext, tmp_path: Path, size: int
) -> None:
    file = tmp_path / "plan.bin"
    file.write_bytes(os.urandom(size))
    uploads, artifacts = UploadStore(jetstream, "default"), JetStreamArtifactStore(jetstream)
    with file.open("rb") as opened:
        upload = await uploads.put(opened, "plan.bin", "application/octet-stream")
    ref = reference(file.read_bytes(), upload.media_type, upload.name)
    for _ in range(2):
        await artifacts.put_pieces("default", "copied", ref, uploads.pieces(upload))
    assert await artifacts.get("default", "copied", ref) == file.read_bytes()


@pytest.mark.parametrize("claim", [{"digest": "0" * 64}, {"size": 399_999}, {"size": 400_001}])
async def test_a_copy_of_what_is_not_what_it_says_leaves_nothing_behind(
    jetstream: JetStreamContext, claim: dict[str, object]
) -> None:
    uploads, artifacts = UploadStore(jetstream, "default"), JetStreamArtifactStore(jetstream)
    upload = (await uploads.put(os.urandom(400_000), "a.bin", "application/zip")).model_copy(update=claim)
    ref = ArtifactRef(digest=upload.digest, size=upload.size, media_type=upload.media_type, name=upload.name)
    before = (await jetstream.stream_info(BUCKET)).state.messages
    with pytest.raises(UploadCorrupt):
        await artifacts.put_pieces("default", "half", ref, uploads.pieces(upload))
    with pytest.raises(ArtifactMissing):
        await artifacts.get("default", "half", ref)
    assert (await jetstream.stream_info(BUCKET)).state.messages == before
