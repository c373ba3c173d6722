"""``/health``: the process is alive. ``/ready``: its consumers are there, and what it writes is stored.

``/metrics``: what it measured, as Prometheus reads it.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from contextlib import asynccontextmanager
from typing import Any

from stemma_telemetry.measuring import CONTENT_TYPE, exposition

from .http_server import http_server

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Scope]]
Send = Callable[[Scope], Awaitable[None]]
Missing = Callable[[], Awaitable[list[str]]]


@asynccontextmanager
async def health_server(missing: Missing, host: str, port: int) -> AsyncIterator[int]:
    """Serve until the block ends; gives the port. Raises `OSError` if it is taken."""
    async with http_server(_app(missing), host, port, lifespan="off") as taken:
        yield taken


def _app(missing: Missing) -> Callable[[Scope, Receive, Send], Awaitable[None]]:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        match scope["path"]:
            case "/health":
                await _respond(send, 200, {"status": "alive"})
            case "/ready":
                gone = await missing()
                await _respond(
                    send, 503 if gone else 200, {"status": "not ready" if gone else "ready", "missing": gone}
                )
            case "/metrics":
                await _send(send, 200, CONTENT_TYPE, exposition())
            case _:
                await _respond(send, 404, {"status": "not found"})

    return app


async def _respond(send: Send, status: int, body: dict[str, Any]) -> None:
    await _send(send, status, "application/json", json.dumps(body).encode())


async def _send(send: Send, status: int, content_type: str, body: bytes) -> None:
    headers = [(b"content-type", content_type.encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
