"""One tenant floods the installation, and how long another one waits meanwhile, beside how long it waits in quiet.

The flood: requests for documents, requests with spoilt uploads, inputs of 5 MB that are hard to read, exports of texts
that are hard to convert, and uploads up to their bound.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from bench_installation import Installation, installation
from bench_report import row, title
from stemma_client import Client, StemmaError, TenantFullError
from stemma_contracts import subjects
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.values import ExportFormat, ReviewMode, ReviewPolicy, UploadRef
from stemma_provisioning import Bounds
from stemma_testkit.driving import ENDS, wait_for

CALM, FLOODING = "default", "flooding"
MB = 1024 * 1024
HARD = "[a]("
WITHIN_S = 1800.0
PAUSE_S = 0.05
TARGET = 3.0


@dataclass(frozen=True)
class Size:
    """How much comes, and how often the other tenant asks in quiet."""

    requests: int = 1000
    spoilt: int = 300
    inputs: int = 10
    exports: int = 2
    upload_mb: int = 2048
    calm: int = 100


QUICK = Size(requests=200, spoilt=60, inputs=2, exports=2, upload_mb=64, calm=20)


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
        poisoned = await _poisoned(flooding)
        await _asked(calm, Waits(), 5)
        quiet, flooded = Waits(), Waits()
        await _asked(calm, quiet, size.calm)
        coming = asyncio.create_task(_come(flooding, size, poisoned))
        while not coming.done():
            await _asked(calm, flooded, 1)
        row("of the flood", ", ".join(f"{number} {what}" for what, number in coming.result().items()))
        row("jobs in the queues at its end", ", ".join(f"{n} {name}" for name, n in (await _queued(running)).items()))
        _tell(quiet, flooded)


async def _asked(client: Client, waits: Waits, number: int) -> None:
    """Ask for documents of one section, one after the other: when each is answered, and when it is there."""
    for _ in range(number):
        started = time.perf_counter()
        accepted = await client.request(_document(), wait_s=WITHIN_S)
        waits.add("answer to a request", started)
        await client.history(accepted.document_id)
        waits.add("answer, and its events read", started)
        await wait_for(client, accepted.document_id, lambda event: isinstance(event, ENDS), WITHIN_S)
        waits.add("document of one section, written and checked", started)
        await asyncio.sleep(PAUSE_S)


def _document(**more: Any) -> r.CreateDocument:
    return r.CreateDocument(
        kind="proposal", brief="Write it.", sections=("research",), review=ReviewPolicy(mode=ReviewMode.NONE), **more
    )


async def _come(client: Client, size: Size, poisoned: str) -> dict[str, int]:
    """All of the flood at once, until it is answered or refused; what became of it."""
    numbers = count()
    bodies = [_document() for _ in range(size.requests)] + [_spoilt(number) for number in range(size.spoilt)]
    publishing = [_publish(client, body) for body in bodies]
    exporting = [client.export(poisoned, ExportFormat.DOCX) for _ in range(size.exports)]
    reading = [_hard_input(client, number) for number in range(size.inputs)]
    found = await asyncio.gather(
        *publishing, *exporting, *reading, _upload_all(client, numbers), return_exceptions=True
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


async def _poisoned(client: Client) -> str:
    """A document that is hard to convert."""
    accepted = await client.request(_document(), wait_s=WITHIN_S)
    await wait_for(client, accepted.document_id, lambda event: isinstance(event, ENDS), WITHIN_S)
    text = "<!--" * 100_000
    await client.request(
        r.EditSection(document_id=accepted.document_id, section_id="research", version=1, text=text), wait_s=WITHIN_S
    )
    return accepted.document_id


async def _queued(running: Installation) -> dict[str, int]:
    js = running.admin.jetstream()
    infos = [await js.consumer_info(subjects.JOBS, service) for service in subjects.WORKERS]
    return {info.name: (info.num_pending or 0) + (info.num_ack_pending or 0) for info in infos}


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
