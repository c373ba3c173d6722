"""An ASGI application, served in this process and event loop."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import Any

import uvicorn

from .http_connection import HttpConnection, Patience


class _Server(uvicorn.Server):
    """A server that leaves the signals of the process to the service."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def http_server(
    app: Any, host: str, port: int, patience: Patience | None = None, **options: Any
) -> AsyncIterator[int]:
    """Serve until the block ends; gives the port. Raises `OSError` if it is taken.

    ``patience`` is for those who connect; ``options`` are those of uvicorn.
    """
    listening = socket.create_server((host, port))
    # Accepted sockets inherit it. Without it, an answer on a kept connection waits for a delayed acknowledgement.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection: Any = partial(HttpConnection, patience or Patience(), {})
    config = uvicorn.Config(app, http=connection, ws="none", log_config=None, access_log=False, **options)
    server = _Server(config)
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    try:
        yield listening.getsockname()[1]
    finally:
        server.should_exit = True
        await serving
