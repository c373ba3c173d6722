"""What the keeping store adds to the suite of every store: it reads once, and forgets within its bound."""

import pytest
from nats.js import JetStreamContext
from stemma_artifacts.kept import ENTRY_BYTES, CachedArtifacts
from stemma_artifacts.objects import subject_of
from stemma_artifacts.store import SMALL_BYTES, ArtifactCorrupt, ArtifactMissing, JetStreamArtifactStore
from stemma_contracts import subjects
from stemma_contracts.v1.references import ArtifactRef


async def _put(store: CachedArtifacts, data: bytes) -> ArtifactRef:
    return await store.put("default", "kept", data, media_type="text/markdown", name="draft.md")


async def _lose(jetstream: JetStreamContext, ref: ArtifactRef) -> None:
    await jetstream.purge_stream(subjects.ARTIFACTS, subject=subjects.artifact("default", "kept", ref.digest))


async def test_what_was_stored_or_read_is_not_asked_for_again(jetstream: JetStreamContext) -> None:
    writer, reader = (CachedArtifacts(JetStreamArtifactStore(jetstream)) for _ in range(2))
    ref = await _put(writer, b"once")
    assert await reader.get("default", "kept", ref) == b"once"
    await _lose(jetstream, ref)
    assert await reader.get("default", "kept", ref) == await writer.get("default", "kept", ref) == b"once"


async def test_what_is_kept_is_not_given_for_a_reference_of_another_size(jetstream: JetStreamContext) -> None:
    store = CachedArtifacts(JetStreamArtifactStore(jetstream))
    ref = await _put(store, b"once")
    with pytest.raises(ArtifactCorrupt):
        await store.get("default", "kept", ref.model_copy(update={"size": 5}))


async def test_the_one_that_was_not_used_for_longest_is_forgotten_first(jetstream: JetStreamContext) -> None:
    store = CachedArtifacts(JetStreamArtifactStore(jetstream), most_bytes=2 * (ENTRY_BYTES + 4))
    first, second = [await _put(store, data) for data in (b"1111", b"2222")]
    await store.get("default", "kept", first)
    await _put(store, b"3333")
    for ref in (first, second):
        await _lose(jetstream, ref)
    assert await store.get("default", "kept", first) == b"1111"
    with pytest.raises(ArtifactMissing):
        await store.get("default", "kept", second)


async def test_a_large_artifact_is_not_kept(jetstream: JetStreamContext) -> None:
    store = CachedArtifacts(JetStreamArtifactStore(jetstream))
    ref = await _put(store, b"x" * (SMALL_BYTES + 1))
    bucket, name = subjects.artifacts_bucket("default"), subjects.large_artifact("default", "kept", ref.digest)
    await jetstream.purge_stream(f"OBJ_{bucket}", subject=subject_of(bucket, name))
    with pytest.raises(ArtifactMissing):
        await store.get("default", "kept", ref)
