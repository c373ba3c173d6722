"""Whole documents under a bus that repeats, reorders and loses, with processes that die: the invariants hold."""

from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace

import pytest
from domain_simulation import Broken, Parts, simulate
from domain_story import DECIDER
from rpds import HashTrieMap, HashTrieSet
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_domain.commands import Command
from stemma_domain.decide import decide
from stemma_domain.state import Document, State
from stemma_domain.work import open_jobs
from stemma_eventlog import EventLog, NewEvent, Recorded, StreamId
from stemma_eventlog.log import Unreadable
from stemma_testkit.simulation import HostileEventLog, World

FEW, FOR_DEFECTS = (0, 1, 2, 201), range(35, 120)
"""In the last of the few a person writes while the editor changes the version before."""
MANY, AT_ONCE = 20_000, 250
pytestmark = pytest.mark.req("E1", "E2")


def run(seeds: Sequence[int], parts: Callable[[], Parts] = Parts) -> Counter[str]:
    return sum((simulate(seed, parts()).faults for seed in seeds), Counter())


def test_a_document_comes_to_its_end_whatever_the_bus_does_and_goes_the_same_way_from_the_same_seed() -> None:
    faults = run(FEW)
    assert min(faults[name] for name in ("twice", "ack_lost", "append_lost", "append_unanswered", "kill")) > 0, faults
    assert min(faults[name] for name in ("conflict", "DraftRevised merged")) > 0, faults
    assert run(FEW[:1]) == run(FEW[:1])


@pytest.mark.full
@pytest.mark.timeout(1200)
def test_twenty_thousand_documents_come_to_their_end() -> None:
    with ProcessPoolExecutor() as processes:
        faults = sum(processes.map(run, (range(n, n + AT_ONCE) for n in range(0, MANY, AT_ONCE))), Counter())
    assert faults["kill"] > MANY, faults


def forgets_requests(command: Command, state: State) -> Sequence[e.AnyEvent]:
    return decide(command, replace(state, requests=HashTrieMap()) if isinstance(state, Document) else state)


def forgets_outcomes(command: Command, state: State) -> Sequence[e.AnyEvent]:
    return decide(command, replace(state, settled_jobs=HashTrieSet()) if isinstance(state, Document) else state)


class WithoutCompareAndSet(HostileEventLog):
    async def append(self, stream: StreamId, expected: int, events: Sequence[NewEvent]) -> int:
        found = await self.read(stream)
        return await super().append(stream, found[-1].sequence if found else 0, events)


class ReadBehindItsEnd(HostileEventLog):
    """A server of several that now and then answers without the last event."""

    def __init__(self, log: EventLog, world: World) -> None:
        super().__init__(log, world)
        self._chance = world.chance

    async def read(self, stream: StreamId, after: int = 0) -> list[Recorded | Unreadable]:
        found = await super().read(stream, after)
        return found[:-1] if self._chance.random() < 0.3 else found


def published_with_events(events: Sequence[e.AnyEvent], state: State) -> Sequence[j.Job]:
    return open_jobs(state) if events else ()


DEFECTS: dict[str, Callable[[], Parts]] = {
    "a request is decided again": lambda: Parts(core=replace(DECIDER, decide=forgets_requests)),
    "an outcome is recorded again": lambda: Parts(core=replace(DECIDER, decide=forgets_outcomes)),
    "the log is appended to wherever it ends": lambda: Parts(log=WithoutCompareAndSet),
    "the log is read behind its end": lambda: Parts(log=ReadBehindItsEnd),
    "jobs are published with new events alone": lambda: Parts(publishes=published_with_events),
}


@pytest.mark.parametrize("defect", DEFECTS)
def test_a_planted_defect_is_found(defect: str) -> None:
    with pytest.raises(Broken):
        run(FOR_DEFECTS, DEFECTS[defect])
