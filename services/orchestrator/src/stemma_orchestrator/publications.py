"""What the orchestrator publishes, for its AsyncAPI: its publishers are our own, so that FastStream does not know."""

from __future__ import annotations

from collections.abc import Iterator

from faststream.nats import JStream, NatsRouter
from stemma_contracts import Entry, Family, registry, subjects
from stemma_contracts.subjects import ANY


def publications() -> NatsRouter:
    """Publishers that publish nothing: one for each contract and address."""
    router = NatsRouter()
    for entry in registry.entries():
        for stream, subject in _addresses(entry):
            made = JStream(stream, declare=False)
            router.publisher(subject, stream=made, schema=entry.cls, title=f"{subject}:{entry.token}")
    return router


def _addresses(entry: Entry) -> Iterator[tuple[str, str]]:
    match entry.family:
        case Family.JOB if entry.service is not None:
            yield subjects.JOBS, subjects.job(entry.service, entry.token)
            yield subjects.JOBS, subjects.bulk_job(entry.service, entry.token)
        case Family.EVENT:
            yield subjects.EVENTS, subjects.event(ANY, ANY, entry.token)
        case Family.ANSWER:
            yield subjects.ANSWERS, subjects.answer(ANY, ANY)
