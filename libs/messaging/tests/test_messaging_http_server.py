"""The sockets of an HTTP server."""

import asyncio
import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from stemma_messaging import http_server

pytestmark = pytest.mark.req("H1", "S5")
SHORT_S, WITHIN_S = 0.3, 20.0
PIECE = b"x" * 65536
Open = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Answers:
    """An application: it answers at once, or with more than anybody reads."""

    def __init__(self) -> None:
        self.gone = asyncio.Event()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["path"] == "/endless":
            await send({"type": "http.response.start", "status": 200, "headers": []})
            while (await _look(receive)) != "http.disconnect":
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


async def test_a_client_that_takes_nothing_of_an_endless_answer_is_disconnected() -> None:
    answers = Answers()
    async with http_server(answers, "127.0.0.1", 0, SHORT_S, lifespan="off") as port:
        with socket.create_connection(("127.0.0.1", port)) as client:
            client.sendall(b"GET /endless HTTP/1.1\r\nHost: x\r\n\r\n")
            await asyncio.wait_for(answers.gone.wait(), WITHIN_S)


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
    async with http_server(Answers(), "127.0.0.1", 0, lifespan="off") as port, opened(port) as (reader, writer):
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert (await reader.readline()).startswith(b"HTTP/1.1 204")
        with _accepted(port, writer.get_extra_info("sockname")) as accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
