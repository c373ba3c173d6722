"""How the pull worker asks for messages, on the real server."""

import asyncio
from typing import Any

import pytest
from faststream import FastStream
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from stemma_contracts import subjects
from stemma_contracts.v1.jobs import ValidateDraft
from stemma_contracts.v1.outcomes import Outcome
from stemma_messaging import Service, StemmaBroker, WorkerSettings
from stemma_messaging.drivers import PullDriver
from stemma_provisioning import inbox_prefix
from stemma_provisioning.topology import BULK_IN_HAND
from stemma_testkit.servers import barrier, connected, eventually

from .conftest import app_of, outcome_of, routes, validated

CONSUMER = (subjects.JOBS, subjects.GENERATION)
LANES = tuple(subjects.job_consumers(subjects.GENERATION))


class Crowd:
    """Jobs that all stay until they are released, and how many of them ran at a time."""

    def __init__(self) -> None:
        self._running = 0
        self.most = 0
        self.release = asyncio.Event()

    async def handler(self, job: ValidateDraft) -> Outcome:
        self._running += 1
        self.most = max(self.most, self._running)
        await self.release.wait()
        self._running -= 1
        return outcome_of(job)


async def test_jobs_that_come_together_are_asked_for_together(impatient_lab: Any) -> None:
    asked: list[bytes] = []
    together = asyncio.Barrier(20)

    async def on_request(message: Msg) -> None:
        asked.append(message.data)

    async def handler(job: ValidateDraft) -> Outcome:
        await together.wait()
        return outcome_of(job)

    async with connected(impatient_lab.server) as client:
        await client.subscribe(f"$JS.API.CONSUMER.MSG.NEXT.{'.'.join(CONSUMER)}", cb=on_request)
        await client.flush()
        await asyncio.gather(*(impatient_lab.publish(subjects.GENERATION, impatient_lab.job()) for _ in range(20)))
        async with impatient_lab.working("pull", handler, slots=20):
            await eventually(impatient_lab.settled)
    assert len(asked) < 10


@pytest.mark.req("E1")
async def test_no_more_jobs_run_at_a_time_than_there_are_slots(lab: Any) -> None:
    crowd = Crowd()

    async def full() -> bool:
        """Three are taken and begun, seven are left, and nobody asks for more."""
        info = await lab.jetstream.consumer_info(subjects.JOBS, subjects.GENERATION)
        return (info.num_ack_pending, info.num_pending, info.num_waiting, crowd.most) == (3, 7, 0, 3)

    await asyncio.gather(*(lab.publish(subjects.GENERATION, lab.job()) for _ in range(10)))
    async with lab.working("pull", crowd.handler, slots=3):
        await eventually(full)
        assert await full()
        crowd.release.set()
        await eventually(lab.settled)
    assert crowd.most == 3
    assert len(await lab.stored(subjects.OUTCOMES)) == 10


@pytest.mark.req("E1")
async def test_what_an_old_request_brings_beyond_the_free_slots_waits(lab: Any) -> None:
    crowd = Crowd()

    async def delivered() -> bool:
        return bool((await lab.jetstream.consumer_info(*CONSUMER)).num_ack_pending == 12)

    async with connected(lab.server, subjects.GENERATION) as client:
        replies = await client.subscribe(f"{inbox_prefix(subjects.GENERATION)}.*.*")
        await barrier(client)
        async with lab.working("pull", crowd.handler, slots=3):
            inbox = await _of_an_empty_request(replies)
            where = f"$JS.API.CONSUMER.MSG.NEXT.{'.'.join(CONSUMER)}"
            await client.publish(where, b'{"batch": 9, "expires": 20000000000}', reply=inbox)
            await barrier(client)
            await asyncio.gather(*(lab.publish(subjects.GENERATION, lab.job()) for _ in range(12)))
            await eventually(delivered)
            crowd.release.set()
            await eventually(lab.settled)
    assert crowd.most == 3
    assert len(await lab.stored(subjects.OUTCOMES)) == 12


@pytest.mark.req("S5")
async def test_bulk_leaves_a_quarter_of_the_slots_to_jobs_that_go_before_it(lab: Any) -> None:
    begun: list[str] = []
    release = asyncio.Event()

    async def handler(job: ValidateDraft) -> Outcome:
        begun.append(job.job_id)
        await release.wait()
        return outcome_of(job)

    jobs = [lab.job() for _ in range(30)]
    await asyncio.gather(*(lab.publish(subjects.GENERATION, job, bulk=True) for job in jobs))
    async with lab.working("pull", handler, slots=8):
        await eventually(lambda: _holds(len(begun) == 6))
        later = [lab.job() for _ in range(2)]
        await asyncio.gather(*(lab.publish(subjects.GENERATION, job) for job in later))
        await eventually(lambda: _holds({job.job_id for job in later} <= set(begun)))
        assert len(begun) == 8
        release.set()
        await eventually(lab.settled)
    assert len(await lab.stored(subjects.OUTCOMES)) == 32


@pytest.mark.req("S5")
async def test_bulk_goes_on_while_others_fill_every_slot(lab: Any) -> None:
    begun: list[str] = []

    async def handler(job: ValidateDraft) -> Outcome:
        """Whoever is done is followed by another one, until the bulk had its turn."""
        begun.append(job.job_id)
        if slow.job_id not in begun:
            await lab.publish(subjects.GENERATION, lab.job())
        return outcome_of(job)

    slow = lab.job()
    await asyncio.gather(*(lab.publish(subjects.GENERATION, lab.job()) for _ in range(32)))
    async with lab.working("pull", handler, slots=8):
        await eventually(lambda: _holds(len(begun) > 32))
        await lab.publish(subjects.GENERATION, slow, bulk=True)
        await eventually(lab.settled)
    assert slow.job_id in begun


@pytest.mark.req("S5")
async def test_bulk_is_pushed_beside_the_jobs_that_go_before_it(lab: Any) -> None:
    crowd = Crowd()

    async def full() -> bool:
        bulk = await lab.jetstream.consumer_info(subjects.JOBS, subjects.bulk_consumer(subjects.VALIDATOR))
        first = await lab.jetstream.consumer_info(subjects.JOBS, subjects.VALIDATOR)
        return (bulk.num_ack_pending, first.num_ack_pending) == (BULK_IN_HAND, 3)

    await asyncio.gather(*(lab.publish(subjects.VALIDATOR, lab.job(), bulk=True) for _ in range(20)))
    await asyncio.gather(*(lab.publish(subjects.VALIDATOR, lab.job()) for _ in range(3)))
    async with lab.working("push", crowd.handler):
        await eventually(full)
        crowd.release.set()
        await eventually(lab.settled)
    assert len(await lab.stored(subjects.OUTCOMES)) == 23


@pytest.mark.req("S5")
async def test_bulk_that_a_worker_of_an_earlier_release_does_not_know_waits_for_a_later_one(lab: Any) -> None:
    def of_one_consumer(settings: WorkerSettings) -> FastStream:
        one = PullDriver(subjects.JOBS, LANES[:1], settings.slots)
        broker = StemmaBroker(subjects.GENERATION, settings, one)
        broker.include_router(routes(subjects.GENERATION, validated))
        return app_of(broker, lambda: asyncio.sleep(0))

    async def bulk_alone_is_left() -> bool:
        infos = [await lab.jetstream.consumer_info(subjects.JOBS, name) for name in LANES]
        return [info.num_pending + info.num_ack_pending for info in infos] == [0, 1]

    for bulk in (True, False):
        await lab.publish(subjects.GENERATION, lab.job(), bulk=bulk)
    earlier = Service(subjects.GENERATION, WorkerSettings, of_one_consumer)
    async with lab.running(earlier, lab.settings(subjects.GENERATION)):
        await eventually(bulk_alone_is_left)
    async with lab.working("pull", validated):
        await eventually(lab.settled)


async def _holds(what: bool) -> bool:
    return what


async def _of_an_empty_request(replies: Subscription) -> str:
    """Where the word comes that nothing came."""
    async with asyncio.timeout(20):
        while "Status" not in ((message := await replies.next_msg(timeout=20)).headers or {}):
            pass
    return str(message.subject)


@pytest.mark.req("E1")
async def test_goes_on_when_its_consumer_comes_back(impatient_lab: Any) -> None:
    async def waiting() -> bool:
        return bool((await impatient_lab.jetstream.consumer_info(*CONSUMER)).num_waiting)

    async with impatient_lab.working("pull", validated):
        await eventually(waiting)
        config = (await impatient_lab.jetstream.consumer_info(*CONSUMER)).config
        await impatient_lab.jetstream.delete_consumer(*CONSUMER)
        await impatient_lab.jetstream.add_consumer(subjects.JOBS, config)
        await impatient_lab.publish(subjects.GENERATION, impatient_lab.job())
        await eventually(impatient_lab.settled)
    assert len(await impatient_lab.stored(subjects.OUTCOMES)) == 1
