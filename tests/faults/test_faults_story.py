"""An edit-stale-regenerate story, and each service killed at each of its effects: log and texts do not differ."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from difflib import unified_diff
from itertools import count, zip_longest
from pathlib import Path
from typing import Any

import nats
import pytest
from nats.js import JetStreamContext
from stemma_cli.local.supervisor import LocalStemma
from stemma_client import Client
from stemma_client.recorded import RecordedEvent
from stemma_contracts import subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.references import ArtifactRef
from stemma_provisioning import PROVISIONER, inbox_prefix
from stemma_testkit.crashing import Crashes, Point
from stemma_testkit.servers import eventually

BRIEF = "Write a proposal for a lending library of cargo bicycles in the town of Aumont."
PLAN = b"""# The plan of the library

The library in Aumont has 12 bicycles and costs 48,000 EUR in the first year. It opens on 1 May 2027.
Half of the need is in the old town, where 40 families asked for a bicycle. The solution is one station at the market.
"""
WRITTEN = "## Connections\n\nA person wrote this about the tram stop at the north gate.\n"
REPLACED = "## Solution\n\nA person wrote that there is one station, at the mill.\n"
QUEUES = (subjects.REQUESTS, subjects.JOBS, subjects.OUTCOMES)
# What differs between two runs of one story, or counts only what a process itself did.
OF_THE_RUN = {"job_id", "request_id", "request_digest", "document_id", "created_at", "usage", "processing_metadata"}
# The ids of blocks are made of the document's.
OF_THE_DOCUMENT = "blocks"
# One write of the read model may stand for several events, so that another run has fewer of them.
GATHERED = f"write {subjects.VIEWS_BUCKET}"
# The server tells of messages that came too late or too often, which on a busy machine are others each time.
NOT_IN_EVERY_RUN = {GATHERED, f"acknowledge {subjects.ADVISORIES}"}
# A service that crashed starts anew before it answers.
ANSWERED_S = 120.0
RUNS = count(1)


@dataclass(frozen=True)
class Told:
    """What is left of a story: the log without what is of the run, and all texts by digest."""

    log: list[tuple[str, dict[str, Any]]]
    texts: dict[str, bytes]


@dataclass(frozen=True)
class Stage:
    """A running installation whose services can be made to crash."""

    stemma: LocalStemma
    client: Client
    jetstream: JetStreamContext
    crashes: Mapping[str, Crashes]

    async def tell(self) -> Told:
        """The story from beginning to end, and what is left of it."""
        name = f"story-{next(RUNS)}"
        plan = await self.client.upload(PLAN, name="plan.md")
        create = r.CreateDocument(
            request_id=name, kind="proposal", brief=BRIEF, sections=("connections",), inputs=(plan,)
        )
        document_id = (await self.client.request(create, wait_s=ANSWERED_S)).document_id
        await self.quiet()
        step = 0
        async for request in self._steps(document_id):
            await self.client.request(request.model_copy(update={"request_id": f"{name}-{step}"}), wait_s=ANSWERED_S)
            await self.quiet()
            step += 1
        history = await self.client.history(document_id)
        await self._seen(document_id, history[-1].sequence)
        return await self._told(document_id, history)

    async def _steps(self, document_id: str) -> AsyncIterator[r.DocumentRequest]:
        """connections rests on solution, and solution on research."""
        about: dict[str, Any] = {"document_id": document_id}
        yield r.ApproveSection(**about, section_id="research", version=1)
        yield r.ApproveSection(**about, section_id="solution", version=1)
        yield r.ApproveSection(**about, section_id="connections", version=1)
        yield r.EditSection(
            **about, section_id="research", version=1, instruction="Say that the winter months are quiet."
        )
        proposal_id = await self._proposed(document_id, "research")
        yield r.AcceptEdit(**about, section_id="research", version=1, proposal_id=proposal_id)
        yield r.RegenerateSection(**about, section_id="solution", version=1, guidance="Say that the tram stop is near.")
        yield r.ApproveSection(**about, section_id="solution", version=2)
        yield r.EditSection(**about, section_id="solution", version=2, text=REPLACED)
        yield r.KeepSection(**about, section_id="connections", version=1)
        yield r.EditSection(**about, section_id="connections", version=1, text=WRITTEN)
        yield r.ExportDocument(**about, format=ExportFormat.MD)

    async def _proposed(self, document_id: str, section_id: str) -> str:
        proposal = (await self.client.document(document_id)).sections[section_id].proposal
        assert proposal is not None
        return proposal.proposal_id

    async def quiet(self) -> None:
        """Nothing is under way: no request, job or outcome was there, nor came, between two looks."""

        async def nothing_moves() -> bool:
            first = [await self._state(queue) for queue in QUEUES]
            return first == [await self._state(queue) for queue in QUEUES] and not any(n for _, n in first)

        await eventually(nothing_moves, within_s=60)

    async def _state(self, stream: str) -> tuple[int, int]:
        state = (await self.jetstream.stream_info(stream)).state
        return state.last_seq, state.messages

    async def _seen(self, document_id: str, sequence: int) -> None:
        """The read model has caught up with the log."""

        async def caught_up() -> bool:
            documents = {summary.document_id: summary for summary in await self.client.documents()}
            return document_id in documents and documents[document_id].last_sequence == sequence

        await eventually(caught_up, within_s=60)

    async def _told(self, document_id: str, history: list[RecordedEvent]) -> Told:
        assert [event.envelope.sequence for event in history] == list(range(1, len(history) + 1))
        assert (await self.client.document(document_id)).status is DocumentStatus.COMPLETED
        refs = [ref for event in history for ref in _refs(json.loads(event.data))]
        texts = {ref.digest: await self.client.artifact(document_id, ref) for ref in refs}
        assert (await self._state(subjects.DEAD))[1] == 0
        return Told(_in_order([_plain(event) for event in history]), texts)

    async def tell_with_crashes(self, points: Mapping[str, Point]) -> Told:
        """The story, in which each of these services ends once, and is started again."""
        for crashes in self.crashes.values():
            crashes.forget()
        for service, point in points.items():
            self.crashes[service].arm(point)
        async with asyncio.TaskGroup() as restarting:
            waiting = {service: restarting.create_task(self._restart(service)) for service in points}
            told = await self.tell()
            for service, task in waiting.items():
                if self.crashes[service].armed:
                    assert points[service].effect in NOT_IN_EVERY_RUN
                    task.cancel()
        return told

    async def _restart(self, service: str) -> None:
        """Start the service again as soon as it ended; the supervisor would wait longer each time."""

        async def ended() -> bool:
            return not self.crashes[service].armed

        await eventually(ended, within_s=120)
        await self.stemma.services[service].stop()
        await self.stemma.start_service(service)

    async def points(self) -> dict[str, list[Point]]:
        """Every point of an undisturbed story, by service."""
        for crashes in self.crashes.values():
            crashes.forget()
        await self.tell()
        return {service: list(_points(crashes.effects())) for service, crashes in self.crashes.items()}


def _points(effects: Iterable[str]) -> Iterable[Point]:
    seen: Counter[str] = Counter()
    for effect in effects:
        seen[effect] += 1
        yield Point(effect, seen[effect], "before")
        yield Point(effect, seen[effect], "after")


def _plain(event: RecordedEvent) -> tuple[str, dict[str, Any]]:
    assert event.contract is not None
    told = event.contract.model_dump(mode="json", exclude=OF_THE_RUN)
    (told.get("validation") or {}).pop(OF_THE_DOCUMENT, None)
    return type(event.contract).__name__, told


def _in_order(log: list[tuple[str, dict[str, Any]]]) -> list[tuple[str, dict[str, Any]]]:
    """The two checks of one text run at the same time, so that either may come first."""
    pairs = range(len(log) - 1)
    for i in pairs:
        if log[i][0] == log[i + 1][0] == e.SectionChecked.__name__:
            log[i : i + 2] = sorted(log[i : i + 2], key=str)
    return log


def _refs(value: Any) -> list[ArtifactRef]:
    match value:
        case {"digest": _, "size": _}:
            return [ArtifactRef.model_validate(value)]
        case dict():
            return [ref for key, item in value.items() if key != OF_THE_DOCUMENT for ref in _refs(item)]
        case list():
            return [ref for item in value for ref in _refs(item)]
        case _:
            return []


@asynccontextmanager
async def staged(folder: Path) -> AsyncIterator[Stage]:
    crashes = {service: Crashes(folder / "crashes" / service) for service in subjects.SERVICES}
    env = {service: crash.env for service, crash in crashes.items()}
    async with LocalStemma(folder / "data", processes=True, ack_wait_s=1, env=env) as stemma, stemma.client() as client:
        connection = await nats.connect(
            stemma.url,
            user=PROVISIONER,
            password=stemma.password(PROVISIONER),
            inbox_prefix=inbox_prefix(PROVISIONER),
        )
        try:
            yield Stage(stemma, client, connection.jetstream(timeout=10), crashes)
        finally:
            await connection.close()


@pytest.mark.full
@pytest.mark.timeout(7200)
@pytest.mark.req("E1", "P9")
async def test_a_crash_at_any_effect_of_any_service_leaves_no_trace_in_log_or_texts(tmp_path: Path) -> None:
    """In each telling every service ends at the next of its points, as long as it has one."""
    async with staged(tmp_path) as stage:
        undisturbed = await stage.tell()
        points = await stage.points()
        for row in zip_longest(*points.values()):
            chosen = {service: point for service, point in zip(points, row, strict=True) if point is not None}
            told = await stage.tell_with_crashes(chosen)
            assert told == undisturbed, f"{shown(chosen)}\n{difference(undisturbed, told)}"


def shown(points: Mapping[str, Point]) -> str:
    return ", ".join(f"{service} {point}" for service, point in points.items())


def difference(undisturbed: Told, told: Told) -> str:
    """The events that only one of the two has."""
    one, other = (
        [f"{name} {json.dumps(fields, sort_keys=True)}" for name, fields in each.log] for each in (undisturbed, told)
    )
    return "\n".join(unified_diff(one, other, lineterm="", n=0))
