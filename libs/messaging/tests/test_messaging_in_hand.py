"""What a process had in hand when it was killed: who follows it gives it back."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
from stemma_contracts import subjects
from stemma_messaging.in_hand import PLACE_BYTES, PLACES, InHand
from stemma_testkit.servers import eventually

ADDRESS = "$JS.ACK.JOBS.validator.1.{}.7.1764130000000000000.0"
AT_WORK = """
import asyncio, os, sys
from stemma_contracts import subjects
from stemma_messaging import WorkerSettings
from conftest import worker_of

async def handle(job):
    print("begun", flush=True)
    await asyncio.Event().wait()

settings = WorkerSettings(nats_user=sys.argv[1])
asyncio.run(worker_of(sys.argv[1], handle, sys.argv[2]).run(settings))
"""


def killed(folder: Path, wait_s: float, *addresses: str) -> None:
    """A process that took these, dropped the first, and was killed."""
    process = get_context("fork").Process(target=take_and_be_killed, args=(folder, wait_s, *addresses))
    process.start()
    process.join(60)
    assert process.exitcode == -signal.SIGKILL


def take_and_be_killed(folder: Path, wait_s: float, *addresses: str) -> None:
    mine = InHand()
    mine.begin(folder)
    mine.seen(wait_s)
    first, *_ = [mine.take(address) for address in addresses]
    assert first is not None
    mine.drop(first)
    os.kill(os.getpid(), signal.SIGKILL)


def addresses(number: int) -> Sequence[str]:
    return [ADDRESS.format(one) for one in range(number)]


@pytest.mark.req("E1")
def test_what_a_killed_process_had_in_hand_is_given_to_the_next_once(tmp_path: Path) -> None:
    done, *under_way = addresses(4)
    killed(tmp_path, 60, done, *under_way)

    assert sorted(InHand().begin(tmp_path)) == under_way
    assert InHand().begin(tmp_path) == []


@pytest.mark.req("E1")
def test_what_the_server_has_delivered_to_others_by_now_is_not_given_back(tmp_path: Path) -> None:
    killed(tmp_path, 0, *addresses(3))

    assert InHand().begin(tmp_path) == []


@pytest.mark.req("E1")
def test_nothing_is_taken_from_a_process_that_is_at_work(tmp_path: Path) -> None:
    at_work, beside = InHand(), InHand()
    at_work.begin(tmp_path)
    at_work.seen(60)
    at_work.take(ADDRESS.format(1))

    assert beside.begin(tmp_path) == []
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.req("F1")
def test_the_file_has_all_its_room_at_once_so_that_a_disk_that_fills_up_ends_no_process(tmp_path: Path) -> None:
    mine = InHand()
    mine.begin(tmp_path)

    [file] = tmp_path.iterdir()
    assert file.stat().st_blocks * 512 >= file.stat().st_size > PLACES * PLACE_BYTES
    mine.end()


@pytest.mark.req("E1")
def test_a_process_that_ends_in_order_leaves_no_file(tmp_path: Path) -> None:
    ending = InHand()
    ending.begin(tmp_path)
    ending.end()

    assert list(tmp_path.iterdir()) == []


@pytest.mark.req("E1")
def test_more_than_there_are_places_for_and_too_long_an_address_are_left_to_the_server(tmp_path: Path) -> None:
    full = InHand()
    assert full.take("$JS.ACK." + "x" * PLACE_BYTES) is None
    places = [full.take(ADDRESS.format(number)) for number in range(PLACES + 1)]
    assert places[-1] is None
    full.drop(places[0] or 0)
    assert full.take(ADDRESS.format(1)) is not None


@pytest.mark.req("O1")
@pytest.mark.parametrize(
    "damage", [b"", b"\xff" * 100, b"stemma.event.v1.default.d.x", b"\xff" * (8 + PLACES * PLACE_BYTES)]
)
def test_a_damaged_file_gives_nothing_back_and_no_subject_but_an_address_to_settle_at(
    tmp_path: Path, damage: bytes
) -> None:
    (tmp_path / "in-hand-x").write_bytes(damage)
    killed(tmp_path, 60, "x", "stemma.event.v1.default.d.x", "$JS.API.STREAM.DELETE.EVENTS")

    assert InHand().begin(tmp_path) == []


@pytest.mark.req("E1")
@pytest.mark.failure("worker-killed")
async def test_a_job_that_a_killed_process_had_begun_goes_on_with_the_next_and_is_not_waited_for(
    lab: Any, validated: Any, tmp_path: Path
) -> None:
    """The server of these tests waits 30 s for a sign of life, this test for less."""
    job = lab.job()
    process = await at_work(lab, tmp_path)
    try:
        await lab.publish(subjects.VALIDATOR, job)
        assert process.stdout is not None
        while (await asyncio.wait_for(process.stdout.readline(), 20)).strip() != b"begun":
            pass
    finally:
        process.kill()
        await process.wait()

    async def handle(job: Any) -> Any:
        return validated(job)

    async with lab.working("push", handle, in_hand_dir=tmp_path):
        await eventually(lab.settled, 15)


async def at_work(lab: Any, folder: Path) -> asyncio.subprocess.Process:
    """A validator that begins a job and never ends."""
    settings = lab.settings(subjects.VALIDATOR)
    env = {
        **os.environ,
        "PYTHONPATH": str(Path(__file__).parent),
        "STEMMA_NATS_URL": settings.nats_url,
        "STEMMA_NATS_PASSWORD": settings.nats_password.get_secret_value(),
        "STEMMA_IN_HAND_DIR": str(folder),
    }
    command = [sys.executable, "-c", AT_WORK, subjects.VALIDATOR, "push"]
    return await asyncio.create_subprocess_exec(*command, env=env, stdout=asyncio.subprocess.PIPE)
