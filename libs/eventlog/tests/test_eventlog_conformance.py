"""One suite for every event log: in memory and on the real server."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest
from nats.aio.client import Client
from stemma_contracts import Contract, envelope_for, registry
from stemma_contracts.v1 import events as e
from stemma_eventlog import Conflict, EventLog, JetStreamEventLog, MemoryEventLog, NewEvent, Recorded, StreamId

STREAM = StreamId("default", "doc1")
OTHER = StreamId("default", "doc2")


@pytest.fixture(params=["memory", "jetstream"])
def log(request: pytest.FixtureRequest) -> EventLog:
    if request.param == "memory":
        return MemoryEventLog()
    orchestrator: Client = request.getfixturevalue("orchestrator")
    return JetStreamEventLog(orchestrator, batch=10)


def new(event: Contract, number: int, stream: StreamId = STREAM) -> NewEvent:
    envelope = envelope_for(
        registry.entry_of(event),
        id=f"e{number}",
        source="/test",
        subject=f"{stream.tenant}/{stream.document_id}",
        time=datetime(2026, 1, 1, tzinfo=UTC),
        sequence=number,
    )
    return NewEvent(envelope, event)


async def events(log: EventLog, after: int = 0) -> list[Recorded]:
    found = await log.read(STREAM, after)
    return [event for event in found if isinstance(event, Recorded)]


async def test_an_empty_document_has_no_events(log: EventLog) -> None:
    assert await log.read(STREAM) == []


async def test_reads_back_what_was_appended_in_order(log: EventLog) -> None:
    last = await log.append(STREAM, 0, [new(e.DocumentPaused(), 1)])
    last = await log.append(STREAM, last, [new(e.DocumentResumed(), 2)])
    recorded = await events(log)
    assert [r.event for r in recorded] == [e.DocumentPaused(), e.DocumentResumed()]
    assert [r.envelope.sequence for r in recorded] == [1, 2]
    assert recorded[-1].sequence == last


async def test_reads_a_long_history_and_only_what_is_behind_a_sequence(log: EventLog) -> None:
    sequences = [0]
    for number in range(1, 36):
        sequences.append(await log.append(STREAM, sequences[-1], [new(e.DocumentPaused(), number)]))
    assert len(await log.read(STREAM)) == 35
    assert [r.envelope.sequence for r in await events(log, sequences[33])] == [34, 35]
    assert await log.read(STREAM, sequences[-1]) == []


async def test_refuses_an_append_behind_the_end(log: EventLog) -> None:
    await log.append(STREAM, 0, [new(e.DocumentPaused(), 1)])
    with pytest.raises(Conflict):
        await log.append(STREAM, 0, [new(e.DocumentResumed(), 1)])
    assert len(await log.read(STREAM)) == 1


async def test_documents_do_not_disturb_each_other(log: EventLog) -> None:
    first = await log.append(STREAM, 0, [new(e.DocumentPaused(), 1)])
    await log.append(OTHER, 0, [new(e.DocumentPaused(), 1, OTHER)])
    await log.append(STREAM, first, [new(e.DocumentResumed(), 2)])
    assert len(await log.read(STREAM)) == 2
    assert len(await log.read(OTHER)) == 1


async def test_the_events_of_one_decision_have_sequences_that_follow_one_another(log: EventLog) -> None:
    paused = [new(e.DocumentPaused(), number) for number in (1, 2, 3)]
    others = [new(e.DocumentPaused(), number, OTHER) for number in (1, 2, 3)]
    last, _ = await asyncio.gather(log.append(STREAM, 0, paused), log.append(OTHER, 0, others))
    assert [recorded.sequence for recorded in await events(log)] == [last - 2, last - 1, last]


async def test_several_events_of_one_decision_are_there_together(log: EventLog) -> None:
    last = await log.append(STREAM, 0, [new(e.DocumentPaused(), 1), new(e.DocumentResumed(), 2)])
    recorded = await events(log)
    assert [r.event for r in recorded] == [e.DocumentPaused(), e.DocumentResumed()]
    assert recorded[-1].sequence == last


async def test_several_events_behind_the_end_are_refused_together(log: EventLog) -> None:
    await log.append(STREAM, 0, [new(e.DocumentPaused(), 1)])
    with pytest.raises(Conflict):
        await log.append(STREAM, 0, [new(e.DocumentResumed(), 2), new(e.DocumentPaused(), 3)])
    assert len(await log.read(STREAM)) == 1


async def test_of_many_writers_one_wins_each_place(log: EventLog) -> None:
    results = await asyncio.gather(
        *(log.append(STREAM, 0, [new(e.DocumentPaused(), number)]) for number in range(8)), return_exceptions=True
    )
    assert sum(isinstance(result, int) for result in results) == 1
    assert sum(isinstance(result, Conflict) for result in results) == 7
