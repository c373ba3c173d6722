"""Three servers under load: each leader killed, two of three lost and back, all restarted in turn, an empty disk.

They are processes of one machine with one disk: a partition between machines and a power loss are not tried.
"""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from faults_cluster import keep_on_all, leader_of, on_three_servers, told
from nats.errors import Error as NatsError
from stemma_contracts import Contract, subjects
from stemma_contracts.v1.events import DocumentPaused
from stemma_eventlog import AppendUnknown, Cause, Decider, EventStore, JetStreamEventLog, Recorded, StreamId
from stemma_eventlog.jetstream import LogBehind, LogFull
from stemma_testkit.clusters import running_cluster
from stemma_testkit.defects import appends_without_fence
from test_faults_soak import assert_nothing_lost, lived_through

AT_ONCE = 64
FEW = 2
DOCUMENTS, DECISIONS = 8, 40
Decided = frozenset[str]


def decide(command: str, state: Decided) -> Sequence[Contract]:
    return () if command in state else [DocumentPaused(actor=command)]


def evolve(state: Decided, event: Contract, _: datetime, __: int) -> Decided:
    return state | {str(getattr(event, "actor", ""))}


DECIDER: Decider[str, Decided, Contract] = Decider(frozenset(), decide, evolve)


async def decided(store: EventStore[str, Decided, Contract], stream: StreamId, command: str) -> None:
    """Handle a command as a service does: again and again while the log is away."""
    cause = Cause(f"cause-{command}", "/test", datetime(2026, 1, 1, tzinfo=UTC))
    while True:
        try:
            await store.handle(stream, command, cause)
        except (NatsError, AppendUnknown, LogBehind, LogFull):
            continue
        return


async def decided_while_the_leader_is_killed(folder: Path) -> None:
    """Two processes decide the same, document by document, and the log has each decision once and in order."""
    with running_cluster(folder) as cluster:
        two = [await cluster.connect() for _ in range(2)]
        await keep_on_all(two[0], subjects.EVENTS)
        stores = [EventStore(JetStreamEventLog(one, timeout=1), DECIDER) for one in two]
        streams = [StreamId("default", f"d{number}") for number in range(DOCUMENTS)]
        commands = [f"c{number}" for number in range(DECISIONS)]
        leader = await leader_of(cluster, two[0].jetstream(), subjects.EVENTS)

        async def write(stream: StreamId) -> None:
            for number, command in enumerate(commands):
                if stream is streams[0] and number == DECISIONS // 4:
                    leader.kill()
                await asyncio.gather(*(decided(store, stream, command) for store in stores))

        await asyncio.gather(*map(write, streams))
        for stream in streams:
            found = [one for one in await JetStreamEventLog(two[0]).read(stream) if isinstance(one, Recorded)]
            assert [getattr(one.event, "actor", "") for one in found] == commands
            assert [one.envelope.sequence for one in found] == list(range(1, DECISIONS + 1))
        for one in two:
            await one.close()


@pytest.mark.failure("server-lost")
@pytest.mark.req("O1", "F5")
async def test_no_decision_is_lost_or_doubled_when_the_leader_of_the_log_is_killed(tmp_path: Path) -> None:
    await decided_while_the_leader_is_killed(tmp_path)


@pytest.mark.full
@pytest.mark.req("O1", "F5")
async def test_the_proof_finds_an_append_without_a_fence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    appends_without_fence(monkeypatch)
    with pytest.raises(AssertionError):
        await decided_while_the_leader_is_killed(tmp_path)


@pytest.mark.full
@pytest.mark.req("O1", "F5")
async def test_nothing_is_lost_or_doubled_when_the_leader_of_the_log_is_killed_and_its_disk_is_gone(
    tmp_path: Path,
) -> None:
    async with on_three_servers(tmp_path) as disturbed:
        people = [f"person-{number}" for number in range(FEW)]
        asked, found = await lived_through(disturbed, people, disturbed.lose(disturbed.hardest()))
    assert len(disturbed.took) == len(disturbed.hardest())
    assert_nothing_lost(asked, found)


@pytest.mark.full
@pytest.mark.timeout(7200)
@pytest.mark.req("O1", "F5")
async def test_nothing_is_lost_or_doubled_whichever_servers_are_lost_under_load(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with on_three_servers(tmp_path, processes=True) as disturbed:
        people = [f"person-{number}" for number in range(AT_ONCE)]
        asked, found = await lived_through(disturbed, people, disturbed.lose(disturbed.everything()))
    with capsys.disabled():
        print(told(disturbed, asked, found))
    assert len(asked.documents) >= AT_ONCE
    assert_nothing_lost(asked, found)
