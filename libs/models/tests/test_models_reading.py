"""Bodies of answers as they are read below LiteLLM: what comes in a thousand chunks of HTTP is read as a few pieces."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from stemma_models import Meter, ModelSettings, chat_model
from stemma_models.client import ModelClient
from stemma_models.records import Request

pytestmark = pytest.mark.xdist_group("litellm")

WORDS = [f"word{number} " for number in range(3000)]
USAGE = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}


def event(**data: Any) -> bytes:
    """As a chunk of HTTP."""
    told = (
        b"data: " + json.dumps({"id": "1", "object": "chat.completion.chunk", "model": "m", **data}).encode() + b"\n\n"
    )
    return b"%x\r\n%s\r\n" % (len(told), told)


def says(text: str, reason: str | None = None) -> bytes:
    return event(choices=[{"index": 0, "delta": {"content": text}, "finish_reason": reason}])


ANSWER = b"".join(
    (
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n",
        *map(says, WORDS),
        says("", "stop"),
        event(choices=[], usage=USAGE),
        b"0\r\n\r\n",
    )
)
"""More than aiohttp holds of a body that nobody reads."""


@asynccontextmanager
async def provider() -> AsyncIterator[str]:
    """Gives its answer as fast as it is taken, to each request of a connection."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await reader.read(64 * 1024):
            if b"\r\n\r\n" in head:
                writer.write(ANSWER)
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"


async def answered(base: str) -> str:
    settings = ModelSettings(name="openai/gpt-4o-mini", api_base=base, retries=0)
    client = ModelClient(chat_model(settings), settings)

    async def told(_: str) -> bool:
        return False

    answer, _ = await client.call(Request({}, (HumanMessage("Write."),), [], None), Meter(), told)
    return str(answer.text)


async def test_a_long_answer_that_comes_at_once_is_whole_and_its_chunks_are_taken_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The parser goes on when reading was stopped, and not after each chunk."""
    from aiohttp.client_proto import ResponseHandler

    seen, resume = Counter[str](), ResponseHandler.resume_reading

    def counted(handler: ResponseHandler, resume_parser: bool = True) -> None:
        seen["resumed"] += 1
        resume(handler, resume_parser)

    monkeypatch.setattr(ResponseHandler, "resume_reading", counted)
    async with provider() as base:
        assert await answered(base) == "".join(WORDS)
    assert seen["resumed"] < len(WORDS) / 10


@pytest.mark.req("E1")
async def test_what_was_read_of_a_stream_is_not_held_until_the_next_read(monkeypatch: pytest.MonkeyPatch) -> None:
    from stemma_models.reading import JoinedReader

    reads, read = list[bytearray](), JoinedReader._read_nowait

    def kept(reader: JoinedReader, n: int) -> bytearray:
        reads.append(read(reader, n))
        return reads[-1]

    monkeypatch.setattr(JoinedReader, "_read_nowait", kept)
    async with provider() as base:
        assert await answered(base) == "".join(WORDS)
    assert reads
    assert not any(reads)


async def test_litellm_describes_a_call_only_where_something_hears_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    import litellm

    heard = asyncio.Event()

    async def hear(*_: object) -> None:
        heard.set()

    described = Counter[str]()
    handler = litellm.Logging.async_success_handler

    async def counted(*given: Any, **named: Any) -> None:
        described["calls"] += 1
        await handler(*given, **named)

    monkeypatch.setattr(litellm.Logging, "async_success_handler", counted)
    async with provider() as base:
        await answered(base)
        assert not described
        monkeypatch.setattr(litellm, "_async_success_callback", [hear])
        await answered(base)
        async with asyncio.timeout(20):
            await heard.wait()
    assert described["calls"] == 1
