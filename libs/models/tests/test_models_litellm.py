"""ChatLiteLLM over real HTTP. Importing litellm takes seconds, so everything that needs it is in this file."""

import asyncio
import json
import os
import subprocess
import sys
from typing import Any

import pytest
from langchain_core.messages import HumanMessage, ToolMessage
from pydantic import BaseModel
from stemma_artifacts.store import MemoryArtifactStore
from stemma_models import (
    CallContext,
    KeyMissing,
    MemoryRecordStore,
    ModelCaller,
    ModelSettings,
    ModelUnavailableError,
    chat_model,
    open_chat_model,
)
from stemma_testkit.provider import Provider, Reply, fails, says

PROMPT = [HumanMessage("Write.")]


class SearchInputs(BaseModel):
    """Search."""

    query: str


@pytest.fixture
async def warm_provider(provider: Provider) -> Provider:
    """LiteLLM imports for seconds in its first calls, which a short time limit would not outlast."""
    for sink in (None, ignore):
        provider.script = [says("Hello.")]
        await caller(provider).text(context(), "generate", PROMPT, on_token=sink)
    provider.requests.clear()
    return provider


def caller(provider: Provider, **settings: Any) -> ModelCaller:
    for name in ("OPENAI", "ANTHROPIC", "GEMINI"):
        os.environ[f"{name}_API_KEY"] = "test-key"
    usual = {"name": "openai/gpt-4o-mini", "backoff": 0.001}
    chosen = ModelSettings(api_base=provider.base, **{**usual, **settings})
    return ModelCaller(chat_model(chosen), chosen, MemoryRecordStore(), MemoryArtifactStore())


def context() -> CallContext:
    return CallContext("default", "doc", "research", "job")


async def test_a_plain_answer_is_one_request_and_is_counted_with_its_price(provider: Provider) -> None:
    provider.script = [says("Hello.")]
    answer = await caller(provider, temperature=0.5, max_tokens=50, stop=("END",)).text(context(), "generate", PROMPT)
    assert answer.value == "Hello."
    assert (answer.usage.calls, answer.usage.input_tokens, answer.usage.output_tokens) == (1, 7, 3)
    assert answer.usage.cost > 0
    [request] = provider.requests
    assert (request["temperature"], request["max_tokens"], request["model"]) == (0.5, 50, "gpt-4o-mini")
    assert request["stop"] == ["END"]


async def test_tool_calls_go_there_and_back(provider: Provider) -> None:
    function = {"name": "SearchInputs", "arguments": '{"query": "quay"}'}
    call = {"id": "c1", "type": "function", "function": function}
    provider.script = [Reply({"tool_calls": [call]}), says("Done.")]
    model = caller(provider)
    first = await model.message(context(), "search-0", PROMPT, [SearchInputs])
    assert first.value.tool_calls[0]["args"] == {"query": "quay"}
    thread = [*PROMPT, first.value, ToolMessage("Found.", tool_call_id="c1")]
    second = await model.message(context(), "search-1", thread, [SearchInputs])
    assert second.value.text == "Done."
    assert provider.requests[1]["messages"][-1]["content"] == "Found."


@pytest.mark.parametrize(("status", "attempts"), [(429, 3), (500, 3), (401, 1), (400, 1)])
async def test_the_number_of_http_attempts_is_exact(provider: Provider, status: int, attempts: int) -> None:
    provider.script = [fails(status)] * 9
    with pytest.raises(ModelUnavailableError, match=str(status)) as failure:
        await caller(provider, retries=2).text(context(), "generate", PROMPT)
    assert (len(provider.requests), failure.value.usage.calls) == (attempts, attempts)


BROKEN = [
    Reply({"content": "one two three four"}, cut=True),
    Reply(body=b"<html>busy"),
    Reply(body=b'{"choices": []}'),
    Reply(body=b'data: {"choices": []}\n\n'),
    says("one two three four", "error"),
]


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("broken", BROKEN)
async def test_a_broken_answer_is_tried_again_as_it_was_and_never_taken(
    provider: Provider, streamed: bool, broken: Reply
) -> None:
    provider.script = [broken, broken, says("whole")]
    sink = ignore if streamed else None
    answer = await caller(provider, retries=2).text(context(), "generate", PROMPT, on_token=sink)
    assert (answer.value, answer.usage.calls) == ("whole", 3)
    assert [len(request["messages"]) for request in provider.requests] == [1, 1, 1]


async def test_without_its_reason_an_answer_in_one_piece_is_whole_and_a_stream_is_not(provider: Provider) -> None:
    provider.script = [Reply({"content": "whole"}, stated=False), Reply({"content": "half a sen"}, stated=False)]
    model = caller(provider, retries=0)
    assert (await model.text(context(), "generate", PROMPT)).value == "whole"
    with pytest.raises(ModelUnavailableError, match="a stream that was cut"):
        await model.text(context(), "other", PROMPT, on_token=ignore)


async def test_a_provider_that_says_nothing_yet_is_left_at_the_time_limit_alone(warm_provider: Provider) -> None:
    """It may read the prompt: only behind its first words it has half the time."""
    warm_provider.script = [Reply(silent=True)] * 9
    with pytest.raises(ModelUnavailableError, match="no answer within 1 s"):
        await caller(warm_provider, call_limit=1).text(context(), "generate", PROMPT, on_token=ignore)
    assert len(warm_provider.requests) == 1


async def test_a_server_that_still_loads_its_model_is_waited_for(
    provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stemma_models.errors.LOADING_S", 0.001)
    loading = Reply(status=503, body=b'{"error": {"message": "Loading model", "type": "unavailable_error"}}')
    provider.script = [loading, loading, loading, says("there")]
    answer = await caller(provider, retries=0).text(context(), "generate", PROMPT)
    assert (answer.value, answer.usage.calls) == ("there", 4)


async def test_an_answer_in_one_piece_may_take_the_whole_time_limit(warm_provider: Provider) -> None:
    warm_provider.script = [Reply({"content": "late"}, pause_s=1.2)]
    answer = await caller(warm_provider, call_limit=2).text(context(), "generate", PROMPT)
    assert (answer.value, len(warm_provider.requests)) == ("late", 1)


async def test_a_provider_that_falls_silent_is_tried_again_within_the_time_limit(warm_provider: Provider) -> None:
    warm_provider.script = [Reply({"content": "one two three"}, silent=True, cut=True), says("whole")]
    answer = await caller(warm_provider, call_limit=3).text(context(), "generate", PROMPT, on_token=ignore)
    assert (answer.value, answer.usage.calls, len(warm_provider.requests)) == ("whole", 2, 2)


@pytest.mark.parametrize("name", ["openai/gpt-4o-mini", "openai/nobody-knows-it"])
async def test_litellm_prints_nothing_between_the_lines_of_the_log(
    provider: Provider, capfd: pytest.CaptureFixture[str], name: str
) -> None:
    provider.script = [fails(400)]
    asked = caller(provider, name=name)
    capfd.readouterr()
    with pytest.raises(ModelUnavailableError, match="400"):
        await asked.text(context(), "generate", PROMPT)
    assert capfd.readouterr().out == ""


KEYS = {"openai/gpt-4o-mini": "OPENAI_API_KEY", "anthropic/claude-sonnet-4-5": "ANTHROPIC_API_KEY"}


@pytest.mark.req("F4", "P16")
@pytest.mark.parametrize(("name", "key"), KEYS.items())
def test_a_key_that_is_missing_is_told_by_name_before_the_first_call(
    name: str, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(key, raising=False)
    with pytest.raises(KeyMissing, match=f"{name} needs {key} in the environment"):
        chat_model(ModelSettings(name=name))
    monkeypatch.setenv(key, "given")
    for known in (name, "bedrock/anthropic.claude-v2", "ollama_chat/llama3"):  # the last two have another way in
        assert chat_model(ModelSettings(name=known))
    with pytest.raises(KeyMissing, match="nobody-knows-it is no model that LiteLLM knows: name it with its provider"):
        chat_model(ModelSettings(name="nobody-knows-it", api_base="http://127.0.0.1:1/v1"))


@pytest.mark.req("P13")
@pytest.mark.parametrize(
    ("name", "holds"),
    [
        ("openai/gpt-4o-mini", 128_000),
        ("anthropic/claude-sonnet-4-5", 200_000),
        ("ollama_chat/nobody-knows-it", 4096),
        ("openai/nobody-knows-it", None),
    ],
)
def test_what_a_model_holds_comes_from_litellm_unless_it_is_set(
    name: str, holds: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for key in KEYS.values():
        monkeypatch.setenv(key, "given")
    known = chat_model(ModelSettings(name=name))
    told = chat_model(ModelSettings(name=name, context_tokens=5000))
    assert (known.profile or {}).get("max_input_tokens") == holds
    assert (told.profile or {}).get("max_input_tokens") == 5000


async def test_a_server_of_ones_own_needs_no_key(provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    provider.script = [says("Hello.")]
    local = ModelSettings(name="openai/local", api_base=provider.base, context_tokens=8192)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    asked = ModelCaller(chat_model(local), local, MemoryRecordStore(), MemoryArtifactStore())
    assert (await asked.text(context(), "generate", PROMPT)).value == "Hello."


@pytest.mark.req("P13")
async def test_ollama_is_told_how_much_it_has_to_hold(provider: Provider) -> None:
    said = {"role": "assistant", "content": "Hello."}
    body = {"model": "m", "message": said, "done": True, "prompt_eval_count": 7, "eval_count": 3}
    provider.script = [Reply(body=json.dumps(body).encode())]
    local = caller(provider, name="ollama_chat/m", context_tokens=16_384)
    assert (await local.text(context(), "generate", PROMPT)).value == "Hello."
    assert provider.requests[0]["options"]["num_ctx"] == 16_384


async def ignore(_tokens: str) -> None:
    return None


async def test_who_makes_a_model_hears_of_other_things_meanwhile(provider: Provider) -> None:
    heard = asyncio.Event()
    asyncio.get_running_loop().call_soon(heard.set)
    await open_chat_model(ModelSettings(name="openai/gpt-4o", api_base=provider.base))
    assert heard.is_set()


async def test_tokens_are_counted_by_the_vocabulary_of_litellm(provider: Provider) -> None:
    model = await open_chat_model(ModelSettings(name="openai/gpt-4o", api_base=provider.base))
    import litellm

    text = "Zwölf Öfen 🙂 <|endoftext|> cost 3.5 M€."
    assert model.get_token_ids(text) == litellm.encode(model="gpt-3.5-turbo", text=text)


@pytest.mark.full
def test_a_model_is_made_without_a_word_to_the_network(provider: Provider) -> None:
    code = (
        "import socket; socket.getaddrinfo = socket.socket.connect = lambda *a: 1 / 0\n"
        "from stemma_models import ModelSettings, chat_model\n"
        f"chat_model(ModelSettings(name='openai/local', api_base='{provider.base}'))"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
