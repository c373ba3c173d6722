"""What servers of models were reported to answer in other projects: read right, or named right, and never taken wrong.

Over real HTTP. Each case stands for its kind; the reports are named beside it.
"""

from __future__ import annotations

import json
import os
import time
from email.utils import formatdate
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from pydantic import BaseModel
from stemma_artifacts.store import MemoryArtifactStore
from stemma_models import (
    CallContext,
    ContextTooLongError,
    MalformedAnswerError,
    MemoryRecordStore,
    ModelCaller,
    ModelSettings,
    ModelUnavailableError,
    chat_model,
)
from stemma_models.client import Listener
from stemma_models.errors import LONGEST_WAIT_S, Wait
from stemma_models.thoughts import without_thoughts, words_so_far
from stemma_testkit.provider import Provider, Reply, says
from tenacity import Future, RetryCallState

pytestmark = pytest.mark.req("M6")

PROMPT = [HumanMessage("Write.")]
OPENS_WITH = ("#", "```")
SECRET = "SECRET the user wants a section.\n"
SECTION = "# The lawn\n\nThe lawn belongs to the town.\n"
HEAD = {"id": "c", "object": "chat.completion", "created": 1, "model": "m"}
USAGE = {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}


class Score(BaseModel):
    scores: dict[str, float]
    feedback: str


def caller(provider: Provider, **settings: Any) -> ModelCaller:
    os.environ["OPENAI_API_KEY"] = "test-key"
    chosen = ModelSettings(**{"name": "openai/local", "api_base": provider.base, "backoff": 0.001, **settings})
    return ModelCaller(chat_model(chosen), chosen, MemoryRecordStore(), MemoryArtifactStore())


class Told:
    """A follower, or one that is not there."""

    def __init__(self, there: bool) -> None:
        self.there, self.text = there, ""

    async def __call__(self, text: str) -> bool:
        self.text += text
        return self.there


async def text(provider: Provider, told: Told, **settings: Any) -> str:
    context = CallContext("default", "doc", "lawn", "job")
    answer = await caller(provider, **settings).text(context, "generate", PROMPT, on_token=told, opens_with=OPENS_WITH)
    return answer.value


def whole(message: dict[str, Any], reason: str = "stop") -> Reply:
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": reason}
    return Reply(body=json.dumps({**HEAD, "choices": [choice], "usage": USAGE}).encode())


def chunk(delta: dict[str, Any] | None, reason: str | None = None) -> dict[str, Any]:
    return {
        **HEAD,
        "object": "chat.completion.chunk",
        "choices": [{"index": 0, "delta": delta, "finish_reason": reason}],
    }


def stream(*events: dict[str, Any] | bytes) -> Reply:
    lines = [one if isinstance(one, bytes) else b"data: " + json.dumps(one).encode() + b"\n\n" for one in events]
    return Reply(body=b"data: " + json.dumps(chunk({"role": "assistant"})).encode() + b"\n\n" + b"".join(lines))


def spoken(content: str) -> list[dict[str, Any]]:
    return [chunk({"content": content[at : at + 5]}) for at in range(0, len(content), 5)]


DONE = b"data: [DONE]\n\n"
END = (chunk({}, "stop"), {**HEAD, "object": "chat.completion.chunk", "choices": [], "usage": USAGE}, DONE)
READ = {
    "comments": stream(b": PROCESSING\n\n: PROCESSING\n\n", *spoken(SECTION), *END),
    "no delta": stream(*spoken(SECTION), chunk(None), *END),
    "no space, CRLF": Reply(
        body=b"".join(b"data:" + json.dumps(e).encode() + b"\r\n\r\n" for e in [*spoken(SECTION), *END[:2]]) + DONE
    ),
    "no usage": stream(*spoken(SECTION), chunk({}, "stop"), DONE),
    "no [DONE]": stream(*spoken(SECTION), *END[:2]),
}


@pytest.mark.parametrize("reply", READ.values(), ids=READ)
async def test_a_stream_is_read_whatever_is_odd_about_its_events(provider: Provider, reply: Reply) -> None:
    provider.script = [reply]
    told = Told(there=True)
    assert (await text(provider, told), told.text) == (SECTION, SECTION)


THOUGHTS = {
    "kiss-translator#219, home-llm#247": f"<think>\n{SECRET}</think>\n\n{SECTION}",
    "without its opening tag": f"{SECRET}</think>\n\n{SECTION}",
    "of another name": f"<thinking>{SECRET}</thinking>{SECTION}",
    "of a third one, in capitals": f"<REASONING>{SECRET}</REASONING>\n{SECTION}",
    "two": f"<think>{SECRET}</think>\n<thought>{SECRET}</thought>\n{SECTION}",
    "with code in it": f"<think>\n```\n{SECRET}</think>\n\n{SECTION}",
    "Magistral": f"[THINK]{SECRET}[/THINK]{SECTION}",
    "gpt-oss": f"<|channel|>analysis<|message|>{SECRET}<|end|><|start|>assistant<|channel|>final<|message|>{SECTION}",
    "with an attribute": f'<think duration="3">{SECRET}</think>{SECTION}',
    "named as a process": f"<thought_process>\n{SECRET}</thought_process>\n{SECTION}",
    "a heading, without its opening tag": f"# Plan\n\n{SECRET}</think>\n\n{SECTION}",
    "behind the title": f"{SECTION[:12]}<think>{SECRET}</think>{SECTION[12:]}",
}


@pytest.mark.parametrize("answer", THOUGHTS.values(), ids=THOUGHTS)
def test_no_thought_is_in_a_section_or_told_to_who_follows_it(answer: str) -> None:
    assert without_thoughts(answer, OPENS_WITH).words == SECTION
    told = (words_so_far(answer[:end], OPENS_WITH) for end in range(0, len(answer), 5))
    assert answer.startswith("#") or all(SECTION.startswith(words) for words in told)


@pytest.mark.parametrize("there", [True, False], ids=["streamed", "whole"])
async def test_a_section_is_told_without_the_thought_before_it(provider: Provider, there: bool) -> None:
    section = f"```markdown\n{SECTION}```\n"
    answer = f"<think>{SECRET}</think>{section}"
    provider.script = [stream(*spoken(answer), *END) if there else whole({"content": answer})]
    told = Told(there)
    assert (await text(provider, told), told.text.lstrip()) == (section, section)
    assert len(provider.requests) == 1


ABOUT_TAGS = {
    "in a fence": "# Tags\n\nA model thinks between `<think>` and `</think>`:\n\n```\n<think>\nHm.\n</think>\n```\n",
    "in code of two backticks": "# Tags\n\nIt ends with `` </think> `` or `a </think> b`.\n\n## Costs\n\nNone.\n",
    "in code by its indent": "# Tags\n\nIt writes:\n\n    <think>\n    Hm.\n    </think>\n\nThen it answers.\n",
    "in a sentence": "# Tags\n\nA model thinks between <think> and </think> before it answers.\n\n## Costs\n\nNone.\n",
    "a closing one in a sentence": "# Tags\n\nDelete the stray </think> there.\n\n## Costs\n\nNone.\n",
    "as an element": "# Tags\n\nIt is <reasoning>why</reasoning>, word for word.\n",
}


@pytest.mark.parametrize("answer", ABOUT_TAGS.values(), ids=ABOUT_TAGS)
def test_a_section_about_the_tags_of_thoughts_stays_whole(answer: str) -> None:
    assert without_thoughts(answer, OPENS_WITH).words == answer


async def test_a_tool_call_counts_though_the_thought_beside_it_has_no_end(provider: Provider) -> None:
    call = {"index": 0, "id": "a", "type": "function", "function": {"name": "add", "arguments": "{}"}}
    provider.script = [whole({"content": f"<think>\n{SECRET}", "tool_calls": [call]}, "tool_calls")]
    asked = await caller(provider).message(CallContext("default", "d", "s", "j"), "step", PROMPT, [Score])
    assert [call["name"] for call in asked.value.tool_calls] == ["add"]
    assert len(provider.requests) == 1


ALONE = {
    "vllm#48863, lmstudio#1698: the words are a thought": whole({"content": None, "reasoning_content": SECTION}),
    "no closing tag": whole({"content": f"<think>\n{SECRET}"}),
    "nothing behind it": whole({"content": f"<think>\n{SECRET}</think>\n"}),
    "one that begins in the section": whole({"content": f"{SECTION}\n<think>{SECRET}"}),
}


@pytest.mark.parametrize("reply", ALONE.values(), ids=ALONE)
async def test_thoughts_without_an_answer_are_asked_again_and_named(provider: Provider, reply: Reply) -> None:
    provider.script = [reply, says(SECTION)]
    assert await text(provider, Told(there=False)) == SECTION
    assert "behind your thoughts" in provider.requests[1]["messages"][-1]["content"]
    provider.script = [reply] * 3
    with pytest.raises(MalformedAnswerError, match="thoughts without an answer"):
        await text(provider, Told(there=False))
    cut, told = stream(*spoken(f"<think>{SECRET}"), chunk({}, "length"), *END[1:]), Told(there=True)
    provider.script = [cut] * 3
    with pytest.raises(MalformedAnswerError, match="cut at the token limit while it was thinking"):
        await text(provider, told)
    assert told.text == ""


PARTS = [{"type": "thinking", "thinking": [{"type": "text", "text": SECRET}]}, {"type": "text", "text": SECTION}]


async def test_an_answer_of_parts_is_paid_once_and_told_with_what_to_do(provider: Provider) -> None:
    """hermes-agent#4748, livekit/agents#6324: LiteLLM reads it for the provider's own name alone."""
    provider.script = [whole({"content": PARTS})]
    with pytest.raises(ModelUnavailableError, match="name the model by its own provider"):
        await text(provider, Told(there=False))
    provider.script = [stream(chunk({"content": PARTS[1:]}), *END), whole({"content": PARTS})]
    with pytest.raises(ModelUnavailableError, match="such as lists of parts"):
        await text(provider, Told(there=True))
    assert len(provider.requests) == 3


@pytest.mark.parametrize("ids", [("a", "b"), ("a", "a"), ("", "")])
async def test_two_tool_calls_at_one_index_are_two(provider: Provider, ids: tuple[str, str]) -> None:
    calls = [
        {"index": 0, "id": name, "type": "function", "function": {"name": tool, "arguments": "{}"}}
        for name, tool in zip(ids, ("look", "add"), strict=True)
    ]
    provider.script = [whole({"content": None, "tool_calls": calls}, "tool_calls")]
    asked = await caller(provider).message(CallContext("default", "d", "s", "j"), "step", PROMPT, [Score])
    assert [call["name"] for call in asked.value.tool_calls] == ["look", "add"]
    assert len({call["id"] for call in asked.value.tool_calls} - {""}) == 2


def refused(status: int, **error: Any) -> Reply:
    return Reply(status=status, body=json.dumps({"error": error}).encode())


FOR_GOOD = {
    "llama.cpp": (
        refused(
            400, message="the request exceeds the available context size (4096 tokens)", type="exceed_context_size"
        ),
        "holds 4096 tokens",
    ),
    "anthropic's sum": (
        refused(400, message="input length and `max_tokens` exceed context limit: 199999 + 8192 > 200000"),
        "holds 200000 tokens",
    ),
    "a proxy": (refused(413, message="Request too large"), "holds fewer"),
    "no balance": (refused(402, message="Insufficient Balance"), r"quota or credit is used up, .* raise it there"),
    "a key": (refused(401, message="Incorrect API key provided: sk-SECRET"), "check the key"),
    "a right": (refused(403, message="SECRET"), "check what the key may do"),
}


@pytest.mark.req("P13")
@pytest.mark.parametrize(("reply", "told"), FOR_GOOD.values(), ids=FOR_GOOD)
async def test_what_a_person_can_mend_is_told_after_one_call_in_whatever_words(
    provider: Provider, reply: Reply, told: str
) -> None:
    provider.script = [reply]
    with pytest.raises((ContextTooLongError, ModelUnavailableError), match=told) as failure:
        await text(provider, Told(there=False))
    assert "SECRET" not in failure.value.detail
    assert len(provider.requests) == 1


LIMITS = [
    Reply(status=429, headers={"retry-after": "0"}, body=refused(429, message="No.", code="insufficient_quota").body),
    refused(429, message="You exceeded your current quota. Please retry in 0.1s.", code="RESOURCE_EXHAUSTED"),
]


@pytest.mark.parametrize("reply", LIMITS)
async def test_a_quota_by_the_minute_is_waited_for(provider: Provider, reply: Reply) -> None:
    provider.script = [reply, says(SECTION)]
    assert await text(provider, Told(there=False)) == SECTION


class Waits(Exception):
    def __init__(self, headers: dict[str, str]) -> None:
        self.headers = headers


def wait_after(headers: dict[str, str], attempt: int = 1) -> float:
    state = RetryCallState(None, None, (), {})  # type: ignore[arg-type]
    state.attempt_number = attempt
    state.outcome = Future.construct(attempt, Waits(headers), has_exception=True)
    return Wait(ModelSettings(backoff=7.0))(state)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after-ms": "4200"}, 4.2),
        ({"retry-after-ms": "4200", "retry-after": "5"}, 4.2),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": "3600"}, LONGEST_WAIT_S),
        ({"retry-after": formatdate(time.time() + 3000, usegmt=True)}, LONGEST_WAIT_S),
        ({"retry-after": formatdate(time.time() - 3000, usegmt=True)}, 0.0),
        ({"retry-after": "soon"}, 7.0),
        ({"retry-after": "1e9"}, 7.0),
        ({"retry-after": "Sun, 99 Nov 2026 02:52:52 GMT"}, 7.0),
        ({"retry-after-ms": "-1"}, 7.0),
        ({}, 7.0),
    ],
)
def test_a_wait_is_read_in_each_of_its_forms(headers: dict[str, str], seconds: float) -> None:
    assert wait_after(headers) == seconds


def test_a_wait_of_our_own_doubles_up_to_a_minute() -> None:
    assert 1 < wait_after({"retry-after": formatdate(time.time() + 50, usegmt=True)}) <= 50
    assert [wait_after({}, attempt) for attempt in (1, 2, 3, 30)] == [7, 14, 28, LONGEST_WAIT_S]


SENT_AGAIN = {
    "an error in a stream": stream(
        *spoken("# T"), {"error": {"message": "Provider returned error", "code": 502}}, DONE
    ),
    "a gateway": Reply(status=502, body=b"<html><h1>502 Bad Gateway</h1></html>"),
    "claude-code#23049": refused(529, message="Overloaded", type="overloaded_error"),
}


@pytest.mark.parametrize("reply", SENT_AGAIN.values(), ids=SENT_AGAIN)
async def test_what_is_no_answer_is_asked_again(provider: Provider, reply: Reply) -> None:
    provider.script = [reply, says(SECTION)]
    assert await text(provider, Told(there=True)) == SECTION


async def test_a_model_that_repeats_itself_without_end_is_paid_once_and_told_as_that(provider: Provider) -> None:
    white = [chunk({"content": "\n   "})] * 400
    provider.script = [stream(*white, chunk({}, "length"), DONE)] * 5
    with pytest.raises(ModelUnavailableError, match="repeated itself without end") as failed:
        await text(provider, Told(there=True))
    assert failed.value.usage.calls == 1


BEGUN, REST = "# The lawn\n\nThe town has one lawn. The lawn", " belongs to the town.\n"


@pytest.mark.parametrize(("rest", "there"), [(REST, True), (BEGUN + REST, False)], ids=["the rest", "all of it"])
async def test_an_answer_that_was_cut_is_gone_on_with_where_the_provider_can(
    provider: Provider, rest: str, there: bool
) -> None:
    os.environ["MISTRAL_API_KEY"] = "test-key"
    provider.script = [says(BEGUN, "length"), says(rest)]
    told = Told(there=there)
    assert await text(provider, told, name="mistral/mistral-large-latest") == BEGUN + REST
    assert told.text == BEGUN + BEGUN + REST, "each attempt is told whole"
    assert provider.requests[1]["messages"][-1] == {"role": "assistant", "content": BEGUN, "prefix": True}
    provider.script = [says(BEGUN, "length"), says(".\n</brief>"), says(SECTION)]
    anew = await text(provider, Told(there=False), name="mistral/mistral-large-latest")
    assert anew == SECTION, "what is asked for anew does not stand behind what was cut"


async def test_what_goes_on_with_an_answer_is_told_with_the_space_between() -> None:
    told = Told(there=True)
    await Listener(told, begun="The lawn").hear(" belongs")
    assert told.text == "The lawn belongs"


@pytest.mark.parametrize("name", ["openai/test-model", "openai/claude-sonnet-4-5"])
async def test_an_answer_that_was_cut_is_asked_for_again_where_nobody_can_go_on_with_it(
    provider: Provider, name: str
) -> None:
    provider.script = [says(BEGUN, "length"), says(SECTION)]
    assert await text(provider, Told(there=False), name=name) == SECTION
    assert "be shorter" in provider.requests[1]["messages"][-1]["content"]
