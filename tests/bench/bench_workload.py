"""Many documents at a time: asked for as any caller would, and timed until the log says that they are completed."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from statistics import median
from uuid import uuid4

import psutil
from bench_installation import Installation
from nats.aio.client import Client as Nats
from nats.aio.msg import Msg
from stemma_contracts import subjects
from stemma_testkit.driving import sample_folder

TENANT = "default"
WITHIN_S = 300.0
FOLLOWED = ("document-requested", "section-review-requested", "document-completed")
BRIEF = (sample_folder() / "brief.md").read_text()


@dataclass(frozen=True)
class Measured:
    """``seconds`` of single runs, runs per second, and CPU milliseconds per run by process.

    ``stolen`` is how many cores the host gave to other machines meanwhile.
    """

    seconds: list[float]
    per_s: float
    cpu_ms: dict[str, float]
    stolen: float

    @property
    def one_s(self) -> float:
        """The median of one run."""
        return median(self.seconds)

    @property
    def all_cpu_ms(self) -> float:
        """CPU of all processes together."""
        return sum(self.cpu_ms.values())


@dataclass
class Caller:
    """Asks for documents, approves what waits, and knows when a document is completed."""

    nats: Nats
    _ends: dict[str, asyncio.Future[str]] = field(default_factory=dict)
    _asked: dict[str, str] = field(default_factory=dict)

    async def run(self, mode: str = "none", **more: object) -> tuple[str, float]:
        """One document from the request to its end: its id, and the seconds that it took."""
        request_id, started = uuid4().hex, time.perf_counter()
        self._ends[request_id] = asyncio.get_running_loop().create_future()
        about = {"kind": "proposal", "brief": BRIEF, "review": {"mode": mode}, **more}
        await self.ask("create-document", request_id=request_id, **about)
        async with asyncio.timeout(WITHIN_S):
            return await self._ends[request_id], time.perf_counter() - started

    async def ask(self, name: str, **body: object) -> None:
        """Publish a request as plain JSON."""
        await self.nats.jetstream(timeout=30).publish(subjects.request(TENANT, name), json.dumps(body).encode())

    async def on_event(self, message: Msg) -> None:
        """Follow all documents by what their caller has to know."""
        address, headers = subjects.parse_event(message.subject), message.headers or {}
        document_id = address.document_id
        match address.name:
            case "document-requested":
                self._asked[document_id] = headers.get("ce-correlationid", "")
            case "section-review-requested":
                waits = json.loads(message.data)
                decided = {"section_id": waits["section_id"], "version": waits["version"], "actor": "bench"}
                await self.ask("approve-section", document_id=document_id, **decided)
            case "document-completed":
                end = self._ends.pop(self._asked.get(document_id, ""), None)
                if end is not None:
                    end.set_result(document_id)


@asynccontextmanager
async def caller(running: Installation) -> AsyncIterator[Caller]:
    """A caller that follows the documents of its tenant."""
    async with running.stemma.client() as client:
        calling = Caller(client._connection.nats)
        for name in FOLLOWED:
            await calling.nats.subscribe(subjects.event(TENANT, subjects.ANY, name), cb=calling.on_event)
        yield calling


async def measure(running: Installation, calling: Caller, at_a_time: int, runs: int, mode: str = "none") -> Measured:
    """Run documents, so many at a time."""
    limit, seconds = asyncio.Semaphore(at_a_time), []

    async def one() -> None:
        async with limit:
            seconds.append((await calling.run(mode))[1])

    before, stolen, started = running.cpu_seconds(), _stolen_s(), time.perf_counter()
    await asyncio.gather(*(one() for _ in range(runs)))
    wall, stolen, after = time.perf_counter() - started, _stolen_s() - stolen, running.cpu_seconds()
    cpu_ms = {name: (after[name] - before[name]) / runs * 1000 for name in before}
    return Measured(seconds, runs / wall, cpu_ms, stolen / wall)


def _stolen_s() -> float:
    """Core seconds that a hypervisor gave to others while this machine wanted them; 0 where that is not told."""
    return float(getattr(psutil.cpu_times(), "steal", 0.0))
