"""Gateway, server and orchestrator are killed while clients ask and follow over HTTP: all comes, and comes once."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Any

import httpx
import pytest
from stemma_cli.local.supervisor import LocalStemma
from stemma_client.bearer import bearer_of
from stemma_client.settings import ServerAddress, client_user
from stemma_contracts import subjects
from stemma_testkit.servers import eventually

WITHIN_S = 600.0
AGAIN_S = 0.1
WAITING = {"Prefer": "wait=30"}
AWAY = (429, 503)
NATS = "nats"
DOCUMENTS, REQUESTS, EVERY = 4, 12, 4
VICTIMS = (subjects.GATEWAY, NATS, subjects.ORCHESTRATOR)
BRIEF = {"kind": "proposal", "brief": "Propose a reading garden beside the library."}
TURNS = ("pause-document", "resume-document")
Seen = list[tuple[int, str]]


@dataclass
class Kills:
    """Kills one after the other, each once ``EVERY`` more requests were answered."""

    stemma: LocalStemma
    killed: list[str] = field(default_factory=list)
    _answered: int = 0

    def answered(self) -> None:
        """Count an answer."""
        self._answered += 1
        if self._answered % EVERY == 0:
            name = VICTIMS[len(self.killed) % len(VICTIMS)]
            self.killed.append(name)
            (self.stemma.nats if name == NATS else self.stemma.services[name]).kill()


async def asked(http: httpx.AsyncClient, path: str, body: dict[str, Any], key: str) -> httpx.Response:
    """The answer to a request; while there is none, the same one is sent again."""
    while True:
        try:
            answer = await http.post(path, json=body, headers={**WAITING, "Idempotency-Key": key})
            if answer.status_code not in (*AWAY, 202):
                return answer
        except httpx.TransportError:
            pass
        await asyncio.sleep(AGAIN_S)


async def follow(http: httpx.AsyncClient, address: str, seen: Seen) -> None:
    """Note the events of a document for ever, each time from behind the last one."""
    while True:
        last = {"Last-Event-ID": str(seen[-1][0] if seen else 0)}
        try:
            async with http.stream("GET", f"{address}/events", headers=last) as stream:
                async for line in stream.aiter_lines():
                    if line.startswith("data: "):
                        event = json.loads(line.removeprefix("data: "))
                        if "sequence" in event:  # a stream that ends tells its problem
                            seen.append((event["sequence"], event["name"]))
        except httpx.TransportError:
            pass
        await asyncio.sleep(AGAIN_S)


async def turned(http: httpx.AsyncClient, address: str, requests: int, answered: Callable[[], None]) -> list[int]:
    """Pause a document and let it go on, again and again; the sequences of the answers."""
    sequences = []
    for number, name in zip(range(requests), cycle(TURNS), strict=False):
        answer = await asked(http, f"{address}/{name}", {}, f"turn-{number}-{address.rpartition('/')[2]}")
        assert answer.status_code == 200, answer.text
        sequences.append(answer.json()["sequence"])
        answered()
    return sequences


@asynccontextmanager
async def connected(stemma: LocalStemma) -> AsyncIterator[httpx.AsyncClient]:
    user = client_user("default")
    shown = f"Bearer {bearer_of(ServerAddress(stemma.url, 'default', user, stemma.password(user)))}"
    timeout = httpx.Timeout(60, read=None)
    async with httpx.AsyncClient(
        base_url=stemma.gateway_url, headers={"Authorization": shown}, timeout=timeout
    ) as http:
        yield http


async def check(http: httpx.AsyncClient, stemma: LocalStemma, address: str, answers: list[int], seen: Seen) -> None:
    """Who followed saw the log as it is, and what was asked for is in it once."""
    async with stemma.client() as client:
        history = [(event.sequence, event.name) for event in await client.history(address.rpartition("/")[2])]

    async def has_all() -> bool:
        return len(seen) >= len(history)

    await eventually(has_all, 120)
    assert seen == history
    turns = [sequence for sequence, name in history if name in ("document-paused", "document-resumed")]
    assert turns == answers


@pytest.mark.full
@pytest.mark.req("H1", "E1", "E3")
@pytest.mark.timeout(1200)
async def test_no_event_is_missed_or_comes_twice_and_every_request_is_answered(tmp_path: Path) -> None:
    services = (subjects.ORCHESTRATOR, subjects.GATEWAY)
    async with (
        asyncio.timeout(WITHIN_S),
        LocalStemma(tmp_path, processes=True, services=services, ack_wait_s=2) as stemma,
        connected(stemma) as http,
        asyncio.TaskGroup() as tasks,
    ):
        kills = Kills(stemma)
        made = [await asked(http, "/documents", BRIEF, f"document-{number}") for number in range(DOCUMENTS)]
        addresses = [answer.headers["location"] for answer in made]
        seen: list[Seen] = [[] for _ in addresses]
        following = [tasks.create_task(follow(http, *each)) for each in zip(addresses, seen, strict=True)]
        answers = await asyncio.gather(*(turned(http, each, REQUESTS, kills.answered) for each in addresses))
        for each in zip(addresses, answers, seen, strict=True):
            await check(http, stemma, *each)
        for task in following:
            task.cancel()
    print(f"{DOCUMENTS * REQUESTS} requests answered and {sum(map(len, seen))} events followed over {kills.killed}")
    assert set(kills.killed) == set(VICTIMS)
