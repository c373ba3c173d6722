"""Agents write documents: each by the SDK's own client, in the name of whoever runs the server of its tools."""

import asyncio
import json
import sys
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from mcp import Client as Agent
from mcp import StdioServerParameters
from mcp.client.stdio import stdio_client
from stemma_client import Client
from stemma_contracts.v1 import events as e
from stemma_mcp import Profile, build_server
from stemma_testkit.agents import Writing, call, refusal
from stemma_testkit.servers import POLL_S

from .conftest import run

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.req("H6")]


def server_for(environment: Mapping[str, str]) -> StdioServerParameters:
    """`stemma mcp` as a program that has agents starts it."""
    command = ["-c", "from stemma_cli.main import main; main()", "mcp"]
    return StdioServerParameters(command=sys.executable, args=command, env=dict(environment))


def served(environment: Mapping[str, str]) -> Any:
    """A connection to it; by itself the SDK gives it the stderr that was there when it was imported."""
    return stdio_client(server_for(environment), sys.stderr)


def agent_of(client: Client) -> Agent:
    """An agent with all tools, at a server in this process."""
    return Agent(build_server(lambda _: nullcontext(client), lambda _: Profile.FULL))


@pytest.mark.timeout(600)
async def test_an_agent_takes_a_document_from_its_brief_to_a_file_over_stdio(
    settings: dict[str, str], client: Client
) -> None:
    writing = Writing()
    async with Agent(served(settings | {"STEMMA_ACTOR": "robot"})) as agent:
        await writing.start(agent)
        await writing.review(agent)
        await writing.amend(agent)
        await writing.export(agent)
        await writing.fetch(agent)

    decided = [event.contract for event in await client.history(writing.document_id)]
    assert {one.actor for one in decided if isinstance(one, e.SectionApproved | e.SectionEdited)} == {"robot"}


async def test_an_agent_may_do_what_the_person_may_in_whose_name_it_is(
    settings: dict[str, str], tmp_path: Path
) -> None:
    login = tmp_path / "rita.login"
    added = await run(settings, "user", "add", "rita", "--role", "reader", "-o", str(login))
    assert added.exit_code == 0, added.output

    async with (
        Client.connect(login=login) as rita,
        agent_of(rita) as agent,
    ):
        await call(agent, "list_documents")
        told = await refusal(agent, "start_document", kind="proposal", brief="A garden.")

    assert (told["code"], "the role reader does not allow it" in told["problems"][0]["message"]) == (
        "not_allowed",
        True,
    )


RFP = """# Request

The contractor shall train ten users on site.

The contractor shall keep all records for five years.

Submission deadline: 12 March 2027, 2:00 p.m.
"""


async def settled(agent: Agent, tool: str, document_id: str, **arguments: Any) -> dict[str, Any]:
    """What a tool tells once it does not ask to be asked again."""
    while (told := await call(agent, tool, document_id=document_id, **arguments)).get("ask_again_after_s"):
        await asyncio.sleep(POLL_S)
    return told


@pytest.mark.full
@pytest.mark.req("T5", "P16")
async def test_an_agent_reads_demands_decides_about_them_and_has_an_amended_request_count(client: Client) -> None:
    async with agent_of(client) as agent:
        request = {"name": "rfp.md", "text": RFP, "role": "request"}
        started = await call(agent, "start_document", kind="proposal", brief="# An offer", inputs=[request])
        document_id = started["document_id"]
        about = {"document_id": document_id}
        await call(agent, "read_requirements", **about, sources=["rfp.md"], without_brief=True, second_opinion=True)
        listed = await settled(agent, "list_requirements", document_id)
        due = await call(agent, "list_deadlines", **about)
        training = next(one["row"] for one in listed["requirements"] if "train" in one["row"]["quote"])
        decision = {"requirement_id": training["requirement_id"], "confirmed": True, "status": "addressed"}
        await call(agent, "decide_requirements", **about, decisions=[decision])
        left = await call(agent, "list_requirements", **about, only_open=True)
        keeping = {"requirement_id": left["requirements"][0]["row"]["requirement_id"], "begins_with": ["for five"]}
        again = [await call(agent, "split_requirement", **about, **keeping, request_id="cut-1") for _ in range(2)]
        cut = await call(agent, "list_requirements", **about, only_open=True)

        amended = {"name": "rfp-2.md", "text": RFP.replace("ten users", "twenty users")}
        [given] = [one for one in (await call(agent, "list_inputs", **about))["inputs"] if one["name"] == "rfp.md"]
        seen = {**about, "input_id": given["input_id"], "version": given["version"]}
        await call(agent, "replace_input", **seen, file=amended, staged=True)
        read = await eventually_staged(agent, **about, input_id=given["input_id"])
        await call(agent, "apply_input", **read["next"][0]["arguments"])
        counts = await call(agent, "read_input", **about, input_id=given["input_id"])
        await call(agent, "export_document", **about, format="md", citations=True, matrix=True)
        await call(agent, "cancel_document", **about)

    asked = [event.contract for event in await client.history(document_id)]
    [deadline] = [one["deadline"] for one in due["deadlines"]]
    assert (deadline["kind"], deadline["due"]["days"]) == ("submission", ["2027-03-12"])
    assert deadline["due"]["time"] == "14:00"
    assert listed["second_opinion"]["failure"] == "it writes without having opinions: name a model"
    assert (given["role"], training["obligation"], training["source"]) == ("request", "mandatory", "rfp.md")
    [kept] = left["requirements"]
    assert kept["row"]["quote"] == "The contractor shall keep all records for five years."
    assert again[0] == again[1]
    assert [(one["row"]["requirement_id"], one["row"]["quote"]) for one in cut["requirements"]] == [
        (keeping["requirement_id"], "The contractor shall keep all records"),
        (f"{keeping['requirement_id']}-2", "for five years."),
    ]
    assert [(one["before"], one["after"]) for one in read["changes"]] == [
        ("The contractor shall train ten users on site.", "The contractor shall train twenty users on site.")
    ]
    assert "twenty users" in counts["text"]
    assert (counts["input"]["version"], counts["input"]["staged_version"]) == (2, None)
    assert [(one.citations, one.matrix) for one in asked if isinstance(one, e.ExportRequested)] == [(True, True)]


async def eventually_staged(agent: Agent, **about: Any) -> dict[str, Any]:
    """What is told of an input once its amended version was read."""
    while (told := await call(agent, "read_input", **about))["input"]["state"] != "staged":
        await asyncio.sleep(POLL_S)
    return told


async def test_nothing_but_the_protocol_is_on_stdout(settings: dict[str, str]) -> None:
    asked: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": OPENING},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": "document_status", "arguments": {"document_id": "none"}}},
        {"id": 3, "method": "no/such/method"},
    ]
    lines = "".join(json.dumps({"jsonrpc": "2.0", **one}) + "\n" for one in asked) + "no JSON\n"
    told = (await run_raw(settings, lines)).splitlines()

    answers = [json.loads(line) for line in told]
    assert {answer["jsonrpc"] for answer in answers} == {"2.0"}
    assert {1, 2, 3} <= {answer.get("id") for answer in answers}


OPENING = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


async def run_raw(settings: dict[str, str], lines: str) -> str:
    """What `stemma mcp` writes to stdout for these lines; its input stays open until all of them are answered."""
    server = server_for(settings)
    process = await asyncio.create_subprocess_exec(
        server.command, *server.args, env=server.env, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdin
    assert process.stdout
    process.stdin.write(lines.encode())
    told = ""
    async with asyncio.timeout(60):
        while '"id":3' not in told or '"id":2' not in told:
            told += (await process.stdout.readline()).decode()
        process.stdin.close()
        told += (await process.stdout.read()).decode()
        assert await process.wait() == 0
    return told
