"""ChatLiteLLM over real HTTP. Importing litellm takes seconds, so everything that needs it is in this file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from langchain_core.messages import HumanMessage, ToolMessage
from pydantic import BaseModel
from stemma_artifacts.store import MemoryArtifactStore
from stemma_models import (
    CallContext,
    MemoryRecordStore,
    ModelCaller,
    ModelSettings,
    ModelUnavailableError,
    chat_model,
)

pytestmark = pytest.mark.xdist_group("litellm")

PROMPT = [HumanMessage("Write.")]


class Colour(BaseModel):
    name: str


class SearchInputs(BaseModel):
    """Search."""

    query: str


class Provider(ThreadingHTTPServer):
    """A server that speaks as much of the OpenAI protocol as the tests need; ``script`` holds the next answers."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script: list[tuple[int, Any]] = []
        self.requests: list[dict[str, Any]] = []

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: Provider

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.requests.append(body)
        status, message = self.server.script.pop(0)
        if status != 200:
            self._send(status, "application/json", json.dumps({"error": {"message": message}}).encode())
        elif body.get("stream"):
            self._send(status, "text/event-stream", b"".join(_events(message)))
        else:
            self._send(status, "application/json", json.dumps(_completion(message)).encode())

    def _send(self, status: int, media_type: str, data: bytes) -> None:
        self.send_response(status)
        self.send_header("content-type", media_type)
        self.send_header("content-length", str(len(data)))
        if status == 429:
            self.send_header("retry-after", "0")
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        pass


def _completion(message: dict[str, Any]) -> dict[str, Any]:
    reason = "tool_calls" if message.get("tool_calls") else "stop"
    choice = {"index": 0, "finish_reason": reason, "message": {"role": "assistant", "content": None, **message}}
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    return {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}


def _events(message: dict[str, Any]) -> Iterator[bytes]:
    head = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    for word in message["content"].split(" "):
        yield _event({**head, "choices": [{"index": 0, "delta": {"role": "assistant", "content": word}}]})
    yield _event({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    yield _event({**head, "choices": [], "usage": usage})
    yield b"data: [DONE]\n\n"


def _event(data: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(data).encode() + b"\n\n"


@pytest.fixture
def provider() -> Iterator[Provider]:
    server = Provider()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def caller(provider: Provider, **settings: Any) -> ModelCaller:
    os.environ["OPENAI_API_KEY"] = "test-key"
    chosen = ModelSettings(name="openai/gpt-4o-mini", api_base=provider.base, backoff=0.001, **settings)
    return ModelCaller(chat_model(chosen), chosen, MemoryRecordStore(), MemoryArtifactStore())


def context() -> CallContext:
    return CallContext("default", "doc", "research", "job")


async def test_a_plain_answer_is_one_request_and_is_counted_with_its_price(provider: Provider) -> None:
    provider.script = [(200, {"content": "Hello."})]
    answer = await caller(provider, temperature=0.5, max_tokens=50).text(context(), "generate", PROMPT)
    assert answer.text == "Hello."
    assert (answer.usage.calls, answer.usage.input_tokens, answer.usage.output_tokens) == (1, 7, 3)
    assert answer.usage.cost > 0
    [request] = provider.requests
    assert (request["temperature"], request["max_tokens"], request["model"]) == (0.5, 50, "gpt-4o-mini")


async def test_a_streamed_answer_comes_in_tokens_and_with_its_usage(provider: Provider) -> None:
    provider.script = [(200, {"content": "one two three"})]
    tokens: list[str] = []

    async def on_token(token: str) -> None:
        tokens.append(token)

    answer = await caller(provider).text(context(), "generate", PROMPT, on_token=on_token)
    assert (tokens, answer.usage.output_tokens) == (["one", "two", "three"], 3)
    assert answer.usage.cost > 0


@pytest.mark.req("P13")
async def test_a_structured_answer_is_asked_for_by_its_schema(provider: Provider) -> None:
    provider.script = [(200, {"content": '{"nam": "red"}'}), (200, {"content": '{"name": "red"}'})]
    answer = await caller(provider).structured(context(), "colour", PROMPT, Colour)
    assert (answer.value, len(provider.requests)) == (Colour(name="red"), 2)
    assert provider.requests[0]["response_format"]["json_schema"]["name"] == "Colour"
    assert "name: Field required" in provider.requests[1]["messages"][-1]["content"]


async def test_tool_calls_go_there_and_back(provider: Provider) -> None:
    function = {"name": "SearchInputs", "arguments": '{"query": "quay"}'}
    call = {"id": "c1", "type": "function", "function": function}
    provider.script = [(200, {"tool_calls": [call]}), (200, {"content": "Done."})]
    model = caller(provider)
    first = await model.message(context(), "search-0", PROMPT, [SearchInputs])
    assert first.message.tool_calls[0]["args"] == {"query": "quay"}
    thread = [*PROMPT, first.message, ToolMessage("Found.", tool_call_id="c1")]
    second = await model.message(context(), "search-1", thread, [SearchInputs])
    assert second.message.text == "Done."
    assert provider.requests[1]["messages"][-1]["content"] == "Found."


async def test_a_refused_request_is_tried_again_by_us_alone(provider: Provider) -> None:
    provider.script = [(429, "slow down"), (503, "busy"), (200, {"content": "Hello."})]
    answer = await caller(provider).text(context(), "generate", PROMPT)
    assert (answer.text, answer.usage.calls, len(provider.requests)) == ("Hello.", 3, 3)


@pytest.mark.parametrize(("status", "attempts"), [(429, 3), (500, 3), (401, 1), (400, 1)])
async def test_the_number_of_http_attempts_is_exact(provider: Provider, status: int, attempts: int) -> None:
    provider.script = [(status, "no")] * 9
    with pytest.raises(ModelUnavailableError, match=str(status)) as failure:
        await caller(provider, retries=2).text(context(), "generate", PROMPT)
    assert (len(provider.requests), failure.value.usage.calls) == (attempts, attempts)


async def test_a_server_that_is_not_there_is_unavailable(provider: Provider) -> None:
    model = caller(provider, retries=0)
    provider.shutdown()
    provider.server_close()
    with pytest.raises(ModelUnavailableError):
        await model.text(context(), "generate", PROMPT)


def test_litellm_is_not_imported_before_a_real_model_is_asked_for() -> None:
    code = (
        "import sys; from stemma_models import ModelSettings, chat_model; chat_model(ModelSettings())\n"
        "assert not {'litellm', 'langchain_litellm'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
