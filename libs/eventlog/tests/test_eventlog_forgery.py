"""What somebody got into the log of a document and is no event of it: skipped, reported, and the document lives on."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import pytest
from nats.aio.client import Client
from stemma_contracts import Contract, envelope_for, registry, subjects
from stemma_contracts.v1.events import DocumentPaused, DocumentResumed, SectionApproved
from stemma_contracts.v1.jobs import ValidateDraft
from stemma_eventlog import Cause, Decider, EventStore, JetStreamEventLog, StreamId

pytestmark = pytest.mark.req("S3")
AT = datetime(2026, 1, 1, tzinfo=UTC)
PAUSED = registry.encode(DocumentPaused(actor="mallory"))
Actors = tuple[str | None, ...]


def decide(command: str, state: Actors) -> Sequence[Contract]:
    return () if command in state else [DocumentPaused(actor=command)]


def evolve(state: Actors, event: Contract, _: datetime, __: int) -> Actors:
    if isinstance(event, SectionApproved):
        return state
    return (*state, getattr(event, "actor", None))


DECIDER: Decider[str, Actors, Contract] = Decider((), decide, evolve)


def headers(event: type[Contract] = DocumentPaused, number: int = 2, about: str = "default/doc1") -> dict[str, str]:
    entry = registry.entry_of(event)
    return envelope_for(entry, id="forged", source="/x", subject=about, time=AT, sequence=number).headers()


FORGED: dict[str, tuple[Mapping[str, str], bytes]] = {
    "without an envelope": ({}, b"{}"),
    "without a number": (headers(number=0), PAUSED),
    "with a number that was there": (headers(number=1), PAUSED),
    "with a number larger than the log's": (headers(number=10**12), PAUSED),
    "with a number after which none can be written": (headers() | {"ce-sequence": "9" * 4300}, PAUSED),
    "that cannot be read, with a number larger than the log's": (headers(number=10**12), b"\xff"),
    "of another document": (headers(about="default/doc2"), PAUSED),
    "of an unknown type": (headers() | {"ce-type": "stemma.nothing.v1"}, PAUSED),
    "of another type than its subject says": (headers(DocumentResumed), PAUSED),
    "that is a job": (headers(ValidateDraft), b"{}"),
    "that is no JSON": (headers(), b"\xff"),
    "with fields that do not fit": (headers(), b'{"actor": 7}'),
    "with the server's headers": (headers() | {"Nats-Sequence": "999", "Nats-Subject": "x"}, b"\xff"),
}


def about(said: Mapping[str, str], stream: StreamId) -> dict[str, str]:
    """The headers with this document in place of the first."""
    return {name: value.replace("default/doc1", f"default/{stream.document_id}") for name, value in said.items()}


@pytest.mark.parametrize("forged", FORGED)
async def test_what_is_no_event_of_its_document_is_skipped_and_reported(
    orchestrator: Client, stream: StreamId, forged: str
) -> None:
    said, body = FORGED[forged]
    store = EventStore(JetStreamEventLog(orchestrator), DECIDER)
    await store.handle(stream, "ada", cause("ada"))
    subject = subjects.event(stream.tenant, stream.document_id, "document-paused")
    stored = await orchestrator.jetstream().publish(subject, body, headers=about(said, stream))
    await store.handle(stream, "ben", cause("ben"))

    reported: list[tuple[int, str]] = []
    again = EventStore(
        JetStreamEventLog(orchestrator), DECIDER, report=lambda _, sequence, why: reported.append((sequence, why))
    )
    assert (await again.load(stream)).state == ("ada", "ben")
    assert (await again.handle(stream, "cleo", cause("cleo"))).folded.state == ("ada", "ben", "cleo")
    assert [sequence for sequence, _ in reported] == [stored.seq]
    assert "mallory" not in str(reported)


async def test_an_event_that_does_not_fit_what_was_before_is_skipped(orchestrator: Client, stream: StreamId) -> None:
    store = EventStore(JetStreamEventLog(orchestrator), DECIDER)
    await store.handle(stream, "ada", cause("ada"))
    event = SectionApproved(section_id="nowhere", version=1)
    subject = subjects.event(stream.tenant, stream.document_id, "section-approved")
    await orchestrator.jetstream().publish(
        subject, registry.encode(event), headers=about(headers(SectionApproved), stream)
    )
    await store.handle(stream, "ben", cause("ben"))
    reported: list[tuple[int, str]] = []
    again = EventStore(
        JetStreamEventLog(orchestrator), DECIDER, report=lambda _, sequence, why: reported.append((sequence, why))
    )
    folded = await again.load(stream)
    assert (folded.state, folded.count) == (("ada", "ben"), 3)
    assert [why for _, why in reported] == ["it does not fit what was before"]


def cause(name: str) -> Cause:
    return Cause(f"cause-{name}", "/test", AT)
