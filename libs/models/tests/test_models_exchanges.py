"""What each family of providers says over the wire, in the cases that were reported, read through LiteLLM.

``exchanges/<family>.json`` holds one exchange for each case, as small as it may be: what is asked, the fields of the
request that count, what the provider answers, and what comes of it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from functools import reduce
from pathlib import Path
from struct import pack
from typing import Any
from zlib import crc32

import pytest
from langchain_core.messages import HumanMessage, SystemMessage
from pydantic import BaseModel, Field
from stemma_artifacts.store import MemoryArtifactStore
from stemma_models import CallContext, MemoryRecordStore, ModelCaller, ModelError, ModelSettings, chat_model
from stemma_testkit.provider import Provider, Reply

pytestmark = pytest.mark.req("M6")

FAMILIES = {
    file.stem: json.loads(file.read_text(encoding="utf-8")) for file in Path(__file__).parent.glob("exchanges/*")
}
EXCHANGES = {f"{name}: {case}": (one, told) for name, one in FAMILIES.items() for case, told in one["cases"].items()}
PROMPT = [SystemMessage("You write one section."), HumanMessage("Write about the lawn.")]


class Judgement(BaseModel):
    scores: dict[str, float] = Field(description="by criterion")
    feedback: str = Field(min_length=1)


def reply(told: Mapping[str, Any]) -> Reply:
    """An answer of the file in the form of its protocol."""
    match told:
        case {"events": events}:
            body = b"".join(b"data: " + _data(event) + b"\n\n" for event in events)
        case {"named": events}:
            body = b"".join(b"event: %s\ndata: %s\n\n" % (one["type"].encode(), _data(one)) for one in events)
        case {"lines": events}:
            body = b"".join(_data(event) + b"\n" for event in events)
        case {"binary": events}:
            body = b"".join(_aws_event(name, _data(event)) for name, event in events)
        case _:
            body = _data(told["json"])
    return Reply(status=told.get("status", 200), headers=told.get("headers", {}), body=body)


def _data(event: Any) -> bytes:
    return event.encode() if isinstance(event, str) else json.dumps(event).encode()


def _aws_event(name: str, payload: bytes) -> bytes:
    """A message of `application/vnd.amazon.eventstream`."""
    told = {":event-type": name, ":content-type": "application/json", ":message-type": "event"}
    headers = b"".join(
        pack(f">B{len(key)}sBH{len(value)}s", len(key), key.encode(), 7, len(value), value.encode())
        for key, value in told.items()
    )
    prelude = pack(">II", 16 + len(headers) + len(payload), len(headers))
    message = prelude + pack(">I", crc32(prelude)) + headers + payload
    return message + pack(">I", crc32(message))


def field(body: Mapping[str, Any], path: str) -> Any:
    return reduce(lambda found, key: found[key], path.split("."), body)


async def asked(provider: Provider, family: Mapping[str, Any], told: Mapping[str, Any]) -> tuple[Any, str, Any]:
    """What comes of the exchange, what a follower heard, and what it cost."""
    os.environ[family.get("key", "NO_API_KEY")] = "test-key"
    settings = ModelSettings(name=family["model"], api_base=provider.base, backoff=0.001, retries=2, temperature=0.0)
    caller = ModelCaller(chat_model(settings), settings, MemoryRecordStore(), MemoryArtifactStore())
    context, heard = CallContext("default", "doc", "lawn", "job"), list[str]()

    async def hear(text: str) -> bool:
        heard.append(text)
        return bool(told.get("stream"))

    if told["ask"] == "text":
        answer = await caller.text(context, "generate", PROMPT, on_token=hear, opens_with=("#",), max_tokens=300)
        return answer.value, "".join(heard), answer.usage
    closed = {"scores": ["clarity"]}
    value = await caller.structured(context, "evaluate", PROMPT, Judgement, closed=closed, max_tokens=300)
    return value.value, "", value.usage


@pytest.mark.parametrize(("family", "told"), EXCHANGES.values(), ids=EXCHANGES)
async def test_an_exchange_comes_to_what_it_says_whatever_its_provider(
    provider: Provider, family: Mapping[str, Any], told: Mapping[str, Any]
) -> None:
    provider.script, expected = [reply(one) for one in told["replies"]], told["expect"]
    if "error" in expected:
        with pytest.raises(ModelError, match=expected["error"]) as failed:
            await asked(provider, family, told)
        assert "SECRET" not in failed.value.detail
    else:
        value, heard, usage = await asked(provider, family, told)
        assert value == expected["text"] if "text" in expected else value.scores == expected["scores"]
        assert "SECRET" not in heard
        assert heard.endswith(expected.get("text", ""))
        assert [usage.input_tokens, usage.output_tokens] == expected.get(
            "tokens", [usage.input_tokens, usage.output_tokens]
        )
    assert len(provider.requests) == len(told["replies"])
    assert {path: field(provider.requests[0], path) for path in told.get("sent", {})} == told.get("sent", {})
