"""A document over HTTP alone, from its brief to a Word file, while the gateway is killed in between."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

import httpx
import pytest
from stemma_cli.local.supervisor import LocalStemma
from stemma_client import Client
from stemma_client.bearer import bearer_of
from stemma_client.settings import ServerAddress, client_user
from stemma_contracts import subjects
from stemma_testkit.driving import sample_folder

pytestmark = pytest.mark.asyncio(loop_scope="session")
WAITING = {"Prefer": "wait=60"}
AGAIN_S = 0.2
AT_SOME = ("research", "conclusion")
AT_ALL = (*AT_SOME, "solution", "connections", "problem_statement", "approach", "timeline", "budget")


@pytest.fixture
def http(stemma: LocalStemma) -> httpx.AsyncClient:
    user = client_user("default")
    token = bearer_of(ServerAddress(stemma.url, "default", user, stemma.password(user)))
    return httpx.AsyncClient(base_url=stemma.gateway_url, headers={"Authorization": f"Bearer {token}"}, timeout=90)


async def create(http: httpx.AsyncClient) -> str:
    """Ask for the sample proposal by a form; the address of the document."""
    folder = sample_folder()
    inputs = folder / "inputs"
    files = [
        ("inputs", (file.relative_to(inputs).as_posix(), file.read_bytes()))
        for file in sorted(inputs.rglob("*"))
        if file.is_file()
    ]
    form = {"kind": "proposal", "brief": (folder / "brief.md").read_text()}
    created = await http.post("/documents", data=form, files=files, headers=WAITING)
    assert created.status_code == 201, created.text
    return str(created.headers["location"])


async def events_of(http: httpx.AsyncClient, address: str) -> AsyncIterator[dict[str, Any]]:
    """The events of a document as an `EventSource` has them: it comes back with the id of the last one."""
    last = {"Last-Event-ID": "0"}
    while True:
        try:
            async with http.stream("GET", f"{address}/events", headers=last) as stream:
                async for line in stream.aiter_lines():
                    field, _, value = line.partition(": ")
                    if field == "data":
                        event = json.loads(value)
                    elif field == "id":
                        last = {"Last-Event-ID": value}
                        yield event
        except httpx.TransportError:
            await asyncio.sleep(AGAIN_S)


async def asked(http: httpx.AsyncClient, path: str, body: dict[str, Any], key: str) -> httpx.Response:
    """Ask by a key of its own until a gateway has taken it, and answers."""
    while True:
        try:
            return await http.post(path, json=body, headers={**WAITING, "Idempotency-Key": key})
        except httpx.TransportError:
            await asyncio.sleep(AGAIN_S)


def is_asked_about(event: dict[str, Any], sections: Sequence[str]) -> bool:
    """Whether a person is asked about one of these sections."""
    return event["name"] == "section-review-requested" and event["data"]["section_id"] in sections


async def approved(http: httpx.AsyncClient, address: str, event: dict[str, Any]) -> None:
    """Approve the version that waits."""
    seen = {name: event["data"][name] for name in ("section_id", "version")}
    answer = await asked(http, f"{address}/approve-section", seen, f"approve-{event['sequence']}")
    assert answer.status_code == 200, answer.text


@pytest.mark.timeout(600)
@pytest.mark.req("H1", "P15", "F1")
@pytest.mark.full
@pytest.mark.parametrize("killed_at", [AT_SOME, AT_ALL], ids=["some", "all"])
async def test_a_document_goes_from_brief_to_word_while_the_gateway_is_killed(
    stemma: LocalStemma, http: httpx.AsyncClient, client: Client, killed_at: Sequence[str]
) -> None:
    address = await create(http)
    seen: list[tuple[int, str]] = []
    async for event in events_of(http, address):
        seen.append((event["sequence"], event["name"]))
        if event["name"] == "document-completed" or is_asked_about(event, killed_at):
            stemma.services[subjects.GATEWAY].kill()
        if event["name"] == "section-review-requested":
            await approved(http, address, event)
        if event["name"] == "document-completed":
            break
    history = await client.history(address.rpartition("/")[2])
    assert seen == [(event.sequence, event.name) for event in history][: len(seen)]
    exported = await asked(http, f"{address}/export-document", {"format": "docx"}, "export-1")
    assert exported.status_code == 201, exported.text
    assert stemma.services[subjects.GATEWAY].restarts >= 2
    file = await http.get(f"{exported.headers['location']}/content")
    assert file.content.startswith(b"PK")
    half = len(file.content) // 2
    rest = await http.get(f"{exported.headers['location']}/content", headers={"Range": f"bytes={half}-"})
    assert file.content[:half] + rest.content == file.content
