"""The same with 1, 1,000 and 20,000 documents in the log: nothing may grow with the number of other documents."""

from __future__ import annotations

import asyncio
import time
from statistics import median

from bench_installation import Installation, installation
from bench_operations import checks
from bench_report import row, title
from bench_workload import TENANT, Caller, caller, measure
from nats.aio.msg import Msg
from nats.js import JetStreamContext
from stemma_client import Client
from stemma_contracts import subjects
from stemma_contracts.v1.exports import ExportFormat

STEPS = (1, 1_000, 20_000)
QUICK_STEPS = (1, 1_000)
KEPT_EVENTS = 3
AT_A_TIME = 256
POLL_S = 0.2


async def scale(quick: bool) -> None:
    """Synthetic documents, of a few events each, fill the log between the measurements."""
    title("with other documents in the log")
    async with installation() as running, caller(running) as calling, running.stemma.client() as client:
        document_id, _ = await calling.run()
        pattern = await _first_events(running.admin.jetstream(), document_id)
        there = 1
        for number in QUICK_STEPS if quick else STEPS:
            await _append(running.admin.jetstream(timeout=60), pattern, document_id, range(there, number))
            there = number
            await _caught_up(running.admin.jetstream())
            await _measured(running, calling, client, number)


async def _measured(running: Installation, calling: Caller, client: Client, number: int) -> None:
    alone = await measure(running, calling, 1, 5)
    many = await measure(running, calling, 16, 32)
    document_id, _ = await calling.run()
    started = time.perf_counter()
    await client.export(document_id, ExportFormat.DOCX)
    exported = time.perf_counter() - started
    linted = median(checks(await client.history(document_id)))
    await running.stemma.services[subjects.ORCHESTRATOR].stop()
    started = time.perf_counter()
    await running.stemma.start_service(subjects.ORCHESTRATOR)
    restarted = time.perf_counter() - started
    row(f"{number} documents: one run", f"{alone.one_s:.2f} s", f"CPU {alone.all_cpu_ms:.0f} ms")
    row(f"{number} documents: 16 at a time", f"{many.per_s:.1f} /s", f"CPU {many.all_cpu_ms:.0f} ms")
    row(f"{number} documents: lint, export, restart of the orchestrator", f"{linted:.0f} ms", _two(exported, restarted))


def _two(exported: float, restarted: float) -> str:
    return f"{exported:.2f} s, {restarted:.2f} s"


async def _first_events(jetstream: JetStreamContext, document_id: str) -> list[Msg]:
    subject = subjects.event(TENANT, document_id, subjects.ANY)
    subscription = await jetstream.subscribe(subject, ordered_consumer=True)
    events = [await subscription.next_msg(timeout=5) for _ in range(KEPT_EVENTS)]
    await subscription.unsubscribe()
    return events


async def _append(jetstream: JetStreamContext, pattern: list[Msg], document_id: str, numbers: range) -> None:
    limit = asyncio.Semaphore(AT_A_TIME)

    async def one(number: int) -> None:
        async with limit:
            for event in pattern:
                headers, data = event.headers or {}, event.data.decode()
                own = {key: _other(headers[key], document_id, number) for key in headers if key.startswith("ce-")}
                own["ce-id"] = f"{own['ce-id']}-{number}"
                subject = _other(event.subject, document_id, number)
                await jetstream.publish(subject, _other(data, document_id, number).encode(), headers=own)

    await asyncio.gather(*(one(number) for number in numbers))


async def _caught_up(jetstream: JetStreamContext) -> None:
    while True:
        info = await jetstream.consumer_info(subjects.EVENTS, subjects.PROJECTOR)
        if not info.num_pending and not info.num_ack_pending:
            return
        await asyncio.sleep(POLL_S)


def _other(text: str, document_id: str, number: int) -> str:
    return text.replace(document_id, f"synthetic-{number}")
