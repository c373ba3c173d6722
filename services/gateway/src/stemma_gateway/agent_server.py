"""The MCP server as the gateway runs it: each request is answered as if it were the first, by any process."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from typing import Any

from mcp.server.mcpserver import Context
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import ASGIApp
from stemma_client import Client
from stemma_mcp import Profile, build_server


@asynccontextmanager
async def serving(hosts: str, origins: str) -> AsyncIterator[ASGIApp]:
    """What answers agents while the block runs; lists of names with commas between."""
    server = build_server(_client_of, lambda context: Profile(_state_of(context).profile))
    names = TransportSecuritySettings(allowed_hosts=_listed(hosts), allowed_origins=_listed(origins))
    server.streamable_http_app(stateless_http=True, json_response=True, transport_security=names)
    async with server.session_manager.run():
        yield server.session_manager.handle_request


def _client_of(context: Context[Any, Any]) -> AbstractAsyncContextManager[Client]:
    return nullcontext(_state_of(context).client)


def _state_of(context: Context[Any, Any]) -> Any:
    request = context.request_context.request
    assert request is not None
    return request.state


def _listed(names: str) -> list[str]:
    return [name.strip() for name in names.split(",") if name.strip()]
