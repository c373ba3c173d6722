"""What a call holds while its answer comes, and what it leaves behind."""

from __future__ import annotations

import asyncio
import gc
import json
import operator
import re
import threading
import tracemalloc
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from types import CoroutineType
from typing import Any

import aiohttp
import httpx
import pytest
import tenacity
from aiohttp.client_proto import ResponseHandler
from langchain_core.messages import HumanMessage
from stemma_models import Meter, ModelSettings, chat_model
from stemma_models.client import ModelClient
from stemma_models.listening import LISTENER
from stemma_models.records import Request
from stemma_testkit.provider import Reply, provider, says

pytestmark = [pytest.mark.xdist_group("litellm"), pytest.mark.req("E1")]

ANSWER = json.dumps(
    {
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "two"}}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
    }
).encode()
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


@asynccontextmanager
async def streams(count: int) -> AsyncIterator[None]:
    """So many of one model, of each of which the first words have come in this block."""
    with provider() as running:
        heard, begun = threading.Event(), [asyncio.Event() for _ in range(count)]
        running.script = [Reply({"content": "one two three"}, heard=heard) for _ in begun]
        client = model(running.base)

        async def ask(first: asyncio.Event) -> str:
            async def told(_: str) -> bool:
                first.set()
                return False

            answer, _ = await client.call(Request({}, PROMPT, [], None), Meter(), told)
            return str(answer.text)

        asking = [asyncio.create_task(ask(first)) for first in begun]
        try:
            for first in begun:
                await first.wait()
            yield
        finally:
            heard.set()
        assert await asyncio.gather(*asking) == ["one two three"] * count


async def test_what_was_asked_is_held_in_one_place_while_its_stream_comes() -> None:
    before = {id(request) for request in there(httpx.Request)}
    async with streams(1):
        requests = [request for request in there(httpx.Request) if id(request) not in before]
        assert requests
        assert [request.content for request in requests] == [b""] * len(requests)


async def test_streams_that_come_share_the_headers_of_their_requests_and_hold_no_others() -> None:
    before = {id(found) for found in there(httpx.Request, aiohttp.ClientResponse)}
    async with streams(2):
        first, second = (request for request in there(httpx.Request) if id(request) not in before)
        assert len(first.headers) > 5
        assert all(map(operator.is_, first.headers._list, second.headers._list))
        for answer in there(aiohttp.ClientResponse):
            if id(answer) not in before:
                assert not answer.headers
                assert not answer.raw_headers
                assert not answer.request_info.headers


async def test_while_a_stream_comes_nothing_of_litellm_and_of_the_sdk_waits_for_it() -> None:
    before = {id(found) for found in there(CoroutineType)}
    async with streams(1):
        files = {found.cr_code.co_filename for found in there(CoroutineType) if id(found) not in before}
        assert any("/stemma_models/" in file for file in files)
        assert not [file for file in files if "/litellm/" in file or "/openai/" in file or "/httpx/" in file]


@asynccontextmanager
async def waiting() -> AsyncIterator[None]:
    """An answer in one piece is waited for in this block, of which nothing has come."""
    asked, heard = asyncio.Event(), asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        size = re.search(rb"content-length: (\d+)", head.lower())
        assert size is not None
        await reader.readexactly(int(size[1]))
        asked.set()
        await heard.wait()
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n")
        writer.write(b"content-length: %d\r\n\r\n" % len(ANSWER) + ANSWER)

    async with await asyncio.start_server(serve, "127.0.0.1") as server:
        port = server.sockets[0].getsockname()[1]
        client = model(f"http://127.0.0.1:{port}/v1")
        asking = asyncio.create_task(client.call(Request({}, PROMPT, [], None), Meter(), None))
        try:
            await asked.wait()
            yield
        finally:
            heard.set()
        answer, _ = await asking
        assert answer.text == "two"


async def test_while_an_answer_in_one_piece_is_waited_for_nothing_of_litellm_and_of_the_sdk_waits() -> None:
    before = {id(found) for found in there(CoroutineType)}
    async with waiting():
        files = {found.cr_code.co_filename for found in there(CoroutineType) if id(found) not in before}
        assert any("/stemma_models/" in file for file in files)
        assert not [
            file for file in files if file.endswith(("/litellm/main.py", "/litellm/utils.py")) or "/openai/" in file
        ]


async def test_what_was_asked_is_held_by_no_request_while_its_answer_in_one_piece_is_waited_for() -> None:
    tracemalloc.start()
    try:
        async with waiting():
            made = tracemalloc.take_snapshot().filter_traces([tracemalloc.Filter(True, "*/openai/*")])
            assert not [trace for trace in made.traces if trace.size > len(PROMPT[0].content)]
    finally:
        tracemalloc.stop()


async def test_a_connection_holds_nothing_of_the_call_that_it_was_made_for() -> None:
    before = {id(found) for found in there(asyncio.Handle)}
    async with streams(1):
        readers = [handle for handle in there(asyncio.Handle) if id(handle) not in before and is_reader(handle)]
        assert readers
        assert not any(LISTENER in handle._context for handle in readers)


def is_reader(handle: Any) -> bool:
    """Whether the event loop calls it for whatever comes over a connection of aiohttp, as long as that lives."""
    transport = getattr(handle._callback, "__self__", None)
    protocol = transport.get_protocol() if isinstance(transport, asyncio.Transport) else None
    return isinstance(protocol, ResponseHandler)


async def test_streams_and_answers_in_one_piece_come_over_the_same_connections() -> None:
    before = {id(found) for found in there(aiohttp.TCPConnector)}
    with provider() as running:
        running.script = [says("one"), says("two")]
        client = model(running.base)
        for listener in (nobody, None):
            await client.call(Request({}, PROMPT, [], None), Meter(), listener)
        assert len([found for found in there(aiohttp.TCPConnector) if id(found) not in before]) == 1


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
