"""A service that is told to end does so, also when a library swallowed the word; so does a job nobody waits for."""

import asyncio
from contextlib import suppress
from typing import Any

import pytest
from stemma_contracts import registry, subjects
from stemma_contracts.v1.jobs import ValidateDraft
from stemma_contracts.v1.outcomes import JobCancelled, Outcome
from stemma_contracts.v1.usage import Usage
from stemma_messaging import account
from stemma_messaging.cancellation import end, is_cancelled
from stemma_testkit.servers import barrier, eventually

from .conftest import outcome_of, service_of


async def _swallow(entered: asyncio.Event) -> None:
    """What `asyncio.wait_for` does before Python 3.12 when result and cancellation meet."""
    entered.set()
    with suppress(asyncio.CancelledError):
        await asyncio.get_running_loop().create_future()


@pytest.mark.req("E1")
async def test_a_stop_that_was_swallowed_at_the_start_ends_the_service(lab: Any) -> None:
    entered = asyncio.Event()

    service = service_of(subjects.VALIDATOR, lambda _: _swallow(entered))
    running = asyncio.create_task(service.run(lab.settings(subjects.VALIDATOR)))
    await asyncio.wait_for(entered.wait(), 20)
    running.cancel()
    await asyncio.wait({running}, timeout=20)
    assert running.cancelled()


async def test_who_swallowed_a_cancellation_knows_of_it_and_is_asked_again() -> None:
    entered, known = asyncio.Event(), asyncio.get_running_loop().create_future()

    async def stubborn() -> None:
        await _swallow(entered)
        known.set_result(is_cancelled())
        await asyncio.get_running_loop().create_future()

    task = asyncio.create_task(stubborn())
    await entered.wait()
    async with asyncio.timeout(20):
        await end([task])
    assert task.cancelled()
    assert known.result()
    assert not is_cancelled()


SPENT = Usage(calls=1, input_tokens=7)


class Endless:
    """A handler that spends something and then waits for ever, but for the jobs that it is told to finish."""

    def __init__(self, finishes: tuple[str, ...] = ()) -> None:
        self.begun: asyncio.Queue[str] = asyncio.Queue()
        self._finishes = finishes

    async def __call__(self, job: ValidateDraft) -> Outcome:
        account(lambda: SPENT)
        await self.begun.put(job.job_id)
        if job.job_id not in self._finishes:
            await asyncio.Event().wait()
        return outcome_of(job)


async def cancel(lab: Any, job: ValidateDraft) -> None:
    await lab.client.publish(subjects.cancelled_job("default", job.job_id))
    await barrier(lab.client)


async def outcomes(lab: Any) -> list[Any]:
    return [registry.decode(o.headers["ce-type"], o.data) for o in await lab.stored(subjects.OUTCOMES)]


async def test_a_cancelled_job_ends_in_the_middle_and_tells_what_it_spent_and_others_go_on(lab: Any) -> None:
    cancelled, other = lab.job(), lab.job()
    handler = Endless(finishes=(other.job_id,))
    async with lab.working("pull", handler):
        await lab.publish(subjects.GENERATION, cancelled)
        await asyncio.wait_for(handler.begun.get(), 20)
        await cancel(lab, cancelled)
        await lab.publish(subjects.GENERATION, other)
        await eventually(lab.settled)
    about = {"job_id": cancelled.job_id, "tenant": "default", "document_id": "d1", "section_id": "s1"}
    told = {outcome.job_id: outcome for outcome in await outcomes(lab)}
    assert told == {cancelled.job_id: JobCancelled(**about, usage=SPENT), other.job_id: outcome_of(other)}


async def test_a_job_that_is_cancelled_while_it_waits_is_never_begun(lab: Any) -> None:
    first, second = lab.job(), lab.job()
    handler = Endless()
    async with lab.working("pull", handler, slots=1):
        for job in (first, second):
            await lab.publish(subjects.GENERATION, job)
        await asyncio.wait_for(handler.begun.get(), 20)
        for job in (second, first):
            await cancel(lab, job)
        await eventually(lab.settled)
    assert handler.begun.empty()
    assert [(o.job_id, o.usage) for o in await outcomes(lab)] == [(first.job_id, SPENT), (second.job_id, Usage())]
