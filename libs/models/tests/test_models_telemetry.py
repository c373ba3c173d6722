import json
from collections.abc import Iterator

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolCall, ToolMessage
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind
from stemma_artifacts.store import MemoryArtifactStore
from stemma_models import CallContext, MemoryRecordStore, ModelCaller, ModelSettings
from stemma_models.embedding import Embedder, EmbeddingUnavailable
from stemma_testkit.provider import Provider, Reply, fails
from stemma_testkit.scripted import ScriptedModel
from structlog.testing import capture_logs

SECRET = "the brief that nobody may log"


@pytest.fixture
def spans() -> Iterator[InMemorySpanExporter]:
    if not isinstance(trace.get_tracer_provider(), TracerProvider):
        trace.set_tracer_provider(TracerProvider())
    provider = trace.get_tracer_provider()
    assert isinstance(provider, TracerProvider)
    exporter = InMemorySpanExporter()
    processor = SimpleSpanProcessor(exporter)
    provider.add_span_processor(processor)
    yield exporter
    processor.shutdown()


@pytest.mark.req("E5", "E8")
async def test_a_call_is_one_span_by_the_conventions_and_a_replay_is_none(spans: InMemorySpanExporter) -> None:
    model = ScriptedModel(script=[ConnectionResetError(SECRET), SECRET])
    settings = ModelSettings(name="openai/gpt", backoff=0.001)
    caller = ModelCaller(model, settings, MemoryRecordStore(), MemoryArtifactStore())
    with capture_logs() as logs:
        for _ in range(2):
            await caller.text(CallContext("default", "doc", "research", "job"), "generate", [HumanMessage(SECRET)])
    [span] = spans.get_finished_spans()
    assert (span.name, span.kind) == ("chat openai/gpt", SpanKind.CLIENT)
    assert span.attributes is not None
    assert dict(span.attributes) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "openai/gpt",
        "gen_ai.conversation.id": "doc",
        "stemma.document_id": "doc",
        "stemma.section_id": "research",
        "gen_ai.usage.input_tokens": 10,
        "gen_ai.usage.output_tokens": 5,
    }
    assert [line["event"] for line in logs] == ["model_call_retried"]
    assert SECRET not in f"{logs}{span.to_json()}"


@pytest.mark.req("M6", "E8")
async def test_prompts_and_answers_are_in_a_span_only_where_a_user_turns_that_on(
    spans: InMemorySpanExporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the conventions that Phoenix, Langfuse and LangSmith read; without it the test above finds no word of them."""
    monkeypatch.setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true")
    search = ToolCall(name="search", args={"query": "quay"}, id="c1", type="tool_call")
    thread = [
        SystemMessage("Be brief."),
        HumanMessage(SECRET),
        AIMessage("", tool_calls=[search]),
        ToolMessage("40 m", tool_call_id="c1"),
    ]
    model = ScriptedModel(script=[AIMessage("The quay.", response_metadata={"finish_reason": "stop"})])
    settings = ModelSettings(name="openai/gpt")
    caller = ModelCaller(model, settings, MemoryRecordStore(), MemoryArtifactStore())
    await caller.text(CallContext("default", "doc", "research", "job"), "generate", thread)
    [span] = spans.get_finished_spans()
    assert span.attributes is not None
    asked = json.loads(str(span.attributes["gen_ai.input.messages"]))
    assert [message["role"] for message in asked] == ["system", "user", "assistant", "tool"]
    assert asked[1]["parts"] == [{"type": "text", "content": SECRET}]
    assert [message["parts"][0]["type"] for message in asked[2:]] == ["tool_call", "tool_call_response"]
    assert json.loads(str(span.attributes["gen_ai.output.messages"])) == [
        {"role": "assistant", "parts": [{"type": "text", "content": "The quay."}], "finish_reason": "stop"}
    ]


@pytest.mark.req("E5", "M2")
async def test_vectors_are_a_span_that_tells_what_was_read(spans: InMemorySpanExporter, provider: Provider) -> None:
    usage = {"prompt_tokens": 7, "total_tokens": 7}
    body = {"object": "list", "data": [{"index": 0, "embedding": [1.0]}], "model": "m", "usage": usage}
    provider.script = [Reply(body=json.dumps(body).encode()), fails(400)]
    embedder, ctx = Embedder("openai/text-embedding-3-small", provider.base), CallContext("default", "doc", "a", "job")
    assert await embedder.vectors([SECRET], ctx) == [[1.0]]
    with pytest.raises(EmbeddingUnavailable):
        await embedder.vectors([SECRET], ctx)
    answered, failed = spans.get_finished_spans()
    told = {"gen_ai.operation.name": "embeddings", "stemma.document_id": "doc", "gen_ai.usage.input_tokens": 7}
    assert (answered.name, answered.kind) == ("embeddings openai/text-embedding-3-small", SpanKind.CLIENT)
    assert told.items() <= dict(answered.attributes or {}).items()
    assert (failed.status.is_ok, ctx.meter.total.calls) == (False, 1)
    assert SECRET not in f"{answered.to_json()}{failed.to_json()}"
