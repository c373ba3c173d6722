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


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_two_gateways_serve_one_agent_and_one_that_comes_back_serves_it_on(
    gateway: Any, token: Callable[..., str], backstage: Backstage, document_id: str, mode: str
) -> None:
    await backstage.append(document_id, document_requested().model_copy(update={"document_id": document_id}))
    async with gateway() as one:
        port = httpx.URL(one).port
        async with gateway() as two, agent(token(), one, two, mode=mode) as robot:
            seen = [await call(robot, "document_status", document_id=document_id) for _ in range(4)]
            assert {status["document_id"] for status in seen} == {document_id}
            tools = {tool.name for tool in (await robot.list_tools()).tools}
    assert "approve_section" in tools
    async with gateway(port=port) as again, agent(token(), again, mode=mode) as robot:
        assert (await call(robot, "document_status", document_id=document_id))["document_id"] == document_id


async def test_an_agent_of_another_tenant_sees_nothing(
    gateway: Any, token: Callable[..., str], backstage: Backstage, document_id: str
) -> None:
    await backstage.append(document_id, document_requested().model_copy(update={"document_id": document_id}))
    async with gateway() as url, agent(token("garden"), url) as robot:
        listed = await call(robot, "list_documents")
        status = await refusal(robot, "document_status", document_id=document_id)
    assert (listed["documents"], status["code"]) == ([], "not_found")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": ""}, 401),
        ({"Host": "evil.example"}, 400),
        ({"Origin": "https://evil.example"}, 403),
        ({}, 200),
    ],
    ids=["wrong token", "no token", "another host", "another origin", "as it should be"],
)
async def test_who_shows_no_token_or_comes_from_elsewhere_is_refused(
    http: httpx.AsyncClient, headers: dict[str, str], status: int
) -> None:
    answer = await http.post("/mcp", json=HELLO, headers=ACCEPTS | headers)
    assert answer.status_code == status, answer.text


@pytest.mark.req("H6", "S1")
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Accept": "*/*"}, 200),
        ({"Accept": "application/json"}, 200),
        ({"Accept": "text/event-stream"}, 406),
    ],
    ids=["nothing", "anything", "JSON", "a stream"],
)
async def test_who_says_nothing_of_what_it_accepts_takes_anything_and_who_takes_no_json_is_told_to(
    http: httpx.AsyncClient, headers: dict[str, str], status: int
) -> None:
    request = http.build_request("POST", "/mcp", json=HELLO, headers=headers)
    if not headers:
        del request.headers["Accept"]
    answer = await http.send(request)
    assert answer.status_code == status, answer.text
    assert status == 200 or "must accept application/json" in answer.text


async def test_a_session_has_the_tools_of_its_role_and_of_the_profile_in_its_address(
    gateway: Any, token: Callable[..., str], server: NatsServer
) -> None:
    login = admit(server, "agnes", Role.READER)
    reader = bearer_of(ServerAddress(server.url, login.tenant, login.person, login=login))

    async def tools(shown: str, query: str) -> set[str]:
        async with agent(shown, url, query=query) as robot:
            return {tool.name for tool in (await robot.list_tools()).tools}

    async with gateway() as url, httpx.AsyncClient(headers={"Authorization": f"Bearer {token()}"}) as http:
        short, full = await tools(token(), ""), await tools(token(), "?profile=full")
        reads = await tools(reader, "?profile=full")
        unknown = await http.post(f"{url}/mcp?profile=all", json=HELLO, headers=ACCEPTS)
    server.admitted("default").remove("agnes")
    assert short < full
    assert "withdraw_input" in full - short
    assert "approve_section" in short - reads
    assert "compare_versions" in reads
    assert (unknown.status_code, "profile" in unknown.text) == (422, True)


async def test_a_gateway_keeps_no_session_that_could_be_listened_to_or_ended(http: httpx.AsyncClient) -> None:
    assert {(await http.get("/mcp")).status_code, (await http.delete("/mcp")).status_code} == {405}
    assert "mcp-session-id" not in (await http.post("/mcp", json=HELLO, headers=ACCEPTS)).headers


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


@pytest.mark.req("H1")
async def test_an_agent_reaches_the_gateway_by_every_name_that_a_page_does(http: httpx.AsyncClient) -> None:
    host = {"Host": "LOCALHOST:8080"}
    page, agent = await http.get("/sign-in", headers=host), await http.post("/mcp", json={}, headers=host)
    assert (page.status_code, agent.status_code) == (200, 400)
    assert (await http.post("/mcp", json={}, headers={"Host": "evil.example"})).text == "Invalid host header"
