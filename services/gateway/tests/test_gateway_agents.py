"""Agents over HTTP: by the SDK's own client, with the token of a program, at any gateway."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import cycle
from typing import Any

import httpx
import httpx2
import pytest
from mcp import Client as Agent
from mcp.client.streamable_http import streamable_http_client
from starlette.types import Receive, Scope, Send
from stemma_client.bearer import bearer_of
from stemma_client.settings import ServerAddress
from stemma_gateway.agents import Agents
from stemma_provisioning import NatsServer
from stemma_provisioning.roles import Role
from stemma_testkit.agents import call, refusal
from stemma_testkit.backstage import Backstage
from stemma_testkit.document_events import document_requested
from stemma_testkit.servers import admit

pytestmark = pytest.mark.req("H6")
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}
ACCEPTS = {"Accept": "application/json, text/event-stream"}


class InTurn(httpx2.AsyncHTTPTransport):
    """A proxy in front of several gateways: each request goes to the next one."""

    def __init__(self, *urls: str) -> None:
        super().__init__()
        self._urls = cycle(map(httpx2.URL, urls))

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        there = next(self._urls)
        request.url = request.url.copy_with(host=there.host, port=there.port)
        return await super().handle_async_request(request)


@asynccontextmanager
async def agent(token: str, *urls: str, mode: str = "auto", query: str = "") -> AsyncIterator[Agent]:
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, transport=InTurn(*urls), timeout=30) as http,
        Agent(streamable_http_client(f"{urls[0]}/mcp{query}", http_client=http), mode=mode) as connected,
    ):
        yield connected


async def test_two_gateways_serve_one_agent_and_one_that_comes_back_serves_it_on(
    gateway: Any, token: Callable[..., str], backstage: Backstage, document_id: str
) -> None:
    await backstage.append(document_id, document_requested().model_copy(update={"document_id": document_id}))

    async def seen(robot: Agent) -> str:
        return str((await call(robot, "document_status", document_id=document_id))["document_id"])

    modes = ("auto", "legacy")
    async with gateway() as one:
        port = httpx.URL(one).port
        async with gateway() as two:
            for mode in modes:
                async with agent(token(), one, two, mode=mode) as robot:
                    assert {await seen(robot) for _ in range(4)} == {document_id}
                    assert "approve_section" in {tool.name for tool in (await robot.list_tools()).tools}
    async with gateway(port=port) as again:
        for mode in modes:
            async with agent(token(), again, mode=mode) as robot:
                assert await seen(robot) == document_id


async def test_an_agent_of_another_tenant_sees_nothing(
    address: str, token: Callable[..., str], backstage: Backstage, document_id: str
) -> None:
    await backstage.append(document_id, document_requested().model_copy(update={"document_id": document_id}))
    async with agent(token("garden"), address) as robot:
        listed = await call(robot, "list_documents")
        status = await refusal(robot, "document_status", document_id=document_id)
    assert (listed["documents"], status["code"]) == ([], "not_found")


@pytest.mark.req("H6", "S1", "H1")
async def test_who_shows_no_token_or_comes_from_elsewhere_is_refused_and_any_answer_but_json_too(
    http: httpx.AsyncClient,
) -> None:
    told: list[tuple[dict[str, str], int]] = [
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": ""}, 401),
        ({"Host": "evil.example"}, 400),
        ({"Origin": "https://evil.example"}, 403),
        ({"Host": "LOCALHOST:8080"}, 200),
        ({"Accept": "*/*"}, 200),
        ({"Accept": "application/json"}, 200),
        ({"Accept": "text/event-stream"}, 406),
    ]
    for headers, status in told:
        answer = await http.post("/mcp", json=HELLO, headers=ACCEPTS | headers)
        assert answer.status_code == status, headers
    assert "must accept application/json" in answer.text
    request = http.build_request("POST", "/mcp", json=HELLO)
    del request.headers["Accept"]
    answer = await http.send(request)
    assert (answer.status_code, "mcp-session-id" in answer.headers) == (200, False)
    assert {(await http.get("/mcp")).status_code, (await http.delete("/mcp")).status_code} == {405}


async def test_a_session_has_the_tools_of_its_role_and_of_the_profile_in_its_address(
    http: httpx.AsyncClient, address: str, token: Callable[..., str], server: NatsServer
) -> None:
    login = admit(server, "agnes", Role.READER)
    reader = bearer_of(ServerAddress(server.url, login.tenant, login.person, login=login))

    async def tools(shown: str, query: str) -> set[str]:
        async with agent(shown, address, query=query) as robot:
            return {tool.name for tool in (await robot.list_tools()).tools}

    short, full = await tools(token(), ""), await tools(token(), "?profile=full")
    reads = await tools(reader, "?profile=full")
    unknown = await http.post("/mcp?profile=all", json=HELLO, headers=ACCEPTS)
    server.admitted("default").remove("agnes")
    assert short < full
    assert "withdraw_input" in full - short
    assert "approve_section" in short - reads
    assert "compare_versions" in reads
    assert (unknown.status_code, "profile" in unknown.text) == (422, True)


async def test_an_agent_that_leaves_while_they_are_loaded_takes_them_from_nobody_else() -> None:
    agents, asked = Agents(""), asyncio.Event()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        asked.set()
        await agents.answer(scope, receive, send)

    here = httpx.ASGITransport(app)
    async with agents.running(), httpx.AsyncClient(transport=here, base_url="http://gateway", headers=ACCEPTS) as http:
        leaving = asyncio.create_task(http.post("/mcp", json=HELLO))
        await asked.wait()
        leaving.cancel()
        assert (await http.post("/mcp", json=HELLO)).status_code == 200
    assert leaving.cancelled()
