"""Reports which threads are kept, at the start and every day; what the log does not need comes back as a job."""

from __future__ import annotations

import asyncio
import hashlib
from collections import defaultdict
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Protocol, runtime_checkable

from stemma_contracts.v1.outcomes import ThreadsHeld
from stemma_telemetry import get_logger, names

EVERY_S = 24 * 3600.0
MOST = 200
"""Threads in one message; their ids have up to 250 characters."""

Publish = Callable[[ThreadsHeld, str], Awaitable[None]]


@runtime_checkable
class HoldsThreads(Protocol):
    """A checkpointer that tells what it keeps."""

    async def held(self) -> list[tuple[str, str]]:
        """Every thread with its tenant; one that tells no tenant is left out."""


async def report_forever(store: HoldsThreads, publish: Publish, every_s: float) -> None:
    """Report now and every so many seconds, until cancelled."""
    while True:
        try:
            await report_threads(store, publish)
        except Exception as error:
            get_logger().warning(names.Log.SWEEP_FAILED, error=error)
        await asyncio.sleep(every_s)


async def report_threads(store: HoldsThreads, publish: Publish) -> None:
    """Report the threads of each document. The message id makes a second report on one day a duplicate."""
    documents: dict[tuple[str, str], list[str]] = defaultdict(list)
    for thread_id, tenant in sorted(await store.held()):
        documents[tenant, thread_id.partition(".")[0]].append(thread_id)
    for (tenant, document_id), threads in documents.items():
        for some in (tuple(threads[at : at + MOST]) for at in range(0, len(threads), MOST)):
            name = hashlib.sha256(f"{datetime.now(UTC).date()} {tenant} {some}".encode()).hexdigest()[:32]
            job_id = f"{document_id}.threads"
            held = ThreadsHeld(job_id=job_id, tenant=tenant, document_id=document_id, threads=some)
            await publish(held, f"threads.{name}")
