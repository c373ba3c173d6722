"""A soak: several people decide as it comes on two replicas of everything, which are killed and stopped meanwhile.

It would find what happens seldom: a request that nobody answers, an event that is there twice, a document that stands
still, a dead letter that nobody can explain, a call that is paid again, memory or descriptors that grow.
"""

from __future__ import annotations

import asyncio
import os
import time
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest
from faults_people import Asked, people
from faults_soak import Found, table, two_of_everything
from stemma_messaging.cancellation import end
from stemma_testkit.model_server import model_server

MINUTES = float(os.environ.get("STEMMA_TEST_SOAK_MINUTES", "20"))
PEOPLE = ("ada", "ben", "cleo")
TO_THE_END_S = 300.0
"""What the last documents may take, once nothing is disturbed any more."""
LATENCY_S = 0.1


@pytest.mark.full
@pytest.mark.timeout(MINUTES * 60 + TO_THE_END_S + 600)
@pytest.mark.req("F5")
async def test_nothing_is_lost_doubled_or_stuck_in_a_soak(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked, found = Asked(), Found()
    with model_server(LATENCY_S) as model:
        async with two_of_everything(tmp_path, model) as replicas, people(replicas.stemma, PEOPLE, asked) as persons:
            until = time.monotonic() + MINUTES * 60
            living = [asyncio.create_task(person.live(until)) for person in persons]
            background = [asyncio.create_task(replicas.disturb(Random(1))), asyncio.create_task(replicas.measure(60))]
            await asyncio.sleep(MINUTES * 60)
            assert not any(task.done() for task in background), [task for task in background if task.done()]
            await end(background)
            with suppress(TimeoutError):
                async with asyncio.timeout(TO_THE_END_S):
                    await asyncio.gather(*living)
            await end(living)
            await found.look(persons[0].client, replicas.jetstream, asked.documents)
            assert [process.returncode for process in replicas.second.values()] == [None] * len(replicas.second)
    with capsys.disabled():
        print(table(MINUTES, asked, found, replicas, model))
    assert asked.lost == []
    assert asked.ended == set(asked.documents)
    assert found.doubled == 0
    assert found.unexplained == 0
