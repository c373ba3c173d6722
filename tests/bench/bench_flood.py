"""One tenant floods the installation, and how long another one waits meanwhile, beside how long it waits in quiet.

The flood: requests for documents, requests with spoilt uploads, inputs of 5 MB that are hard to read, exports of texts
that are hard to convert, and uploads up to their bound.
"""

from __future__ import annotations

import asyncio
import json
import signal
import sys
import time
from asyncio.subprocess import PIPE
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import count
from typing import Any

from bench_installation import Installation, ended, installation
from bench_report import row, title
from stemma_cli.local.run import YIELDS
from stemma_client import Client, StemmaError, TenantFullError
from stemma_confinement.process import PDEATHSIG, prctl, yield_processor
from stemma_contracts import subjects
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.references import UploadRef
from stemma_contracts.v1.review import ReviewMode, ReviewPolicy
from stemma_provisioning import Bounds, client_user
from stemma_testkit.driving import ENDS, wait_for

CALM, FLOODING = "default", "flooding"
MB = 1024 * 1024
HARD = "[a]("
WITHIN_S = 1800.0
PAUSE_S = 0.05
TARGET = 3.0


@dataclass(frozen=True)
class Size:
    """How much comes, and how long the other tenant is in quiet before."""

    requests: int = 1000
    spoilt: int = 300
    inputs: int = 10
    exports: int = 2
    upload_mb: int = 2048
    quiet_s: float = 30


QUICK = Size(requests=200, spoilt=60, inputs=2, exports=2, upload_mb=64, quiet_s=10)


@dataclass
class Waits:
    """Seconds until something came, by what it was."""

    seconds: dict[str, list[float]] = field(default_factory=dict)

    def add(self, what: str, started: float) -> None:
        self.seconds.setdefault(what, []).append(time.perf_counter() - started)


async def flood(quick: bool) -> None:
    """The waits of one tenant in quiet and in the flood of another."""
    size = QUICK if quick else Size()
    title(f"a tenant floods: {size}")
    bounds = Bounds(upload_bytes=size.upload_mb * MB)
    async with (
        installation(tenants=(CALM, FLOODING), bounds=bounds) as running,
        running.stemma.client(CALM) as calm,
        running.stemma.client(FLOODING) as flooding,
    ):
        poisoned = await _hard_document(flooding)
        asked = [await calm.request(_document(ReviewMode.HUMAN), wait_s=WITHIN_S) for _ in range(2)]
        life = _Life(calm, *(accepted.document_id for accepted in asked))
        quiet, flooded = Waits(), Waits()
        await life.live(quiet, asyncio.create_task(asyncio.sleep(size.quiet_s)))
        coming = asyncio.create_task(_coming(running, size, poisoned))
        await life.live(flooded, coming)
        row("of the flood", ", ".join(f"{number} {what}" for what, number in (await coming).items()))
        row("jobs in the queues when it is answered", ", ".join(await _queued(running)))
        _tell(quiet, flooded)


@dataclass(frozen=True)
class _Life:
    """A tenant that decides about one document, reads another and has more written, one after the other of each."""

    client: Client
    decided: str
    read: str

    async def live(self, waits: Waits, until: asyncio.Task[Any]) -> None:
        """All three at a time, until something else is done."""
        works = (self._decide, self._read, self._write)
        await asyncio.gather(*(_again(until, partial(work, waits)) for work in works))

    async def _decide(self, waits: Waits) -> None:
        for request in (r.PauseDocument(document_id=self.decided), r.ResumeDocument(document_id=self.decided)):
            started = time.perf_counter()
            await self.client.request(request, wait_s=WITHIN_S)
            waits.add("a decision, until it is answered", started)

    async def _read(self, waits: Waits) -> None:
        started = time.perf_counter()
        await self.client.document(self.read)
        waits.add("a document, read", started)

    async def _write(self, waits: Waits) -> None:
        started = time.perf_counter()
        accepted = await self.client.request(_document(), wait_s=WITHIN_S)
        await wait_for(self.client, accepted.document_id, lambda event: isinstance(event, ENDS), WITHIN_S)
        waits.add("a document of one section, written and checked", started)


async def _again(until: asyncio.Task[Any], work: Callable[[], Awaitable[None]]) -> None:
    while not until.done():
        await work()
        await asyncio.sleep(PAUSE_S)


def _document(mode: ReviewMode = ReviewMode.NONE, **more: Any) -> r.CreateDocument:
    return r.CreateDocument(
        kind="proposal", brief="Write it.", sections=("research",), review=ReviewPolicy(mode=mode), **more
    )


async def _coming(running: Installation, size: Size, poisoned: str) -> dict[str, int]:
    """The flood from a process of its own: whoever is flooded has a process to itself."""
    password = running.stemma.password(client_user(FLOODING))
    told = json.dumps({"url": running.stemma.url, "password": password, "poisoned": poisoned, "size": asdict(size)})
    command = sys.executable, __file__
    process = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, start_new_session=True)
    async with ended(process):
        output, _ = await process.communicate(told.encode())
    return dict(json.loads(output))


async def _come(url: str, password: str, poisoned: str, size: Size) -> dict[str, int]:
    """All of the flood at once, until it is answered or refused; what became of it."""
    numbers = count()
    async with Client.connect(url, tenant=FLOODING, user=client_user(FLOODING), password=password) as client:
        bodies = [_document() for _ in range(size.requests)] + [_spoilt(number) for number in range(size.spoilt)]
        found = await asyncio.gather(
            *(_publish(client, body) for body in bodies),
            *(client.export(poisoned, ExportFormat.DOCX) for _ in range(size.exports)),
            *(_hard_input(client, number) for number in range(size.inputs)),
            _upload_all(client, numbers),
            return_exceptions=True,
        )
    return {"refused or failed": sum(isinstance(one, BaseException) for one in found), "uploads": next(numbers)}


async def _publish(client: Client, request: r.CreateDocument) -> None:
    """A request and its answer, whatever it is."""
    with suppress(StemmaError):
        await client.request(request, wait_s=WITHIN_S)


def _spoilt(number: int) -> r.CreateDocument:
    digest = f"{number:064x}"
    missing = UploadRef(object_name=digest, digest=digest, size=3, media_type="text/markdown", name="a.md")
    return _document(inputs=(missing,))


async def _hard_input(client: Client, number: int) -> None:
    text = f"# Input {number}\n\n" + HARD * (5 * MB // len(HARD) - 20)
    upload = await client.upload(text.encode(), name="hard.md")
    await client.request(_document(inputs=(upload,)), wait_s=WITHIN_S)


async def _upload_all(client: Client, numbers: Iterator[int]) -> None:
    """Uploads until the server takes no more."""
    with suppress(TenantFullError):
        while True:
            await client.upload(next(numbers).to_bytes(8) * (MB // 2), name="plan.bin")


async def _hard_document(client: Client) -> str:
    """A document that is hard to convert."""
    accepted = await client.request(_document(), wait_s=WITHIN_S)
    await wait_for(client, accepted.document_id, lambda event: isinstance(event, ENDS), WITHIN_S)
    text = "<!--" * 100_000
    await client.request(
        r.EditSection(document_id=accepted.document_id, section_id="research", version=1, text=text), wait_s=WITHIN_S
    )
    return accepted.document_id


async def _queued(running: Installation) -> list[str]:
    js = running.admin.jetstream()
    lanes = [lane for service in subjects.WORKERS for lane in subjects.job_consumers(service)]
    infos = [await js.consumer_info(subjects.JOBS, lane) for lane in lanes]
    return [f"{(info.num_pending or 0) + (info.num_ack_pending or 0)} {info.name}" for info in infos]


def _tell(quiet: Waits, flooded: Waits) -> None:
    for what, seconds in quiet.seconds.items():
        calm, wet = _percentiles(seconds), _percentiles(flooded.seconds[what])
        row(f"{what}, in quiet: p50, p99 of {len(seconds)}", f"{calm[0]:.0f}, {calm[1]:.0f} ms")
        ratio = f"{wet[1] / calm[1]:.1f} times; under {TARGET:g}"
        row(f"{what}, in the flood: of {len(flooded.seconds[what])}", f"{wet[0]:.0f}, {wet[1]:.0f} ms", ratio)


def _percentiles(seconds: list[float]) -> tuple[float, float]:
    """Median and the 99th percentile, in milliseconds."""
    in_order = sorted(seconds)
    return in_order[len(in_order) // 2] * 1000, in_order[min(len(in_order) - 1, int(len(in_order) * 0.99))] * 1000


def main() -> None:
    """Be the flood that standard input describes; what became of it goes to standard output.

    A flood comes from elsewhere: what it costs to make one is left to the installation.
    """
    prctl(PDEATHSIG, signal.SIGKILL)
    yield_processor(YIELDS)
    told = json.load(sys.stdin)
    print(json.dumps(asyncio.run(_come(told["url"], told["password"], told["poisoned"], Size(**told["size"])))))


if __name__ == "__main__":
    main()
