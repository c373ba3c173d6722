"""Connections of clients that keep the server waiting end; those of all others go on."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from stemma_messaging import Patience, http_server

pytestmark = pytest.mark.req("H1", "S5")
SHORT_S, LONG_S, WITHIN_S = 0.3, 600.0, 20.0
ASKS = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n"
PIECE = b"x" * 65536
Open = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Answers:
    """An application: it answers at once, when it is told to, or with more than anybody reads."""

    def __init__(self) -> None:
        self.may_answer = asyncio.Event()
        self.gone = asyncio.Event()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        match scope["path"]:
            case "/late":
                await self.may_answer.wait()
            case "/endless":
                await send({"type": "http.response.start", "status": 200, "headers": []})
                while (await asyncio.wait_for(_look(receive), None)) != "http.disconnect":
                    await send({"type": "http.response.body", "body": PIECE, "more_body": True})
                self.gone.set()
                return
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})


async def _look(receive: Any) -> str:
    """What is known of the other side now, without waiting for it."""
    try:
        async with asyncio.timeout(0.001):
            return str((await receive())["type"])
    except TimeoutError:
        return ""


@asynccontextmanager
async def opened(port: int) -> AsyncIterator[Open]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        yield reader, writer
    finally:
        writer.transport.abort()


async def told(reader: asyncio.StreamReader) -> bytes:
    """What comes until the other side ends the connection."""
    async with asyncio.timeout(WITHIN_S):
        return await reader.read()


def serving(answers: Answers, asks: float = LONG_S, takes: float = LONG_S, most: int = 100) -> Any:
    return http_server(answers, "127.0.0.1", 0, Patience(asks, takes, most), lifespan="off")


@pytest.mark.parametrize(
    ("begun", "answer"),
    [(b"", b""), (b"GET / HTTP/1.1\r\nX-A: ", b""), (ASKS, b"HTTP/1.1 204")],
    ids=["nothing", "half a head", "half a body that nobody waits for"],
)
async def test_who_asks_nothing_is_let_go_also_when_it_does_so_byte_by_byte(begun: bytes, answer: bytes) -> None:
    async with serving(Answers(), asks=SHORT_S) as port, opened(port) as (reader, writer):
        writer.write(begun)
        ended = asyncio.create_task(told(reader))
        while not (await asyncio.wait({ended}, timeout=SHORT_S / 10))[0]:
            if begun and begun is not ASKS:
                writer.write(b"a")
        assert (await ended).startswith(answer)


async def test_who_waits_for_its_answer_is_not_let_go() -> None:
    answers = Answers()
    async with serving(answers, asks=SHORT_S) as port, opened(port) as (waiting, asked), opened(port) as (idle, _):
        asked.write(b"GET /late HTTP/1.1\r\nHost: x\r\n\r\n")
        assert await told(idle) == b"", "it came later, and its time is over"
        answers.may_answer.set()
        assert (await waiting.readline()).startswith(b"HTTP/1.1 204")


async def test_who_takes_nothing_of_an_endless_answer_is_let_go() -> None:
    answers = Answers()
    async with serving(answers, takes=SHORT_S) as port:
        with socket.create_connection(("127.0.0.1", port)) as client:
            client.sendall(b"GET /endless HTTP/1.1\r\nHost: x\r\n\r\n")
            await asyncio.wait_for(answers.gone.wait(), WITHIN_S)


async def test_of_too_many_the_one_is_let_go_that_has_asked_nothing_for_the_longest_time() -> None:
    answers = Answers()
    async with serving(answers, most=2) as port, AsyncExitStack() as stack:
        waiting, asked = await stack.enter_async_context(opened(port))
        asked.write(b"GET /late HTTP/1.1\r\nHost: x\r\n\r\n")
        idle, _ = await stack.enter_async_context(opened(port))
        newest, late = await stack.enter_async_context(opened(port))
        assert await told(idle) == b""
        late.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        answers.may_answer.set()
        for reader in (waiting, newest):
            assert (await reader.readline()).startswith(b"HTTP/1.1 204")


def _accepted(port: int, client: tuple[str, int]) -> socket.socket:
    """The socket of this process that a client is connected to."""
    for file in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            found = socket.socket(fileno=os.dup(int(file.name)))
            if (found.getsockname(), found.getpeername()) == (("127.0.0.1", port), client):
                return found
            found.close()
    raise LookupError(client)


async def test_an_answer_does_not_wait_for_the_acknowledgement_of_its_head() -> None:
    async with serving(Answers()) as port, opened(port) as (reader, writer):
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert (await reader.readline()).startswith(b"HTTP/1.1 204")
        with _accepted(port, writer.get_extra_info("sockname")) as accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
