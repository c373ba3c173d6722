"""Agents over HTTP: the MCP server as one more resource, for whoever the token is of, without any session."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any

from fastapi import APIRouter, Request
from mcp.server.mcpserver import Context
from mcp.server.transport_security import TransportSecuritySettings
from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from stemma_client import Client
from stemma_mcp import build_server

from .authentication import Caller

PATH = "/mcp"


class Agents:
    """The MCP server of one process. A request is answered as if it were the first, so any process can answer it."""

    def __init__(self, hosts: str, origins: str) -> None:
        server = build_server(_client_of)
        names = TransportSecuritySettings(allowed_hosts=_listed(hosts), allowed_origins=_listed(origins))
        server.streamable_http_app(stateless_http=True, json_response=True, transport_security=names)
        self._manager = server.session_manager

    def running(self) -> AbstractAsyncContextManager[None]:
        """Requests can be answered while the block runs."""
        return self._manager.run()

    def answer(self) -> Response:
        """The answer to the request that is being handled."""
        return _Answer(self._manager)


class _Answer(Response):
    """What the SDK sends: it reads the request itself."""

    def __init__(self, manager: Any) -> None:
        super().__init__()
        self._manager = manager

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._manager.handle_request(scope, receive, send)


def _client_of(context: Context[Any, Any]) -> AbstractAsyncContextManager[Client]:
    """The client of the session that the route opened."""
    request = context.request_context.request
    assert request is not None
    client: Client = request.state.client
    return nullcontext(client)


def _listed(names: str) -> list[str]:
    return [name.strip() for name in names.split(",") if name.strip()]


router = APIRouter()


@router.post(PATH, include_in_schema=False)
async def call(request: Request, caller: Caller) -> Response:
    """Answer an agent."""
    request.state.client = caller.client
    agents: Agents = request.app.state.agents
    return agents.answer()
