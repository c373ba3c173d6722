"""An agent, by the SDK's own client: how it calls tools, and how it takes a document from its brief to a file."""

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from uuid import uuid4

from mcp import Client as Agent

from .servers import eventually

WRITTEN_WITHIN_S = 240.0
BRIEF = "# A reading garden beside the library\n\nSay who needs it, when it opens and what it costs."
FACTS = "# Facts\n\n## Findings\n\nThe garden must open before 1 June 2027. Planting costs EUR 4,250.\n"
OWN_TEXT = "# Research\n\nThe garden opens before 1 June 2027, and planting costs EUR 4,250.\n"


async def call(agent: Agent, tool: str, **arguments: Any) -> dict[str, Any]:
    """What a tool gives; the SDK holds it against the schema of the tool."""
    result = await agent.call_tool(tool, arguments)
    assert not result.is_error, result.content
    told: dict[str, Any] = result.structured_content or {}
    return told


async def refusal(agent: Agent, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await agent.call_tool(tool, arguments)
    [content] = result.content
    assert result.is_error, result.content
    assert content.type == "text"
    body: dict[str, Any] = json.loads(content.text)
    return body


@dataclass
class Writing:
    """A document that agents write; each of its parts may be done by another agent."""

    document_id: str = ""
    export_id: str = ""

    async def start(self, agent: Agent) -> None:
        """Ask for the document, twice by the same call."""
        brief = {"kind": "proposal", "brief": BRIEF, "inputs": [{"name": "facts.md", "text": FACTS}]}
        once = uuid4().hex
        started = [await call(agent, "start_document", **brief, request_id=once) for _ in range(2)]
        assert started[0] == started[1]
        self.document_id = started[0]["document_id"]

    async def review(self, agent: Agent) -> None:
        """Ask until the first section waits, read it, and approve what was read, but nothing else."""
        await self._wait_for(agent, "research", 1)
        read = await self._read(agent)
        assert (read["version"], read["waits_for"], read["next"][0]["tool"]) == (1, ["review"], "approve_section")
        assert "1 June 2027" in read["text"]
        approve = read["next"][0]["arguments"]
        refused = await refusal(agent, "approve_section", **approve | {"version": 2})
        assert [problem["field"] for problem in refused["problems"]] == ["version"]
        once = uuid4().hex
        approved = [await call(agent, "approve_section", **approve, request_id=once) for _ in range(2)]
        assert approved[0] == approved[1]
        again = await refusal(agent, "approve_section", **approve)
        assert (again["code"], again["problems"][0]["field"]) == ("rejected", "section_id")

    async def amend(self, agent: Agent) -> None:
        await self._wait_for(agent, "solution", 1)
        edit = {"document_id": self.document_id, "section_id": "research", "text": OWN_TEXT}
        await call(agent, "edit_section", **edit, version=1)
        assert ((await self._read(agent))["text"], (await self._read(agent))["status"]) == (OWN_TEXT, "edited")
        [stale] = [one for one in (await self._status(agent))["sections"] if one["section_id"] == "solution"]
        assert "stale" in stale["waits_for"]
        await call(agent, "keep_section", document_id=self.document_id, section_id="solution", version=1)
        [kept] = [one for one in (await self._status(agent))["sections"] if one["section_id"] == "solution"]
        assert "stale" not in kept["waits_for"]

    async def export(self, agent: Agent) -> None:
        asked = await call(agent, "export_document", document_id=self.document_id, format="md")
        self.export_id = asked["export_id"]

    async def fetch(self, agent: Agent) -> None:
        """Ask until the file is there, and read it as a resource."""
        about = {"document_id": self.document_id, "export_id": self.export_id}

        async def is_there() -> bool:
            return str((await call(agent, "export_result", **about))["export"]["state"]) == "done"

        await eventually(is_there, WRITTEN_WITHIN_S)
        told = await call(agent, "export_result", **about)
        [read] = (await agent.read_resource(told["resource"])).contents
        assert "1 June 2027" in told["text"]
        assert sha256(getattr(read, "text", "").encode()).hexdigest() == told["export"]["artifact"]["digest"]
        assert "not_approved" in {warning["code"] for warning in told["export"]["warnings"]}

    async def _wait_for(self, agent: Agent, section_id: str, version: int) -> None:
        async def waits() -> bool:
            found = {one["section_id"]: one for one in (await self._status(agent))["sections"]}[section_id]
            return (found["version"], "review" in found["waits_for"]) == (version, True)

        await eventually(waits, WRITTEN_WITHIN_S)

    async def _status(self, agent: Agent) -> dict[str, Any]:
        return await call(agent, "document_status", document_id=self.document_id)

    async def _read(self, agent: Agent) -> dict[str, Any]:
        return await call(agent, "read_section", document_id=self.document_id, section_id="research")
