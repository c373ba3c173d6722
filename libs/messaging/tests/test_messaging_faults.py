"""Long jobs, killed processes, restarted servers, forbidden and foreign messages: on servers of their own."""

import asyncio
import os
import signal
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from nats.aio.msg import Msg
from stemma_contracts import subjects
from stemma_contracts.subjects import ANY
from stemma_contracts.v1.jobs import ValidateDraft
from stemma_contracts.v1.outcomes import Outcome
from stemma_messaging import BusFailed, StemmaBroker
from stemma_messaging.errors import PutOff, TakenOver
from stemma_testkit.servers import barrier, connected, eventually

from .conftest import PULL_FIRST, PUSH_FIRST, outcome_of, service_of, validated

IN_PROGRESS = b"+WPI"
ANSWERED_ABROAD = "_R_"
"""What the subject of a reply to another account begins with."""

DOOMED = """
import asyncio, sys, stemma_telemetry
sys.path.insert(0, sys.argv[3])
from conftest import worker_of
from stemma_messaging import WorkerSettings

stemma_telemetry.configure("doomed", level="error")

async def handler(job):
    print("begun", flush=True)
    await asyncio.Event().wait()

asyncio.run(worker_of(sys.argv[1], handler, sys.argv[2]).run(WorkerSettings()))
"""


@PULL_FIRST
@pytest.mark.req("E1")
async def test_signs_of_life_keep_a_long_job_from_coming_again(impatient_lab: Any, kind: str, service: str) -> None:
    calls, long_enough = 0, asyncio.Event()
    signs: list[bytes] = []

    async def handler(job: ValidateDraft) -> Outcome:
        nonlocal calls
        calls += 1
        await long_enough.wait()
        return outcome_of(job)

    async def on_ack(message: Msg) -> None:
        """With three signs a second, seven are more than twice the second after which the job would come again."""
        signs.append(message.data)
        if signs.count(IN_PROGRESS) == 7:
            long_enough.set()

    async with connected(impatient_lab.server) as client, impatient_lab.working(kind, handler):
        await client.subscribe(f"$JS.ACK.JOBS.{service}.>", cb=on_ack)
        await impatient_lab.publish(service, impatient_lab.job())
        await eventually(impatient_lab.settled)
    assert calls == 1


@PUSH_FIRST
@pytest.mark.req("E1")
@pytest.mark.failure("worker-killed")
async def test_the_job_of_a_killed_worker_comes_to_another(impatient_lab: Any, kind: str, service: str) -> None:
    async with _doomed_worker(impatient_lab, service, kind) as doomed:
        await impatient_lab.publish(service, impatient_lab.job())
        assert await asyncio.wait_for(doomed.stdout.readline(), 30) == b"begun\n"
        os.kill(doomed.pid, signal.SIGKILL)
    async with impatient_lab.working(kind, validated):
        await eventually(impatient_lab.settled)
    assert len(await impatient_lab.stored(subjects.OUTCOMES)) == 1


@asynccontextmanager
async def _doomed_worker(lab: Any, service: str, kind: str) -> AsyncIterator[Any]:
    environment = {
        **os.environ,
        "STEMMA_NATS_URL": lab.server.url,
        "STEMMA_NATS_USER": service,
        "STEMMA_NATS_PASSWORD": lab.server.passwords[service],
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        DOOMED,
        service,
        kind,
        str(Path(__file__).parent),
        env=environment,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        yield process
    finally:
        await asyncio.wait_for(process.wait(), 30)


@PULL_FIRST
@pytest.mark.req("E1")
async def test_what_is_put_off_comes_again_when_it_is_to_however_long_the_server_waits_for_signs_of_life(
    impatient_lab: Any, kind: str, service: str
) -> None:
    """The server adds to a delay what it waits longer for a later delivery, which is a minute here."""
    tries: list[float] = []

    async def handler(job: ValidateDraft) -> Outcome:
        tries.append(time.monotonic())
        if len(tries) <= 3:
            raise PutOff(0.5)
        return outcome_of(job)

    js = impatient_lab.jetstream
    config = (await js.consumer_info(subjects.JOBS, service)).config
    await js.add_consumer(subjects.JOBS, replace(config, backoff=[1, 60]))
    async with impatient_lab.working(kind, handler):
        await impatient_lab.publish(service, impatient_lab.job())
        await eventually(impatient_lab.settled)
    await js.add_consumer(subjects.JOBS, config)
    assert all(later - earlier >= 0.45 for earlier, later in pairwise(tries))
    assert len(tries) == 4


@PUSH_FIRST
@pytest.mark.req("E1")
@pytest.mark.failure("server-gone")
async def test_a_worker_goes_on_after_the_server_was_killed_and_came_back(
    impatient_lab: Any, kind: str, service: str
) -> None:
    before, after = impatient_lab.job(), impatient_lab.job()
    async with impatient_lab.working(kind, validated):
        await impatient_lab.publish(service, before)
        await eventually(impatient_lab.settled)
        impatient_lab.server.kill()
        impatient_lab.server.start()
        await eventually(impatient_lab.reconnected)
        await impatient_lab.publish(service, after)
        await eventually(impatient_lab.settled, within_s=30)
    outcomes = {o.headers["ce-id"] for o in await impatient_lab.stored(subjects.OUTCOMES)}
    assert outcomes == {f"{before.job_id}.outcome", f"{after.job_id}.outcome"}


@PUSH_FIRST
@pytest.mark.req("F2")
@pytest.mark.failure("taken-over")
async def test_a_message_that_another_process_went_on_with_is_that_ones_to_settle(
    impatient_lab: Any, kind: str, service: str
) -> None:
    calls = 0

    async def handler(job: ValidateDraft) -> Outcome:
        nonlocal calls
        calls += 1
        if calls == 1:
            raise TakenOver("the checkpoint has a successor")
        return outcome_of(job)

    async def on_ack(message: Msg) -> None:
        settled_by.append(message.data)

    settled_by: list[bytes] = []
    async with connected(impatient_lab.server) as client, impatient_lab.working(kind, handler):
        await client.subscribe(f"$JS.ACK.JOBS.{service}.>", cb=on_ack)
        await barrier(client)
        await impatient_lab.publish(service, impatient_lab.job())
        await eventually(impatient_lab.settled)
        await barrier(client)
    assert (calls, [sign for sign in settled_by if sign != IN_PROGRESS]) == (2, [b""])
    assert len(await impatient_lab.stored(subjects.OUTCOMES)) == 1
    assert await impatient_lab.stored(subjects.DEAD) == []


@pytest.mark.req("E1")
async def test_the_outcome_is_stored_before_the_job_is_acknowledged(lab: Any) -> None:
    seen: list[str] = []

    async def on_any(message: Msg) -> None:
        seen.append(message.subject)

    async with connected(lab.server) as client, lab.working("pull", validated):
        for subject in (
            subjects.outcome(ANY, ANY),
            f"{ANSWERED_ABROAD}.>",
            "$JS.ACK.JOBS.generation-graph.>",
        ):
            await client.subscribe(subject, cb=on_any)
        await barrier(client)
        await lab.publish(subjects.GENERATION, lab.job())
        await eventually(lab.settled)
        await barrier(client)
    published = seen.index(subjects.outcome(subjects.GENERATION, "draft-validated"))
    acknowledged = next(i for i, subject in enumerate(seen) if subject.startswith("$JS.ACK."))
    assert any(subject.startswith(ANSWERED_ABROAD) for subject in seen[published:acknowledged])


@pytest.mark.req("E1")
async def test_who_does_what_it_may_not_do_ends(lab: Any) -> None:
    async def forbidden(broker: StemmaBroker) -> None:
        await broker.nats.publish(subjects.event("default", "forbidden", "section-approved"), b"{}")

    service = service_of(subjects.VALIDATOR, forbidden)
    with pytest.raises(BusFailed, match=r"publish to stemma\.event\.v1\.default\.forbidden\.section-approved"):
        await asyncio.wait_for(service.run(lab.settings(subjects.VALIDATOR)), 20)
    assert all(".forbidden." not in event.subject for event in await lab.stored(subjects.EVENTS))


async def test_who_is_refused_by_the_server_ends(lab: Any) -> None:
    service = service_of(subjects.VALIDATOR, lambda _: asyncio.sleep(0))
    settings = lab.settings(subjects.VALIDATOR).model_copy(update={"nats_password": None})
    with pytest.raises(BusFailed, match="refuses user, password or key"):
        await asyncio.wait_for(service.run(settings), 20)
