"""Agents over HTTP: the MCP server as one more resource, for whoever the token is of, without any session.

It is loaded with the first request of an agent: a gateway that only people and programs call takes 12 MB less.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import Context
from importlib import import_module
from typing import Literal

from fastapi import APIRouter, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from .authentication import Caller

PATH = "/mcp"
HOST = "gateway"
"""What the SDK is told as the host of every request: `TrustedHostMiddleware` alone checks hosts."""
SERVER = f"{__package__}.agent_server"


class Agents:
    def __init__(self, origins: str) -> None:
        self._origins = origins
        self._serving: asyncio.Task[None] | None = None
        self._answering: asyncio.Future[ASGIApp] | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        try:
            yield
        finally:
            if self._serving is not None:
                self._serving.cancel()
                await asyncio.wait([self._serving])

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._answering is None:
            self._answering = asyncio.get_running_loop().create_future()
            # Of nobody's context: who calls first is not whom the others are served for.
            self._serving = asyncio.create_task(self._serve(self._answering), context=Context())
        answering = await asyncio.shield(self._answering)  # who goes away meanwhile takes it from nobody else
        await answering(scope, receive, send)

    async def _serve(self, answering: asyncio.Future[ASGIApp]) -> None:
        try:
            server = await asyncio.to_thread(import_module, SERVER)
            async with server.serving(HOST, self._origins) as handler:
                answering.set_result(handler)
                await asyncio.Event().wait()
        except Exception as error:
            self._answering = None  # the next request tries again
            if answering.done():
                raise
            answering.set_exception(error)


class _Answer(Response):
    def __init__(self, agents: Agents) -> None:
        super().__init__()
        self._agents = agents

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._agents.answer(_accepting(scope), receive, send)


def _accepting(scope: Scope) -> Scope:
    """A request without Accept takes anything (RFC 9110, 12.5.1), which the SDK wants to be said."""
    headers = [(name, value) for name, value in scope["headers"] if name != b"host"] + [(b"host", HOST.encode())]
    said = any(name == b"accept" for name, _ in headers)
    return {**scope, "headers": headers if said else [*headers, (b"accept", b"*/*")]}


router = APIRouter()


@router.post(PATH, include_in_schema=False)
async def call(request: Request, caller: Caller, profile: Literal["short", "full"] = "short") -> Response:
    """Answer an agent, which gets the tools of its role that its profile has."""
    request.state.client, request.state.profile = caller.client, profile
    return _Answer(request.app.state.agents)
