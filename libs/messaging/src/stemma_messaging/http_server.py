"""An ASGI application, served in this process and event loop."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import uvicorn

TCP_USER_TIMEOUT = getattr(socket, "TCP_USER_TIMEOUT", None)
"""Only Linux has it."""


class _Server(uvicorn.Server):
    """A server that leaves the signals of the process to the service."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def http_server(
    app: Any, host: str, port: int, takes_within_s: float = 60.0, **options: Any
) -> AsyncIterator[int]:
    """Serve until the block ends; gives the port. Raises `OSError` if it is taken.

    A client that takes nothing of its answer for ``takes_within_s`` seconds is disconnected; ``options`` are those of
    uvicorn.
    """
    listening = socket.create_server((host, port))
    # Accepted sockets inherit both. Without this one, answers on kept connections wait for delayed acknowledgements.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if TCP_USER_TIMEOUT is not None:
        listening.setsockopt(socket.IPPROTO_TCP, TCP_USER_TIMEOUT, int(takes_within_s * 1000))
    config = uvicorn.Config(app, http="h11", ws="none", log_config=None, access_log=False, **options)
    server = _Server(config)
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    try:
        yield listening.getsockname()[1]
    finally:
        server.should_exit = True
        await serving
