"""Streams of providers over real HTTP: their deltas are joined below LiteLLM, and nothing is lost or changed by it."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Iterator
from itertools import count
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from stemma_models import Meter, ModelSettings, ModelUnavailableError, chat_model, listening
from stemma_models.client import ModelClient
from stemma_models.listening import LISTENER, Listener
from stemma_models.records import Request
from stemma_testkit.provider import Provider, Reply, says
from stemma_testkit.provider import provider as scripted_provider

pytestmark = pytest.mark.xdist_group("litellm")

PROMPT = (HumanMessage("Write."),)
HEAD = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
USAGE = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}


@pytest.fixture
def provider() -> Iterator[Provider]:
    with scripted_provider() as running:
        yield running


def model(base: str, **settings: Any) -> ModelClient:
    for name in ("OPENAI", "ANTHROPIC", "GEMINI"):
        os.environ[f"{name}_API_KEY"] = "test-key"
    chosen = ModelSettings(api_base=base, **{"name": "openai/gpt-4o-mini", "backoff": 0.001, "retries": 0, **settings})
    return ModelClient(chat_model(chosen), chosen)


class Hearing:
    """A listener that hears everything, or one that is not there."""

    def __init__(self, *, there: bool = True) -> None:
        self.there = there
        self.pieces: list[str] = []
        self.begun = asyncio.Event()

    async def __call__(self, text: str) -> bool:
        self.pieces.append(text)
        self.begun.set()
        return self.there

    @property
    def text(self) -> str:
        return "".join(self.pieces)


async def ask(client: ModelClient, heard: Hearing) -> Any:
    request = Request({}, PROMPT, [], None)
    answer, usage = await client.call(request, Meter(), heard)
    return answer, usage


def lines(*documents: dict[str, Any] | str) -> Reply:
    return Reply(
        body=b"".join(
            b"data: " + (told if isinstance(told, str) else json.dumps(told)).encode() + b"\n\n" for told in documents
        )
    )


def chunk(reason: str | None = None, **delta: Any) -> dict[str, Any]:
    return {**HEAD, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}


CALL = [{"index": 0, "id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}]
THREE = {**HEAD, "choices": [{"index": 0, "delta": {"content": "three "}, "finish_reason": None}], "citations": ["x"]}
MIXED = lines(
    chunk(role="assistant", content="one "), chunk(content="two "), THREE, chunk(content="four "),
    chunk(reasoning_content="Hm."), chunk(content="five "), chunk(tool_calls=CALL, content="six "),
    chunk(content="seven "), chunk("stop", content="eight"), {**HEAD, "choices": [], "usage": USAGE}, "[DONE]",
)  # fmt: skip


@pytest.mark.parametrize("there", [True, False])
async def test_text_is_told_once_and_in_its_order_whatever_else_its_events_carry(
    provider: Provider, there: bool
) -> None:
    provider.script = [MIXED]
    heard = Hearing(there=there)
    answer, usage = await ask(model(provider.base), heard)
    assert (heard.text, answer.text) == ("one two three four five six seven eight",) * 2
    assert [call["name"] for call in answer.tool_calls] == ["look"]
    assert (usage.input_tokens, usage.output_tokens) == (7, 3)


ANTHROPIC: tuple[dict[str, Any], ...] = (
    {"type": "message_start", "message": {"id": "1", "usage": {"input_tokens": 7, "output_tokens": 1}}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    *({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": t}} for t in ("a ", "b ")),
    {"type": "ping"},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "c"}},
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 3}},
    {"type": "message_stop"},
)


def said(text: str, **more: Any) -> dict[str, Any]:
    tokens = {"promptTokenCount": 7, "candidatesTokenCount": 3, "totalTokenCount": 10}
    candidate = {"content": {"parts": [{"text": text}], "role": "model"}, **more}
    return {"candidates": [candidate], "usageMetadata": tokens}


OLLAMA = b"".join(
    json.dumps({"model": "m", "message": {"role": "assistant", "content": text}, "done": done, **more}).encode() + b"\n"
    for text, done, more in (
        ("a ", False, {}),
        ("b ", False, {}),
        ("c", True, {"done_reason": "stop", "prompt_eval_count": 7, "eval_count": 3}),
    )
)
PROTOCOLS = {
    "anthropic/claude-sonnet-4-5": lines(*ANTHROPIC),
    "gemini/gemini-2.5-flash": lines(said("a "), said("b "), said("c", finishReason="STOP")),
    "ollama_chat/llama3": Reply(body=OLLAMA),
}


@pytest.mark.parametrize("name", PROTOCOLS)
async def test_other_protocols_are_told_and_counted_as_they_are(provider: Provider, name: str) -> None:
    provider.script = [PROTOCOLS[name]]
    heard = Hearing()
    answer, usage = await ask(model(provider.base, name=name), heard)
    assert (heard.text, answer.text) == ("a b c", "a b c")
    assert (usage.input_tokens, usage.output_tokens) == (7, 3)


async def test_an_error_in_the_middle_of_a_stream_is_an_error_of_the_provider(provider: Provider) -> None:
    broken = {"error": {"message": "overloaded", "type": "server_error", "code": 500}}
    provider.script = [lines(chunk(content="half a "), chunk(content="sentence"), broken), says("whole")]
    answer, usage = await ask(model(provider.base, retries=1), Hearing())
    assert (answer.text, usage.calls) == ("whole", 2)


async def test_what_fails_in_a_listener_is_not_taken_for_a_fault_of_the_provider(provider: Provider) -> None:
    provider.script = [says("one two three")]

    async def failing(_: str) -> None:
        raise LookupError

    with pytest.raises(LookupError):
        await ask(model(provider.base, retries=3), failing)  # type: ignore[arg-type]
    assert len(provider.requests) == 1


class Reads(Listener):
    """Counts how often the socket was read."""

    reads = 0

    async def hear(self, text: str) -> None:
        self.reads += 1
        await super().hear(text)


async def test_who_does_not_listen_is_asked_with_each_read_that_comes_after_about_a_second(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seconds = iter([0.0, 0.0, 0.0, 0.5, 0.95, 0.95])
    monkeypatch.setattr(listening, "_now", lambda: next(seconds))
    heard = Hearing(there=False)
    listener = Listener(heard)
    for text in "abc":
        await listener.hear(text)
    assert heard.pieces == ["a", "bc"]


async def streamed(base: str, listener: Listener) -> int:
    """Into how many chunks LiteLLM parses a stream."""
    parsed = 0
    LISTENER.set(listener)
    async for _ in chat_model(ModelSettings(name="openai/gpt-4o-mini", api_base=base)).astream(list(PROMPT)):
        parsed += 1
    return parsed


async def test_litellm_parses_a_handful_of_chunks_however_many_tokens_come(provider: Provider) -> None:
    """Fails if LiteLLM asks providers by another transport than the one that is wrapped."""
    provider.script = [says("word " * 500)]
    assert await streamed(provider.base, Listener(Hearing())) < 10


async def test_a_stream_is_read_a_few_times_a_second_however_often_a_token_comes(provider: Provider) -> None:
    """Fails if the socket below LiteLLM, which is left alone meanwhile, is found no more where it was.

    Nobody listens, so that it is read the less often the slower the machine is.
    """
    provider.script = [Reply({"content": "word " * 100}, pause_s=0.005)]
    listener = Reads(Hearing(there=False))
    await streamed(provider.base, listener)
    assert listener.reads < 50


async def test_a_call_that_is_cancelled_leaves_its_provider_at_once() -> None:
    left = asyncio.Event()

    async def endless(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n")
        ended = asyncio.create_task(reader.read())
        async for event in _words(ended):
            writer.write(event)
        left.set()
        writer.close()

    async with await asyncio.start_server(endless, "127.0.0.1", 0) as server:
        heard = Hearing()
        base = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        asking = asyncio.create_task(ask(model(base), heard))
        async with asyncio.timeout(60):
            await heard.begun.wait()
            asking.cancel()
            await asyncio.wait([asking])
            await left.wait()
    assert asking.cancelled()


async def _words(ended: asyncio.Task[bytes]) -> AsyncIterator[bytes]:
    for number in count():
        yield b"data: " + json.dumps(chunk(content=f"{number} ")).encode() + b"\n\n"
        done, _ = await asyncio.wait([ended], timeout=0.01)
        if done:
            return


async def test_a_stream_that_was_cut_with_pieces_held_back_is_no_answer(provider: Provider) -> None:
    provider.script = [Reply({"content": "one two three four"}, cut=True)]
    with pytest.raises(ModelUnavailableError):
        await ask(model(provider.base), Hearing())


FIRST_CALL = """
import asyncio, sys
from langchain_core.messages import HumanMessage
from stemma_models import ModelSettings, open_chat_model
from stemma_models.listening import LISTENER, Listener

async def hear(_):
    pass

async def main():
    model = await open_chat_model(ModelSettings(name="openai/gpt-4o-mini", api_base=sys.argv[1]))
    known = set(sys.modules)
    LISTENER.set(Listener(hear))
    async for _ in model.astream([HumanMessage("Write.")]):
        pass
    print(len(set(sys.modules) - known), sum("default_encoding" in name for name in sys.modules))

asyncio.run(main())
"""


async def test_the_first_call_of_an_opened_model_imports_next_to_nothing_and_no_vocabulary(provider: Provider) -> None:
    """It did half a thousand modules, while nothing else of its service was answered."""
    provider.script = [says("Hello.")]
    told = {"OPENAI_API_KEY": "test-key", **os.environ}
    command = sys.executable, "-c", FIRST_CALL, provider.base
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE, env=told)
    printed, _ = await process.communicate()
    imported, vocabularies = map(int, printed.split())
    assert imported < 60
    assert vocabularies == 0
