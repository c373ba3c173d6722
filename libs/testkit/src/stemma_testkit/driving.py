"""A reviewer that approves, and waiting for a document's events with a deadline."""

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path

from stemma_client import Client, RecordedEvent
from stemma_client.samples import SAMPLES
from stemma_contracts import Contract
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.review import ReviewMode
from stemma_contracts.v1.summary import DocumentSummary

from .servers import POLL_S

ENDS = (e.DocumentCompleted, e.DocumentFailed, e.DocumentCancelled)
DEADLINE_S = 90.0


def sample_folder(kind: str = "proposal") -> Path:
    """The folder of the sample of a document kind: ``brief.md`` and ``inputs``."""
    return SAMPLES / kind


async def request_sample(client: Client, review: ReviewMode | None = None, kind: str = "proposal") -> str:
    """Ask for the sample document; its id."""
    folder = sample_folder(kind)
    accepted = await client.create_document(
        kind, brief=(folder / "brief.md").read_text(), inputs=[folder / "inputs"], review=review
    )
    return accepted.document_id


async def wait_for(
    client: Client, document_id: str, condition: Callable[[Contract], bool], within_s: float = DEADLINE_S
) -> list[RecordedEvent]:
    """The events of a document up to the first that meets the condition. Raises `TimeoutError`."""
    seen: list[RecordedEvent] = []
    async with asyncio.timeout(within_s), aclosing(client.follow(document_id)) as events:
        async for event in events:
            seen.append(event)
            if event.contract is not None and condition(event.contract):
                return seen
    raise AssertionError("the events ended")


async def listed(client: Client, document_id: str, within_s: float = DEADLINE_S) -> DocumentSummary:
    """A document in the read model, once that has caught up with the log. Raises `TimeoutError`."""
    async with asyncio.timeout(within_s):
        while True:
            last = (await client.history(document_id))[-1].sequence
            found = {summary.document_id: summary for summary in await client.documents()}
            if document_id in found and found[document_id].last_sequence >= last:
                return found[document_id]
            await asyncio.sleep(POLL_S)


async def approve_all(client: Client, document_id: str, within_s: float = DEADLINE_S) -> list[RecordedEvent]:
    """Approve whatever waits, until the document is at its end; all its events. Raises `TimeoutError`."""
    seen: list[RecordedEvent] = []
    handled = {s.section_id: s.version for s in (await client.document(document_id)).sections.values() if not s.waits}
    async with asyncio.timeout(within_s), aclosing(client.follow(document_id)) as events:
        async for event in events:
            seen.append(event)
            match event.contract:
                case e.SectionReviewRequested(section_id=name, version=version):
                    if handled.get(name, 0) < version:
                        handled[name] = version
                        await client.approve(document_id, name, version)
                case _ if isinstance(event.contract, ENDS) and not event.pending:
                    return seen
    raise AssertionError("the events ended")
