"""A proxy before a NATS server that swallows answers, as a connection does that breaks after the server acted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from urllib.parse import urlsplit

Swallows = Callable[[bytes, bytes], bool]
"""Whether the client shall not get a message, by its subject and its payload."""


@asynccontextmanager
async def swallowing(url: str, swallows: Swallows) -> AsyncIterator[str]:
    """The address of a proxy before the server at ``url``, as long as the block lasts."""
    target = urlsplit(url)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection(target.hostname, target.port)
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            await asyncio.gather(_pass_on(reader, back), _pass_messages(there, writer, swallows))
        for one in (back, writer):
            one.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"nats://127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
    writer.close()


async def _pass_messages(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, swallows: Swallows) -> None:
    """Lines of the protocol as they are; a message with its payload, unless it is swallowed."""
    while line := await reader.readline():
        payload = b""
        words = line.split()
        if words[0] in (b"MSG", b"HMSG"):
            payload = await reader.readexactly(int(words[-1]) + len(b"\r\n"))
            if swallows(words[1], payload):
                continue
        writer.write(line + payload)
        await writer.drain()
    writer.close()
