"""What a bus promises whoever handles its messages: one suite for the real one and for that of simulations."""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import pytest
from stemma_contracts import subjects
from stemma_contracts.v1.jobs import ValidateDraft
from stemma_contracts.v1.outcomes import DraftValidated
from stemma_testkit.servers import eventually
from stemma_testkit.simulation import Chances, MemoryBus, Process, World, simulated

from .conftest import outcome_of

CALM = Chances(twice=0, ack_lost=0, append_lost=0, append_unanswered=0, kill=0)
Handler = Callable[[ValidateDraft], None]
Deliver = Callable[[Sequence[ValidateDraft], Handler], Any]
pytestmark = pytest.mark.req("E1")


@pytest.fixture(params=["memory", "jetstream"])
def deliver(request: pytest.FixtureRequest) -> Deliver:
    """Sends jobs to a handler, and returns when nothing is left of them."""
    if request.param == "memory":
        return lambda jobs, handler: asyncio.to_thread(simulated, lambda: _in_memory(jobs, handler))
    lab = request.getfixturevalue("lab")

    async def on_the_real_one(jobs: Sequence[ValidateDraft], handler: Handler) -> None:
        async def handled(job: ValidateDraft) -> DraftValidated:
            handler(job)
            return outcome_of(job)

        async with lab.working("pull", handled):
            for job in jobs:
                await lab.publish(subjects.GENERATION, job)
            await eventually(lab.settled)

    return on_the_real_one


async def _in_memory(jobs: Sequence[ValidateDraft], handler: Handler) -> None:
    async def handled(job: ValidateDraft) -> None:
        handler(job)

    world = World(Random(1), CALM)
    bus = MemoryBus(world, again=(ConnectionError,))
    bus.serve("workers", Process(world, lambda: handled))
    for job in jobs:
        bus.send("workers", job)
    await bus.settled()


async def test_every_message_comes_and_none_that_was_acknowledged_comes_again(deliver: Deliver, lab: Any) -> None:
    jobs, seen = [lab.job() for _ in range(5)], Counter[str]()
    await deliver(jobs, lambda job: seen.update([job.job_id]))
    assert seen == Counter(job.job_id for job in jobs)


async def test_only_a_message_whose_handling_failed_comes_again_until_it_succeeds(deliver: Deliver, lab: Any) -> None:
    jobs, seen = [lab.job() for _ in range(3)], Counter[str]()

    def fails_twice(job: ValidateDraft) -> None:
        seen.update([job.job_id])
        if job == jobs[0] and seen[job.job_id] < 3:
            raise ConnectionError

    await deliver(jobs, fails_twice)
    assert [seen[job.job_id] for job in jobs] == [3, 1, 1]


async def test_what_a_process_had_in_hand_when_it_died_comes_again() -> None:
    """Of the real bus: `tests/faults`, where processes are killed."""
    seen, world = Counter[str](), World(Random(1), CALM)

    async def run() -> None:
        async def handled(message: str) -> None:
            seen.update([message])
            if seen[message] == 1:
                asyncio.get_running_loop().call_soon(process.kill)
            await world.step()

        bus, process = MemoryBus(world), Process(world, lambda: handled)
        bus.serve("workers", process)
        bus.send("workers", "one")
        await bus.settled()

    await asyncio.to_thread(simulated, run)
    assert seen == {"one": 2}
