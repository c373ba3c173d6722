from collections.abc import AsyncIterator, Iterator

import pytest
from langchain_core.messages import HumanMessage, SystemMessage, ToolCall
from stemma_artifacts.jetstream import JetStreamArtifactStore
from stemma_contracts import subjects
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.usage import Usage
from stemma_models import (
    CallContext,
    JetStreamRecordStore,
    MemoryRecordStore,
    ModelCaller,
    ModelSettings,
    RecordStore,
)
from stemma_models.records import Record, Request
from stemma_provisioning import NatsServer
from stemma_testkit.scripted import ScriptedModel
from stemma_testkit.servers import connected, provisioned_server

KEY, OTHER = "a" * 64, "b" * 64
RECORD = Record(
    model="scripted",
    usage=Usage(calls=1, input_tokens=10, output_tokens=5, cost=0.01),
    finish_reason="tool_calls",
    tool_calls=(ToolCall(name="search_inputs", args={"query": "Straße"}, id="c1", type="tool_call"),),
    content="Grüße",
)
LONG = RECORD.model_copy(
    update={
        "content": "",
        "artifact": ArtifactRef(digest=KEY, size=4000, media_type="text/markdown", name="research.md"),
    }
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with provisioned_server(tmp_path_factory.mktemp("nats")) as running:
        yield running


@pytest.fixture(params=["memory", "jetstream"])
async def store(request: pytest.FixtureRequest, server: NatsServer) -> AsyncIterator[RecordStore]:
    if request.param == "memory":
        yield MemoryRecordStore()
    else:
        async with connected(server, "generation-graph") as client:
            yield JetStreamRecordStore(client.jetstream())


async def test_the_last_record_of_a_key_comes_back_as_it_was_put_and_under_no_other_name(store: RecordStore) -> None:
    for record in (RECORD, LONG, Record(model="m", usage=Usage())):
        await store.put("default", "doc-2", KEY, record)
        assert await store.get("default", "doc-2", KEY) == record
    assert await store.get("default", "doc-2", OTHER) is None
    assert await store.get("default", "doc-3", KEY) is None
    assert await store.get("elsewhere", "doc-2", KEY) is None
    with pytest.raises(ValueError, match="subject token"):
        await store.get("default", "doc.>", KEY)


@pytest.mark.req("F6")
def test_a_call_has_the_key_that_it_had_in_earlier_releases_so_that_none_is_paid_again() -> None:
    messages = (SystemMessage("You write."), HumanMessage("Straße"))
    parameters = {"name": "scripted", "temperature": None}
    request = Request(parameters, messages, [{"type": "function"}], {"type": "json_schema"})
    key = "67cb19565c14c4e807a234d72f789485b3734f574f613750168ebe6a50ca090c"
    assert request.key("doc.1.generate-section.approach", "generate", 0) == key


@pytest.mark.req("F5")
async def test_a_record_that_nobody_can_read_is_none_and_replaced(server: NatsServer) -> None:
    async with connected(server) as client:
        js, store = client.jetstream(), JetStreamRecordStore(client.jetstream())
        for data in (b"", b"no JSON", b'{"model": 7}'):
            await js.publish(subjects.record("default", "doc-5", KEY), data)
            assert await store.get("default", "doc-5", KEY) is None
        await store.put("default", "doc-5", KEY, RECORD)
        assert await store.get("default", "doc-5", KEY) == RECORD


@pytest.mark.req("P2")
@pytest.mark.parametrize("text", ["short", " ".join(map(str, range(1000)))])
async def test_a_job_that_runs_again_after_a_restart_asks_nothing(server: NatsServer, text: str) -> None:
    asked, answers = [HumanMessage("Write.")], []
    for script in ([text], []):
        async with connected(server, "generation-graph") as client:
            js = client.jetstream()
            model = ScriptedModel(script=script)
            settings = ModelSettings(name="scripted")
            caller = ModelCaller(model, settings, JetStreamRecordStore(js), JetStreamArtifactStore(js))
            ctx = CallContext("default", "doc-5", "research", "job-1")
            answers.append(await caller.text(ctx, f"call-{len(text)}", asked))
        assert model.calls == len(script)
    assert answers[1] == answers[0]
