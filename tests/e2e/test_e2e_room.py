"""One section is written at once at the desk, by the command, by an agent and in a DOCX: no word is lost."""

import asyncio
import json
import re
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from html import unescape
from io import BytesIO
from pathlib import Path

import httpx
import pytest
from docx import Document
from faults_people import reached
from nats.errors import Error as NatsError
from stemma_cli.demo import PERSON, reviewer
from stemma_cli.local.supervisor import LocalStemma
from stemma_client import Client, RequestRejectedError
from stemma_client.errors import AnswerTimeoutError, CopyIncompleteError, ServerUnreachableError
from stemma_client.returned import read_return
from stemma_contracts import subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.requests import ApplyReturn, CreateDocument
from stemma_testkit.agents import call

from .conftest import run
from .test_e2e_agents import agent_of

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.req("L4", "W2", "E1")]
WRITERS = ("desk", "command", "agent")
NAME = "research"
ROOM = "".join(f"The paragraph of the {who} stands here.\n\n" for who in (*WRITERS, "file"))
TYPED = re.compile(r'name="version" value="(\d+)".*?<textarea[^>]*>\n(.*?)</textarea>', re.DOTALL)
UNREACHED = (httpx.HTTPError, NatsError, ServerUnreachableError, AnswerTimeoutError, CopyIncompleteError)
Attempt = Callable[[int, str, str], Awaitable[None]]


def said_by(text: str, who: str, sentence: str) -> str:
    """The text with one more sentence in the paragraph of somebody."""
    return re.sub(rf"(The paragraph of the {who} .*)", rf"\1 {sentence}", text)


def _form(**fields: object) -> dict[str, tuple[None, str]]:
    """A form as the page sends it, in parts."""
    return {name: (None, str(value)) for name, value in fields.items()}


@dataclass
class Room:
    """A document that all write; ``late`` counts the decisions about a version that was none any more."""

    stemma: LocalStemma
    client: Client
    document_id: str
    folder: Path
    password: str
    late: int = 0
    rounds: asyncio.Barrier = field(default_factory=lambda: asyncio.Barrier(len(WRITERS) + 1))

    async def now(self) -> tuple[int, str]:
        """The version that there is, and its text."""
        section = (await reached(lambda: self.client.document(self.document_id))).sections[NAME]
        return section.version, await reached(lambda: self.client.text(self.document_id, section.draft))

    async def write(self, who: str, sentences: list[str], attempt: Attempt) -> None:
        """Each sentence is written once: all read the same version, and all but one are late."""
        for sentence in sentences:
            version, text = await self.now()
            await self.rounds.wait()
            while sentence not in text:
                with suppress(*UNREACHED):
                    await attempt(version, said_by(text, who, sentence), sentence)
                version, text = await self.now()

    async def at_desk(self, version: int, text: str, _: str) -> None:
        about = {"Accept": "text/html", "Origin": self.stemma.gateway_url}
        here = f"/desk/documents/{self.document_id}/sections/{NAME}/edit"
        async with httpx.AsyncClient(base_url=self.stemma.gateway_url, timeout=60, headers=about) as http:
            await http.post("/sign-in", json={"user": PERSON, "password": self.password})
            while (answer := await http.post(here, files=_form(version=version, text=text))).status_code != 303:
                # The page has what came meanwhile merged into what was typed.
                shown = re.search(
                    r'name="version" value="(\d+)".*?<textarea[^>]*>\n(.*?)</textarea>', answer.text, re.DOTALL
                )
                if shown is None:
                    return
                self.late += int(shown[1]) != version
                version, text = int(shown[1]), unescape(shown[2])

    async def by_command(self, version: int, text: str, _: str) -> None:
        file = self.folder / "mine.md"
        file.write_text(text)
        settings = {"STEMMA_DATA_DIR": str(self.stemma.folder.root), "XDG_CONFIG_HOME": str(self.folder)}
        done = await run(settings, "edit", self.document_id, NAME, "--file", file, "--version", version)
        self.late += done.exit_code == 3

    async def by_agent(self, version: int, text: str, _: str) -> None:
        about = {"document_id": self.document_id, "section_id": NAME}
        async with agent_of(self.client) as agent:
            first = await agent.call_tool("edit_section", {**about, "version": version, "text": text})
            if first.is_error:
                self.late += "version_old" in json.dumps([content.model_dump() for content in first.content])
                merged = await call(agent, "merge_text", **about, version=version, text=text)
                assert merged["conflicts"] == []
                await agent.call_tool("edit_section", {**about, "version": merged["version"], "text": merged["text"]})

    async def bring_back(self, content: bytes) -> None:
        """The file comes back: what was shown is applied, and shown again where a version came between."""
        while FILE not in (await self.now())[1]:
            with suppress(*UNREACHED):
                upload = await self.client.upload(content, name="back.docx")
                read = await read_return(self.client, self.document_id, upload)
                about = {"document_id": self.document_id, "return_id": read.return_id, "digest": read.shown.digest}
                try:
                    await self.client.request(ApplyReturn.model_validate(about))
                except RequestRejectedError:
                    self.late += 1


FILE = "It was said in the file."


async def away(client: Client, document_id: str) -> bytes:
    """The document as DOCX, with a sentence that somebody adds while it is away."""
    exported = await client.export(document_id, ExportFormat.DOCX)
    document = Document(BytesIO(await client.artifact(document_id, exported.artifact)))
    (paragraph,) = (one for one in document.paragraphs if one.text.startswith("The paragraph of the file"))
    paragraph.add_run(f" {FILE}")
    kept = BytesIO()
    document.save(kept)
    return kept.getvalue()


async def lived_through(
    stemma: LocalStemma, client: Client, folder: Path, rounds: int, kill: Callable[[int], None]
) -> Room:
    created = CreateDocument(kind="proposal", brief="Write it.", sections=(NAME,))
    document_id = (await client.request(created)).document_id
    await client.edit(document_id, NAME, 0, text=ROOM)
    password, _ = await asyncio.to_thread(reviewer, stemma)
    room = Room(stemma, client, document_id, folder, password)
    content = await away(client, document_id)
    said = {who: [f"The {who} said {number}." for number in range(rounds)] for who in WRITERS}

    async def killing() -> None:
        for number in range(rounds):
            await room.rounds.wait()
            kill(number)

    ways = dict(zip(WRITERS, (room.at_desk, room.by_command, room.by_agent), strict=True))
    await asyncio.gather(killing(), *(room.write(who, said[who], way) for who, way in ways.items()))
    await room.bring_back(content)
    _, text = await room.now()
    every = [sentence for sentences in said.values() for sentence in sentences]
    assert {sentence: text.count(sentence) for sentence in (*every, FILE)} == dict.fromkeys((*every, FILE), 1)
    assert all(text.count(f"The paragraph of the {who} stands here.") == 1 for who in (*WRITERS, "file"))
    return room


@pytest.mark.full
@pytest.mark.timeout(300)
async def test_whoever_writes_by_whichever_tool_no_word_is_lost_or_doubled_and_who_is_late_is_told(
    stemma: LocalStemma, client: Client, tmp_path: Path
) -> None:
    room = await lived_through(stemma, client, tmp_path, 1, lambda _: None)
    events = [event.contract for event in await client.history(room.document_id)]
    refused = [event.problem.code for event in events if isinstance(event, e.DecisionRefused)]
    assert Counter(refused) == {"version_old": room.late}
    assert room.late >= len(WRITERS) - 1
    assert sum(isinstance(event, e.SectionEdited) for event in events) == 1 + len(WRITERS) + 1


@pytest.mark.full
@pytest.mark.timeout(1800)
async def test_no_word_is_lost_or_doubled_while_every_part_is_killed(apart: LocalStemma, tmp_path: Path) -> None:
    parts = (subjects.ORCHESTRATOR, subjects.GATEWAY, subjects.CONVERTER)
    kills = [apart.nats.kill, *(apart.services[name].kill for name in parts)]
    async with apart.client() as client:
        room = await lived_through(apart, client, tmp_path, 2 * len(kills), lambda number: kills[number % len(kills)]())
        events = [event.contract for event in await client.history(room.document_id)]
    assert {event.problem.code for event in events if isinstance(event, e.DecisionRefused)} == {"version_old"}
