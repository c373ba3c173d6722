"""What a call holds while its answer comes, and what it leaves behind."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
import tenacity
from langchain_core.messages import HumanMessage
from stemma_models import Meter, ModelSettings, chat_model
from stemma_models.client import ModelClient
from stemma_models.records import Request
from stemma_testkit.provider import Reply, provider, says

pytestmark = [pytest.mark.xdist_group("litellm"), pytest.mark.req("E1")]

PROMPT = (HumanMessage("Write about the quay. " * 1000),)


def model(base: str) -> ModelClient:
    settings = ModelSettings(name="openai/gpt-4o-mini", api_base=base, retries=0)
    return ModelClient(chat_model(settings), settings)


def there(*kinds: type[Any]) -> list[Any]:
    return [found for found in gc.get_objects() if isinstance(found, kinds)]


@contextmanager
def no_collection() -> Iterator[None]:
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


async def nobody(_: str) -> bool:
    return False


async def test_what_was_asked_is_held_in_one_place_while_its_stream_comes() -> None:
    with provider() as running:
        heard, begun = threading.Event(), asyncio.Event()
        running.script = [Reply({"content": "one two three"}, heard=heard)]

        async def told(_: str) -> bool:
            begun.set()
            return False

        before = {id(request) for request in there(httpx.Request)}
        asking = asyncio.create_task(model(running.base).call(Request({}, PROMPT, [], None), Meter(), told))
        try:
            await begun.wait()
            requests = [request for request in there(httpx.Request) if id(request) not in before]
            assert requests
            assert [request.content for request in requests] == [b""] * len(requests)
        finally:
            heard.set()
        answer, _ = await asking
    assert answer.text == "one two three"


@pytest.mark.parametrize("listener", [None, nobody])
async def test_an_answer_leaves_nothing_that_only_a_collection_of_garbage_would_remove(listener: Any) -> None:
    with provider() as running:
        running.script = [says("one"), says("two")]
        client = model(running.base)
        await client.call(Request({}, PROMPT, [], None), Meter(), listener)
        with no_collection():
            before = len(there(httpx.Request, httpx.Response, tenacity.AsyncRetrying))
            await client.call(Request({}, PROMPT, [], None), Meter(), listener)
            assert len(there(httpx.Request, httpx.Response, tenacity.AsyncRetrying)) <= before


@pytest.mark.parametrize("listener", [None, nobody])
async def test_a_request_that_is_sent_on_to_another_address_is_whole_there(listener: Any) -> None:
    with provider() as running:
        elsewhere = {"location": f"{running.base}/elsewhere/chat/completions"}
        running.script = [Reply(status=307, headers=elsewhere, body=b"{}"), says("one")]
        answer, _ = await model(running.base).call(Request({}, PROMPT, [], None), Meter(), listener)
    assert answer.text == "one"
    assert [asked["messages"][-1]["content"] for asked in running.requests] == [PROMPT[0].content] * 2
