"""An answer that the transport makes of its stream is the one that LiteLLM makes of it."""

from __future__ import annotations

import asyncio
import json
import os
import socket
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import HumanMessage
from stemma_artifacts.store import MemoryArtifactStore
from stemma_contracts.v1.usage import Usage
from stemma_models import (
    CallContext,
    MalformedAnswerError,
    MemoryRecordStore,
    Meter,
    ModelCaller,
    ModelSettings,
    ModelUnavailableError,
    chat_model,
)
from stemma_models.caller import _refusal
from stemma_models.client import ModelClient
from stemma_models.records import Request
from stemma_models.transport import WAKING_BYTES, Rest, together
from stemma_testkit.provider import Provider, Reply, says
from stemma_testkit.provider import provider as scripted_provider

pytestmark = pytest.mark.xdist_group("litellm")

HEAD = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
USAGE = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
ASKED = Request({}, (HumanMessage("Write."),), [], None)


def event(document: object) -> bytes:
    return b"data: " + json.dumps(document).encode() + b"\n\n"


def chunk(reason: str | None = None, **delta: Any) -> bytes:
    return event({**HEAD, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})


def call(index: int, **piece: Any) -> dict[str, Any]:
    name = {"name": piece.pop("name")} if "name" in piece else {}
    return {"index": index, "function": {**name, "arguments": piece.pop("arguments", "")}, **piece}


WORDS = st.text(st.sampled_from('aé😀 "\\\n<>'), min_size=1, max_size=6)
SAID = st.one_of(
    WORDS.map(lambda text: chunk(content=text)),
    WORDS.map(lambda text: chunk(role="assistant", content=text)),
    WORDS.map(lambda text: chunk(reasoning_content=text)),
    WORDS.map(lambda text: chunk(content=text, citations=["x"])),
    st.just(b": ping\n\n"),
)
CALLED = st.lists(st.sampled_from(['{"a"', ": 1}", "{}"]), max_size=3).map(
    lambda arguments: b"".join(
        (
            chunk(tool_calls=[call(0, id="c1", type="function", name="look")]),
            *(chunk(tool_calls=[call(0, arguments=piece)]) for piece in arguments),
            chunk(tool_calls=[call(1, id="c2", type="function", name="add", arguments="{}")]),
        )
    )
)
REASON = st.sampled_from([None, "stop", "length", "content_filter", "tool_calls", "error"])
COST = event({**HEAD, "choices": [], "usage": USAGE})
DONE = b"data: [DONE]\n\n"
FAILED = event({"error": {"message": "overloaded", "type": "server_error", "code": 503}})
STREAMS = st.builds(
    lambda said, called, reason, end: b"".join((chunk(role="assistant"), *said, *called, chunk(reason), *end)),
    st.lists(SAID, max_size=6),
    st.one_of(st.just(()), CALLED.map(lambda called: (called, COST))),
    REASON,
    st.sampled_from([(COST, DONE), (DONE,), (), (FAILED,), (b"data: {broken\n\n",)]),
)


class Asking:
    """Asks one provider in two ways for the same stream."""

    def __init__(self, provider: Provider, name: str = "openai/gpt-4o-mini") -> None:
        os.environ["OPENAI_API_KEY"] = "test-key"
        self.provider = provider
        self.chosen = ModelSettings(name=name, api_base=provider.base, backoff=0.001, retries=0)
        self.clients = self.client(completes=False), self.client(completes=True)

    def client(self, *, completes: bool) -> ModelClient:
        model: Any = chat_model(self.chosen)
        model.client._completes = completes
        return ModelClient(model, self.chosen)

    async def ask(self, client: ModelClient) -> tuple[object, ...]:
        heard: list[str] = []

        async def hear(text: str) -> bool:
            heard.append(text)
            return False

        meter = Meter()
        try:
            answer, usage = await client.call(ASKED, meter, hear)
        except ModelUnavailableError:
            return "failed", meter.total.calls
        reason = answer.response_metadata.get("finish_reason")
        told = answer.text, answer.tool_calls, answer.invalid_tool_calls, reason
        return *told, usage.model_copy(update={"cost": round(usage.cost, 9)}), "".join(heard)

    async def both(self, reply: Reply) -> list[tuple[object, ...]]:
        self.provider.script = [reply] * 2
        return [await self.ask(client) for client in self.clients]


@pytest.fixture
def provider() -> Iterator[Provider]:
    with scripted_provider() as running:
        yield running


def test_whatever_a_stream_says_its_answer_is_the_same_as_if_litellm_had_parsed_it(provider: Provider) -> None:
    asking = Asking(provider)
    with asyncio.Runner() as runner:

        @settings(max_examples=20, derandomize=True)
        @given(STREAMS)
        def agree(stream: bytes) -> None:
            parsed, completed = runner.run(asking.both(Reply(body=stream)))
            assert completed == parsed

        agree()


async def asked(provider: Provider, *script: Reply) -> tuple[object, ...]:
    provider.script = list(script)
    asking = Asking(provider)
    return await asking.ask(asking.clients[1])


async def test_a_provider_is_asked_for_a_stream_and_for_what_it_costs(provider: Provider) -> None:
    await asked(provider, says("one two"))
    [request] = provider.requests
    assert (request["stream"], request["stream_options"]) == (True, {"include_usage": True})


@pytest.mark.parametrize("reason", ["stop", "length", "content_filter", "eos"])
async def test_an_answer_of_words_alone_ends_and_costs_as_litellm_says(provider: Provider, reason: str) -> None:
    usage = event({**HEAD, "choices": [], "usage": {**USAGE, "prompt_tokens_details": {"cached_tokens": 4}}})
    stream = chunk(content="one two") + chunk(reason) + usage + DONE
    parsed, completed = await Asking(provider).both(Reply(body=stream))
    assert completed == parsed


async def test_a_stream_that_breaks_off_behind_its_words_and_what_they_took_has_failed(provider: Provider) -> None:
    whole = chunk(content="one two") + chunk("stop") + event({**HEAD, "choices": [], "usage": USAGE})
    assert await asked(provider, Reply(body=whole + b": " + b"x" * len(whole) + b"\n\n" + DONE, cut=True)) == (
        "failed",
        1,
    )


async def test_litellm_is_asked_again_for_what_is_more_than_words_and_its_provider_is_not(provider: Provider) -> None:
    stream = chunk(reasoning_content="Hm.") + chunk(content="Yes.") + chunk("stop") + DONE
    text, *_ = await asked(provider, Reply(body=stream))
    assert (text, len(provider.requests)) == ("Yes.", 1)


WHOLE: list[dict[str, Any]] = [
    {"content": "one two"},
    {"content": "one two", "refusal": None, "annotations": []},
    {"content": "Yes.", "reasoning_content": "Hm."},
    {"content": "<think>Hm.</think>Yes."},
    {"content": None, "refusal": "No."},
    {"content": "", "tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
    {"content": None},
]


@pytest.mark.parametrize("reason", ["stop", "length", "content_filter", "eos", "error", None])
@pytest.mark.parametrize("message", WHOLE)
async def test_an_answer_in_one_piece_is_what_litellm_makes_of_it(
    provider: Provider, message: dict[str, Any], reason: str | None
) -> None:
    choice = {"index": 0, "finish_reason": reason, "message": {"role": "assistant", **message}}
    usage = {**USAGE, "prompt_tokens_details": {"cached_tokens": 4}}
    reply = Reply(body=json.dumps({**HEAD, "object": "chat.completion", "choices": [choice], "usage": usage}).encode())
    provider.script = [reply] * 2
    by_litellm, ours = [await in_one_piece(client) for client in Asking(provider).clients]
    assert (ours, len(provider.requests)) == (by_litellm, 2)


PRICED = {**USAGE, "prompt_tokens": 7000, "prompt_tokens_details": {"cached_tokens": 4000}}


@pytest.mark.parametrize("tier", ["default", "flex", "priority"])
async def test_an_answer_costs_what_its_tier_of_service_does_streamed_or_in_one_piece(
    provider: Provider, tier: str
) -> None:
    asking = Asking(provider, "openai/gpt-5-mini")
    told: dict[str, Any] = {**HEAD, "service_tier": tier}
    usage = event({**told, "choices": [], "usage": PRICED})
    first = event({**told, "choices": [{"index": 0, "delta": {"content": "Yes."}, "finish_reason": "stop"}]})
    parsed, completed = await asking.both(Reply(body=first + usage + DONE))
    assert completed == parsed
    provider.script = [Reply(body=in_words(**told, usage=PRICED))] * 2
    by_litellm, ours = [await in_one_piece(client) for client in asking.clients]
    assert ours == by_litellm


async def test_a_cost_that_a_stream_states_is_what_its_answer_cost(provider: Provider) -> None:
    usage = event({**HEAD, "choices": [], "usage": {**USAGE, "cost": 0.5}})
    parsed, completed = await Asking(provider).both(Reply(body=chunk("stop", content="Yes.") + usage + DONE))
    assert completed == parsed


async def test_an_answer_in_one_piece_whose_model_gave_up_has_failed_whatever_its_gateway_calls_that(
    provider: Provider,
) -> None:
    provider.script = [Reply(body=in_words(native_finish_reason="error"))]
    assert await in_one_piece(Asking(provider).clients[1]) == ("failed", "IncompleteAnswerError")


def in_words(native_finish_reason: str | None = None, **told: Any) -> bytes:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Yes."}}
    choice["native_finish_reason"] = native_finish_reason
    return json.dumps({**HEAD, "object": "chat.completion", "choices": [choice], "usage": USAGE, **told}).encode()


async def in_one_piece(client: ModelClient) -> tuple[object, ...]:
    try:
        answer, usage = await client.call(ASKED, Meter(), None)
    except ModelUnavailableError as failed:
        return ("failed", failed.detail)
    return answer.text, answer.tool_calls, _refusal(answer), answer.response_metadata, usage


async def test_what_a_model_thinks_aloud_stays_in_its_answer_as_it_was_heard(provider: Provider) -> None:
    text, *_, heard = await asked(provider, says("<think>Hm.</think>Yes."))
    assert (text, heard) == ("<think>Hm.</think>Yes.",) * 2


async def test_an_answer_of_a_provider_that_does_not_stream_is_taken_and_heard_once(provider: Provider) -> None:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "whole"}}
    whole = {**HEAD, "object": "chat.completion", "choices": [choice], "usage": USAGE}
    text, *_, usage, heard = await asked(provider, Reply(body=json.dumps(whole).encode()))
    assert (text, heard, usage) == ("whole", "whole", Usage(calls=1, input_tokens=7, output_tokens=3, cost=2.85e-06))


@pytest.mark.req("P13")
async def test_a_refusal_in_a_stream_is_told_as_one(provider: Provider) -> None:
    provider.script = [Reply(body=chunk(refusal="I will ") + chunk(refusal="not.") + chunk("stop") + DONE)] * 3
    chosen = Asking(provider).chosen
    caller = ModelCaller(chat_model(chosen), chosen, MemoryRecordStore(), MemoryArtifactStore())
    with pytest.raises(MalformedAnswerError, match="the model refused"):
        await caller.text(CallContext("default", "doc", "research", "job"), "generate", ASKED.messages, on_token=ignore)


async def ignore(_: str) -> None:
    return None


class Connected:
    """What aiohttp says of a response whose connection has this socket."""

    def __init__(self, end: socket.socket) -> None:
        self.connection = self.transport = self
        self._end = end

    def get_extra_info(self, name: str) -> socket.socket:
        assert name == "socket"
        return self._end


async def test_a_socket_wakes_for_little_again_when_its_rest_is_over_or_ended() -> None:
    with socket.socket() as end:
        rest = Rest(Connected(end), longest_s=60.0)
        for seconds in (30.0, 0.0):
            rest.begin(seconds)
            assert mark(end) == WAKING_BYTES
            if seconds:
                rest.end()
            async with asyncio.timeout(60):
                while mark(end) > 1:
                    await asyncio.sleep(0)


async def test_a_rest_is_shorter_than_the_silence_after_which_a_provider_is_left() -> None:
    with socket.socket() as end:
        rest = Rest(Connected(end), longest_s=0.0)
        rest.begin(30.0)
        async with asyncio.timeout(10):
            while mark(end) > 1:
                await asyncio.sleep(0)


def mark(end: socket.socket) -> int:
    return end.getsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT)


@pytest.mark.parametrize(("now", "rest_s", "end"), [(7.04, 0.05, 7.09), (7.04, 0.3, 7.3), (7.3, 1.0, 8.3)])
def test_long_rests_of_many_streams_end_together(now: float, rest_s: float, end: float) -> None:
    assert together(now, rest_s) == pytest.approx(end)
