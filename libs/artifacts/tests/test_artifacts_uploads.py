import pytest
from nats.js import JetStreamContext
from pydantic import ValidationError
from stemma_artifacts.uploads import UploadCorrupt, UploadMissing, UploadStore
from stemma_contracts.tokens import InvalidToken
from stemma_provisioning import NatsServer, client_user
from stemma_testkit.servers import connected

PLAN = b"\x89PNG" * 100_000


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
