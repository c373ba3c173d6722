"""A soak: several people decide as it comes on two replicas of everything, which are killed and stopped meanwhile, as
are the NATS server and PostgreSQL.

It would find what happens seldom: a request that nobody answers, an event that is there twice, a document that stands
still, a dead letter that nobody can explain, a call that is paid again, memory or descriptors that grow.
"""

import asyncio
import os
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest
from faults_found import Found, table
from faults_people import Asked, people
from faults_soak import Disturbance, Disturbed, all_in_one, two_of_everything
from stemma_cli.local.supervisor import ALL
from stemma_contracts import subjects
from stemma_messaging.cancellation import end
from stemma_testkit.defects import acknowledges_first, appends_without_fence, planted
from stemma_testkit.model_server import model_server
from stemma_testkit.postgres import postgres_server

MINUTES = float(os.environ.get("STEMMA_TEST_SOAK_MINUTES", "20"))
PEOPLE = ("ada", "ben", "cleo")
STILL_S = 120.0
"""How long nothing may happen in the log before the last documents have come to their end."""
SOON_S = 20.0
"""The same where they shall not come to it."""
LATENCY_S = 0.1
MINUTE_S = 60.0
Lived = tuple[Asked, Found]


async def lived_through(
    disturbed: Disturbed,
    names: Sequence[str],
    disturbing: Coroutine[Any, Any, None],
    still_s: float = STILL_S,
) -> Lived:
    """What became of all that these people asked for while the installation was disturbed."""
    asked, found, over = Asked(), Found(), asyncio.Event()
    async with people(disturbed.stemma, names, asked) as persons:
        living = [asyncio.create_task(person.live(over)) for person in persons]
        measuring = asyncio.create_task(disturbed.measure(MINUTE_S))
        await disturbing
        over.set()
        assert not measuring.done(), measuring
        await end([measuring])
        await disturbed.see_to_the_end(living, still_s)
        await end(living)
        found.left = await disturbed.left()
        await found.look(disturbed.jetstream, asked)
        assert all(process.is_running() for process in disturbed.second.values())
    return asked, found


async def disturbed_for(minutes: float, disturbed: Disturbed, random: Random) -> None:
    """Disturb as it comes for so long."""
    with suppress(TimeoutError):
        async with asyncio.timeout(minutes * MINUTE_S):
            await disturbed.disturb(disturbed.any_of(random), random)


def assert_nothing_lost(asked: Asked, found: Found) -> None:
    """Every document is completed, every request answered, and nothing else is there."""
    assert found.lost == []
    assert found.doubled == []
    assert asked.ended == set(asked.documents)
    assert found.completed == set(asked.documents)
    assert asked.failed == []
    assert found.dead == []
    assert found.left == 0


@pytest.mark.full
@pytest.mark.req("F5")
async def test_nothing_is_lost_when_all_services_and_the_server_are_killed(tmp_path: Path) -> None:
    kills = [Disturbance("kill", ALL), Disturbance("kill", "nats")]
    async with all_in_one(tmp_path) as disturbed:
        asked, found = await lived_through(disturbed, PEOPLE[:1], disturbed.disturb(kills, Random(1)))
    assert_nothing_lost(asked, found)


@pytest.mark.full
@pytest.mark.req("F5")
async def test_the_soak_finds_an_acknowledgement_before_its_message_is_handled(tmp_path: Path) -> None:
    kills = [Disturbance("kill", ALL)] * 4
    async with all_in_one(tmp_path / "data", planted(tmp_path / "defect", acknowledges_first)) as disturbed:
        disturbing = disturbed.disturb(kills, Random(1))
        asked, found = await lived_through(disturbed, PEOPLE, disturbing, SOON_S)
    with pytest.raises(AssertionError):
        assert_nothing_lost(asked, found)


@pytest.mark.full
@pytest.mark.req("F5")
async def test_the_soak_finds_an_append_without_a_fence(tmp_path: Path) -> None:
    defect = planted(tmp_path / "defect", appends_without_fence)
    with model_server(LATENCY_S) as model, postgres_server() as database:
        async with two_of_everything(tmp_path / "data", model, database, defect) as disturbed:
            stops = [Disturbance("stop", subjects.ORCHESTRATOR)] * 2
            _, found = await lived_through(disturbed, PEOPLE, disturbed.disturb(stops, Random(1)), SOON_S)
    assert found.doubled


@pytest.mark.full
@pytest.mark.timeout(MINUTES * MINUTE_S + 1200)
@pytest.mark.req("F5")
async def test_nothing_is_lost_doubled_or_stuck_in_a_soak(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with model_server(LATENCY_S) as model, postgres_server() as database:
        async with two_of_everything(tmp_path, model, database) as disturbed:
            disturbing = disturbed_for(MINUTES, disturbed, Random(1))
            asked, found = await lived_through(disturbed, PEOPLE, disturbing)
    told = table(MINUTES, asked, found, disturbed, model)
    with capsys.disabled():
        print(told)
    assert_nothing_lost(asked, found)
