"""One suite for every event log: in memory and on the real server."""

import asyncio
from datetime import UTC, datetime
from uuid import uuid4

import pytest
from nats.aio.client import Client
from stemma_contracts import Contract, envelope_for, registry
from stemma_contracts.v1 import events as e
from stemma_eventlog import Conflict, EventLog, JetStreamEventLog, MemoryEventLog, NewEvent, Recorded, StreamId


@pytest.fixture(params=["memory", "jetstream"])
def log(request: pytest.FixtureRequest) -> EventLog:
    if request.param == "memory":
        return MemoryEventLog()
    orchestrator: Client = request.getfixturevalue("orchestrator")
    return JetStreamEventLog(orchestrator, batch=10)


@pytest.fixture
def other() -> StreamId:
    return StreamId("default", uuid4().hex)


def new(event: Contract, number: int, stream: StreamId) -> NewEvent:
    envelope = envelope_for(
        registry.entry_of(event),
        id=f"e{number}",
        source="/test",
        subject=f"{stream.tenant}/{stream.document_id}",
        time=datetime(2026, 1, 1, tzinfo=UTC),
        sequence=number,
    )
    return NewEvent(envelope, event)


async def events(log: EventLog, stream: StreamId, after: int = 0) -> list[Recorded]:
    found = await log.read(stream, after)
    return [event for event in found if isinstance(event, Recorded)]


async def test_an_empty_document_has_no_events(log: EventLog, stream: StreamId) -> None:
    assert await log.read(stream) == []


async def test_reads_back_what_was_appended_in_order(log: EventLog, stream: StreamId) -> None:
    last = await log.append(stream, 0, [new(e.DocumentPaused(), 1, stream)])
    last = await log.append(stream, last, [new(e.DocumentResumed(), 2, stream)])
    recorded = await events(log, stream)
    assert [r.event for r in recorded] == [e.DocumentPaused(), e.DocumentResumed()]
    assert [r.envelope.sequence for r in recorded] == [1, 2]
    assert recorded[-1].sequence == last


async def test_reads_a_long_history_and_only_what_is_behind_a_sequence(log: EventLog, stream: StreamId) -> None:
    sequences = [0]
    for number in range(1, 36):
        sequences.append(await log.append(stream, sequences[-1], [new(e.DocumentPaused(), number, stream)]))
    assert len(await log.read(stream)) == 35
    assert [r.envelope.sequence for r in await events(log, stream, sequences[33])] == [34, 35]
    assert await log.read(stream, sequences[-1]) == []


async def test_documents_do_not_disturb_each_other(log: EventLog, stream: StreamId, other: StreamId) -> None:
    first = await log.append(stream, 0, [new(e.DocumentPaused(), 1, stream)])
    await log.append(other, 0, [new(e.DocumentPaused(), 1, other)])
    await log.append(stream, first, [new(e.DocumentResumed(), 2, stream)])
    assert len(await log.read(stream)) == 2
    assert len(await log.read(other)) == 1


async def test_events_of_one_decision_are_there_together_and_follow_one_another(
    log: EventLog, stream: StreamId, other: StreamId
) -> None:
    paused = [new(e.DocumentPaused(), number, stream) for number in (1, 2, 3)]
    others = [new(e.DocumentPaused(), number, other) for number in (1, 2, 3)]
    last, _ = await asyncio.gather(log.append(stream, 0, paused), log.append(other, 0, others))
    assert [recorded.sequence for recorded in await events(log, stream)] == [last - 2, last - 1, last]
    with pytest.raises(Conflict):
        await log.append(stream, 0, [new(e.DocumentResumed(), 4, stream), new(e.DocumentPaused(), 5, stream)])
    assert len(await log.read(stream)) == 3


async def test_of_many_writers_one_wins_each_place(log: EventLog, stream: StreamId) -> None:
    results = await asyncio.gather(
        *(log.append(stream, 0, [new(e.DocumentPaused(), number, stream)]) for number in range(8)),
        return_exceptions=True,
    )
    assert sum(isinstance(result, int) for result in results) == 1
    assert sum(isinstance(result, Conflict) for result in results) == 7
