"""Streams of providers over real HTTP: asked for while somebody listens, told once, taken only if they are whole."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator
from itertools import count
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from stemma_models import Meter, ModelSettings, chat_model
from stemma_models.client import PIECE_CHARS, ModelClient
from stemma_models.records import Request
from stemma_testkit.provider import Provider, Reply, says

PROMPT = (HumanMessage("Write."),)
HEAD = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
USAGE = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}


def model(base: str, **settings: Any) -> ModelClient:
    for name in ("OPENAI", "ANTHROPIC", "GEMINI"):
        os.environ[f"{name}_API_KEY"] = "test-key"
    chosen = ModelSettings(api_base=base, **{"name": "openai/gpt-4o-mini", "backoff": 0.001, "retries": 0, **settings})
    return ModelClient(chat_model(chosen), chosen)


class Hearing:
    """A listener, or one that is not there."""

    def __init__(self, *, there: bool = True) -> None:
        self.there = there
        self.pieces: list[str] = []
        self.begun = asyncio.Event()

    async def __call__(self, text: str) -> bool:
        if text:
            self.pieces.append(text)
            self.begun.set()
        return self.there

    @property
    def text(self) -> str:
        return "".join(self.pieces)


async def ask(client: ModelClient, heard: Hearing, opens_with: tuple[str, ...] = ()) -> Any:
    return await client.call(Request({}, PROMPT, [], None), Meter(), heard, opens_with)


def lines(*documents: dict[str, Any] | str) -> Reply:
    return Reply(
        body=b"".join(
            b"data: " + (told if isinstance(told, str) else json.dumps(told)).encode() + b"\n\n" for told in documents
        )
    )


def chunk(reason: str | None = None, **delta: Any) -> dict[str, Any]:
    return {**HEAD, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}


@pytest.mark.req("E4", "M3")
@pytest.mark.parametrize("there", [True, False])
async def test_an_answer_is_streamed_only_while_somebody_listens_and_its_limits_and_counts_are_read(
    provider: Provider, there: bool
) -> None:
    told, less = {"x-ratelimit-remaining-requests": "2"}, {name: -count for name, count in USAGE.items()}
    text = "one two three" if there else "word " * PIECE_CHARS
    provider.script = [Reply({"content": text}, usage=less, headers=told)]
    client, heard = model(provider.base), Hearing(there=there)
    answer, usage = await ask(client, heard)
    assert bool(provider.requests[0].get("stream")) is there
    assert heard.text == answer.text == text
    assert max(map(len, heard.pieces)) <= PIECE_CHARS, "a message of the bus has a limit"
    assert (await client.pace()).allowed == 2
    assert (usage.input_tokens, usage.output_tokens) == (0, 0), "less than nothing counts as nothing"


CALL = [{"index": 0, "id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}]
THREE = {**HEAD, "choices": [{"index": 0, "delta": {"content": "three "}, "finish_reason": None}], "citations": ["x"]}
MIXED = lines(
    chunk(role="assistant", content="one "), chunk(content="two "), THREE, chunk(content="four "),
    chunk(reasoning_content="Hm."), chunk(content="five "), chunk(tool_calls=CALL, content="six "),
    chunk(content="seven "), chunk("stop", content="eight"), {**HEAD, "choices": [], "usage": USAGE}, "[DONE]",
)  # fmt: skip


async def test_text_is_told_once_and_in_its_order_whatever_else_its_events_carry(provider: Provider) -> None:
    provider.script = [MIXED]
    heard = Hearing()
    answer, usage = await ask(model(provider.base), heard)
    assert (heard.text, answer.text) == ("one two three four five six seven eight",) * 2
    assert [call["name"] for call in answer.tool_calls] == ["look"]
    assert (usage.input_tokens, usage.output_tokens) == (7, 3)


PRICED = {**USAGE, "prompt_tokens": 7000, "prompt_tokens_details": {"cached_tokens": 4000}}
PRICES = [("default", False, 0.000856), ("flex", True, 0.000428), ("priority", False, 0.001541)]


@pytest.mark.parametrize(("tier", "there", "price"), PRICES)
async def test_an_answer_costs_what_its_tier_of_service_does(
    provider: Provider, tier: str, there: bool, price: float
) -> None:
    told = {**HEAD, "service_tier": tier}
    first = {**told, "choices": [{"index": 0, "delta": {"content": "Yes."}, "finish_reason": "stop"}]}
    message = {"index": 0, "message": {"role": "assistant", "content": "Yes."}, "finish_reason": "stop"}
    whole = {**told, "object": "chat.completion", "choices": [message], "usage": PRICED}
    streamed = lines(first, {**told, "choices": [], "usage": PRICED}, "[DONE]")
    provider.script = [streamed if there else Reply(body=json.dumps(whole).encode())]
    _, usage = await ask(model(provider.base, name="openai/gpt-5-mini"), Hearing(there=there))
    assert (round(usage.cost, 6), usage.cached_tokens) == (price, 4000)


@pytest.mark.req("M6")
async def test_what_comes_of_no_stream_is_asked_for_in_one_piece(provider: Provider) -> None:
    """A server that does not stream, and a refusal, which LiteLLM drops from a stream."""
    whole = {"index": 0, "message": {"role": "assistant", "content": "whole"}, "finish_reason": "stop"}
    unstreamed = Reply(body=json.dumps({**HEAD, "object": "chat.completion", "choices": [whole]}).encode())
    refused = lines(chunk(refusal="I will "), chunk(refusal="not."), chunk("stop"), "[DONE]")
    for first in (unstreamed, refused):
        provider.script = [first, says("whole")]
        heard = Hearing()
        answer, usage = await ask(model(provider.base, retries=1), heard)
        assert (answer.text, heard.text, usage.calls) == ("whole", "whole", 2)
    assert [bool(request.get("stream")) for request in provider.requests] == [True, False] * 2


async def test_what_fails_in_a_listener_is_not_taken_for_a_fault_of_the_provider(provider: Provider) -> None:
    provider.script = [says("one two three")]

    async def failing(text: str) -> None:
        if text:
            raise LookupError

    with pytest.raises(LookupError):
        await ask(model(provider.base, retries=3), failing)  # type: ignore[arg-type]
    assert len(provider.requests) == 1


async def test_a_call_that_is_cancelled_leaves_its_provider_at_once() -> None:
    left = asyncio.Event()

    async def endless(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if (await reader.readuntil(b"\r\n\r\n")).startswith(b"GET"):
            writer.close()
            return
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
