"""The load-fold-decide-append-retry loop, on a decider that counts."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import TimeoutError as NatsTimeout
from stemma_contracts import Contract
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.events import (
    DecisionRefused,
    DocumentPaused,
    DocumentResumed,
    FormExportRequested,
    SectionUnassigned,
)
from stemma_eventlog import (
    AppendUnknown,
    Cause,
    Decider,
    EventLog,
    EventStore,
    FoldFailed,
    JetStreamEventLog,
    MemoryEventLog,
    NewEvent,
    Recorded,
    StreamId,
)

STREAM = StreamId("default", "doc1")
Counts = dict[str, int]


def decide(command: str, state: Counts) -> Sequence[Contract]:
    """Each command counts once: it is known by the actor of its event."""
    if command in state:
        return ()
    events: list[Contract] = [DocumentPaused(actor=command)]
    return [*events, DocumentResumed(actor=command)] if command.startswith("two") else events


Places = tuple[tuple[datetime, int], ...]


def evolve(state: Counts, event: Contract, _: datetime, __: int) -> Counts:
    actor = getattr(event, "actor", "")
    return {**state, actor: state.get(actor, 0) + 1}


DECIDER: Decider[str, Counts, Contract] = Decider({}, decide, evolve)


def cause(name: str) -> Cause:
    return Cause(f"cause-{name}", "/test", datetime(2026, 1, 1, tzinfo=UTC), correlation_id="r1")


async def recorded_in(log: EventLog, stream: StreamId = STREAM) -> list[Recorded]:
    return [found for found in await log.read(stream) if isinstance(found, Recorded)]


async def test_gives_the_events_and_the_state_after_them() -> None:
    handled = await EventStore(MemoryEventLog(), DECIDER).handle(STREAM, "a", cause("a"))
    assert (handled.events, handled.folded.state) == ((DocumentPaused(actor="a"),), {"a": 1})


def places(seen: Places, _: Contract, at: datetime, sequence: int) -> Places:
    return (*seen, (at, sequence))


async def test_an_event_is_folded_with_its_time_and_its_place_in_the_log_now_and_when_it_is_read_again() -> None:
    decider: Decider[str, Places, Contract] = Decider((), lambda a, _: decide(a, {}), places)
    log = MemoryEventLog()
    handled = await EventStore(log, decider).handle(STREAM, "two-a", cause("a"))
    assert handled.folded.state == ((cause("a").time, 1), (cause("a").time, 2))
    assert (await EventStore(log, decider).load(STREAM)).state == handled.folded.state


@pytest.mark.parametrize(
    "event",
    [
        SectionUnassigned(section_id="a", assignee="ada"),
        DecisionRefused(section_id="a", request="any", problem=Problem.of("not_assigned")),
        FormExportRequested(export_id="x", input_id="i", input_version=1, section_id="a", version=1),
    ],
    ids=lambda event: type(event).__name__,
)
@pytest.mark.req("E5")
async def test_what_names_a_section_leaves_its_trace_there(event: Contract) -> None:
    decider: Decider[str, Counts, Contract] = Decider({}, lambda *_: [event], evolve)
    traced = replace(cause("a"), trace={"traceparent": "00-1-2-01"})
    handled = await EventStore(MemoryEventLog(), decider).handle(STREAM, "a", traced)
    assert handled.folded.traces["a"] == traced.trace


async def test_the_same_command_again_adds_nothing() -> None:
    log = MemoryEventLog()
    await EventStore(log, DECIDER).handle(STREAM, "a", cause("a"))
    handled = await EventStore(log, DECIDER).handle(STREAM, "a", cause("a"))
    assert handled.events == ()
    assert len(await log.read(STREAM)) == 1


async def test_numbers_the_events_of_a_document_without_gaps() -> None:
    log = MemoryEventLog()
    store = EventStore(log, DECIDER)
    for name in ("a", "two-b", "c"):
        await store.handle(STREAM, name, cause(name))
    recorded = await recorded_in(log)
    assert [r.envelope.sequence for r in recorded] == [1, 2, 3, 4]
    assert [r.envelope.id for r in recorded] == ["cause-a.0", "cause-two-b.0", "cause-two-b.1", "cause-c.0"]
    assert {r.envelope.correlation_id for r in recorded} == {"r1"}


@pytest.mark.req("E1")
async def test_two_processes_on_one_document_lose_nothing(orchestrator: Client, stream: StreamId) -> None:
    stores = [EventStore(JetStreamEventLog(orchestrator), DECIDER) for _ in range(3)]
    names = [f"{'two-' if i % 3 == 0 else ''}{i}" for i in range(30)]
    await asyncio.gather(*(stores[i % 3].handle(stream, name, cause(name)) for i, name in enumerate(names)))
    folded = await EventStore(JetStreamEventLog(orchestrator), DECIDER).load(stream)
    assert folded.state == {name: 2 if name.startswith("two") else 1 for name in names}
    assert folded.count == 40


async def test_a_stale_state_in_memory_never_hides_a_command() -> None:
    log = MemoryEventLog()
    first, second = EventStore(log, DECIDER), EventStore(log, DECIDER)
    await first.handle(STREAM, "a", cause("a"))
    await second.handle(STREAM, "b", cause("b"))
    assert (await first.handle(STREAM, "b", cause("again"))).events == ()
    assert (await first.handle(STREAM, "c", cause("c"))).folded.state == {"a": 1, "b": 1, "c": 1}


def with_a_bug(state: Counts, event: Contract, at: datetime, sequence: int) -> Counts:
    if getattr(event, "actor", "") == "b":
        raise KeyError("b")
    return evolve(state, event, at, sequence)


@pytest.mark.req("S3")
@pytest.mark.failure("fold-fails")
async def test_an_exception_of_evolve_stops_its_document_alone_and_loses_nothing() -> None:
    log, other, skipped = MemoryEventLog(), StreamId("default", "doc2"), list[str]()
    for name in ("a", "b", "c"):
        await EventStore(log, DECIDER).handle(STREAM, name, cause(name))
    broken = EventStore(
        log, Decider[str, Counts, Contract]({}, decide, with_a_bug), report=lambda _, __, why: skipped.append(why)
    )
    for _ in range(2):
        with pytest.raises(FoldFailed, match=r"event 2 of default/doc1: KeyError"):
            await broken.handle(STREAM, "d", cause("d"))
    assert (await broken.handle(other, "a", cause("a"))).folded.state == {"a": 1}
    mended = await EventStore(log, DECIDER).handle(STREAM, "d", cause("d"))
    assert mended.folded.state == {"a": 1, "b": 1, "c": 1, "d": 1}
    assert skipped == []


class LosesAcknowledgements(MemoryEventLog):
    """The events arrive, the answer does not."""

    async def append(self, stream: StreamId, expected: int, events: Sequence[NewEvent]) -> int:
        await super().append(stream, expected, events)
        raise AppendUnknown("no answer")


async def test_an_append_whose_acknowledgement_was_lost_counts_once() -> None:
    log = LosesAcknowledgements()
    handled = await EventStore(log, DECIDER).handle(STREAM, "two-a", cause("a"))
    assert handled.folded.state == {"two-a": 2}
    assert [type(event) for event in handled.events] == [DocumentPaused, DocumentResumed]
    assert len(await log.read(STREAM)) == 2


class LosesReplies:
    """A connection on which the server hears all that is said, and ``lost`` of its replies to appends never come."""

    def __init__(self, nats: Client, *lost: int) -> None:
        self._nats = nats
        self._lost = lost
        self.appends = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._nats, name)

    async def request(self, *args: Any, **options: Any) -> Msg:
        reply = await self._nats.request(*args, **options)
        if str(args[0]).startswith("stemma.event."):
            self.appends += 1
            if self.appends in self._lost:
                raise NatsTimeout
        return reply


@pytest.mark.req("E1")
@pytest.mark.parametrize(
    ("command", "lost", "number"),
    [("a", (1,), 1), ("a", (1, 2), 1), ("two-a", (2,), 2), ("two-a", (1,), 2)],
    ids=["one event", "and again", "the last of a batch", "the first of a batch"],
)
async def test_after_a_lost_acknowledgement_the_log_is_read_and_nothing_is_appended_twice(
    orchestrator: Client, command: str, lost: tuple[int, ...], number: int
) -> None:
    """A decider that is not idempotent shows it: only what was read back keeps it from deciding again."""
    always: Decider[str, Counts, Contract] = Decider({}, lambda c, _: decide(c, {}), evolve)
    stream = StreamId("default", f"lost-{command}-{len(lost)}-{lost[0]}")
    connection: Any = LosesReplies(orchestrator, *lost)
    handled = await EventStore(JetStreamEventLog(connection), always).handle(stream, command, cause(command))
    recorded = await recorded_in(JetStreamEventLog(orchestrator), stream)
    assert handled.folded.state == {command: number}
    assert [r.envelope.id for r in recorded] == [f"cause-{command}.{i}" for i in range(number)]
    assert handled.folded.sequence == recorded[-1].sequence


async def test_forgets_the_oldest_documents_and_reads_them_again() -> None:
    log = MemoryEventLog()
    store = EventStore(log, DECIDER, cached_documents=1)
    await store.handle(STREAM, "a", cause("a"))
    await store.handle(StreamId("default", "doc2"), "b", cause("b"))
    assert (await store.handle(STREAM, "c", cause("c"))).folded.state == {"a": 1, "c": 1}
