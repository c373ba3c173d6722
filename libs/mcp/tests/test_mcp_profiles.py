"""A session lists the tools of its profile that its role may use, in few words, and says what to do about others."""

import ast
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest
import stemma_mcp
from mcp import Client as Agent
from stemma_client import Client
from stemma_contracts import Family, registry
from stemma_contracts.roles import ROLES, Role
from stemma_mcp import Profile, build_server, listed_tools
from stemma_mcp.asking import ASKING
from stemma_mcp.server import ASKS
from stemma_mcp.tools import SHORT
from stemma_testkit.document_events import document_requested, review_requested, section_drafted

pytestmark = pytest.mark.req("H6")
WITHOUT_A_LOGIN = ""


@asynccontextmanager
async def session(client: Client, profile: Profile, role: str) -> AsyncIterator[Agent]:
    client.role = role
    async with Agent(build_server(lambda _: nullcontext(client), lambda _: profile)) as agent:
        yield agent


def names(profile: Profile, role: str) -> set[str]:
    return {tool["name"] for tool in listed_tools(profile, role)}


def size(tools: object) -> int:
    return len(json.dumps(tools, ensure_ascii=False, separators=(",", ":")).encode())


@pytest.mark.parametrize("role", [*Role, WITHOUT_A_LOGIN, "a role of a later release"])
def test_a_role_lists_what_it_only_reads_with_and_what_the_server_lets_it_ask_for(role: str) -> None:
    allowed = set(ROLES[Role(role)]) if role in set(Role) else set(ROLES[Role.OWNER])
    expected = {name for name, asks in ASKS.items() if not asks or asks & allowed}
    assert names(Profile.FULL, role) == expected
    assert names(Profile.SHORT, role) == expected & SHORT


def test_the_short_profile_takes_less_than_20_kb_of_a_session_and_less_for_smaller_roles() -> None:
    sizes = [size(listed_tools(Profile.SHORT, role)) for role in Role]
    assert sizes[:3] == sorted(sizes[:3])
    assert max(sizes) < 20_000
    assert size(listed_tools(Profile.SHORT, Role.READER)) < 5_000


def test_every_request_that_a_tool_makes_is_the_one_that_it_is_listed_by() -> None:
    tokens = {entry.cls.__name__: entry.token for entry in registry.entries(Family.REQUEST)}
    made = dict[str, set[str]]()
    for file in Path(stemma_mcp.__path__[0]).glob("*.py"):
        for function in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(function, ast.AsyncFunctionDef) and function.name in ASKS:
                named = {node.attr for node in ast.walk(function) if isinstance(node, ast.Attribute)}
                made[function.name] = {tokens[name] for name in named & tokens.keys()}
    made |= {asking.token.replace("-", "_"): {asking.token} for asking in ASKING}
    made["start_document"] = {"create-document"}  # by the client, which uploads the files before
    assert made == ASKS


async def test_a_session_lists_its_own_tools_and_one_of_another_profile_is_refused_with_what_to_do(
    client: Client, backstage: Any
) -> None:
    async with session(client, Profile.SHORT, Role.REVIEWER) as agent:
        listed = (await agent.list_tools()).tools
        refused = await agent.call_tool("withdraw_input", {"document_id": "d1", "input_id": "input-1", "version": 1})
    assert {tool.name for tool in listed} == names(Profile.SHORT, Role.REVIEWER)
    assert refused.is_error
    [content] = refused.content
    assert content.type == "text"
    told = json.loads(content.text)
    assert (told["code"], told["problems"][0]["message"]) == (
        "not_listed",
        "the short profile of this session has no such tool",
    )
    assert "/mcp?profile=full" in told["advice"]
    assert backstage.received == []


@pytest.mark.parametrize(("role", "next_tools"), [
    (Role.READER, []),
    (Role.REVIEWER, ["approve_section", "revise_section"]),
])  # fmt: skip
async def test_next_steps_are_tools_that_the_session_lists(
    client: Client, backstage: Any, document_id: str, role: Role, next_tools: list[str]
) -> None:
    about = {"document_id": document_id, "section_id": "research"}
    await backstage.append(document_id, document_requested().model_copy(update={"document_id": document_id}))
    draft = await backstage.text(document_id, "words")
    await backstage.append(document_id, section_drafted("research").model_copy(update={"draft": draft}))
    await backstage.append(document_id, review_requested("research"))
    async with session(client, Profile.SHORT, role) as agent:
        read = await agent.call_tool("read_section", about)
    assert read.structured_content is not None
    assert [step["tool"] for step in read.structured_content["next"]] == next_tools
