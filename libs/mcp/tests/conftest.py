"""An agent, by the SDK's own client, at a server in this process; the bus is a real one."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import pytest
from mcp import Client as Agent
from mcp.server.mcpserver import Context
from stemma_client import Client
from stemma_mcp import Profile, build_server
from stemma_testkit.backstage import backstage, client, document_id, drafted, requested, reviewable, server

__all__ = ["backstage", "client", "document_id", "drafted", "requested", "reviewable", "server"]


@dataclass
class Served:
    """A server, and whose client serves it at the moment: to make the schemas of all tools takes long."""

    client: Client | None = None

    def __post_init__(self) -> None:
        self.server = build_server(self._client_of, lambda _: Profile.FULL)

    def _client_of(self, _: Context[Any, Any]) -> AbstractAsyncContextManager[Client]:
        assert self.client is not None
        return nullcontext(self.client)


@pytest.fixture(scope="session")
def served() -> Served:
    return Served()


@pytest.fixture
async def agent(client: Client, served: Served) -> AsyncIterator[Agent]:
    """The SDK's client closes in the task that opened it, which that of a fixture is not sure to be."""
    served.client = client
    opened: asyncio.Future[Agent] = asyncio.get_running_loop().create_future()
    done = asyncio.Event()

    async def serve() -> None:
        async with Agent(served.server) as connected:
            opened.set_result(connected)
            await done.wait()

    serving = asyncio.create_task(serve())
    yield await opened
    done.set()
    await serving


@pytest.fixture
def called(agent: Agent) -> Callable[..., Any]:
    """Call a tool, and give what it gave."""

    async def call(name: str, **arguments: Any) -> dict[str, Any]:
        result = await agent.call_tool(name, arguments)
        assert not result.is_error, result.content
        assert result.structured_content is not None
        told: dict[str, Any] = result.structured_content
        return told

    return call


@pytest.fixture
def refused(agent: Agent) -> Callable[..., Any]:
    """Call a tool that refuses, and give the body of its error."""

    async def call(name: str, **arguments: Any) -> dict[str, Any]:
        result = await agent.call_tool(name, arguments)
        [content] = result.content
        assert result.is_error, result.content
        assert content.type == "text"
        body: dict[str, Any] = json.loads(content.text)
        return body

    return call
