"""A job that nobody waits for any more is ended, on the real server."""

import asyncio
from typing import Any

from stemma_contracts import registry, subjects
from stemma_contracts.v1.jobs import ValidateDraft
from stemma_contracts.v1.outcomes import JobCancelled, Outcome
from stemma_contracts.v1.usage import Usage
from stemma_messaging import account
from stemma_testkit.servers import barrier, eventually

SPENT = Usage(calls=1, input_tokens=7)


class Endless:
    """A handler that spends something and then waits for ever, but for the jobs that it is told to finish."""

    def __init__(self, validated: Any, finishes: tuple[str, ...] = ()) -> None:
        self.begun: asyncio.Queue[str] = asyncio.Queue()
        self._validated, self._finishes = validated, finishes

    async def __call__(self, job: ValidateDraft) -> Outcome:
        account(lambda: SPENT)
        await self.begun.put(job.job_id)
        if job.job_id not in self._finishes:
            await asyncio.Event().wait()
        outcome: Outcome = self._validated(job)
        return outcome


async def cancel(lab: Any, job: ValidateDraft) -> None:
    await lab.client.publish(subjects.cancelled_job("default", job.job_id))
    await barrier(lab.client)


async def outcomes(lab: Any) -> list[Any]:
    return [registry.decode(o.headers["ce-type"], o.data) for o in await lab.stored(subjects.OUTCOMES)]


async def test_a_cancelled_job_ends_in_the_middle_and_tells_what_it_spent_and_others_go_on(
    lab: Any, validated: Any
) -> None:
    cancelled, other = lab.job(), lab.job()
    handler = Endless(validated, finishes=(other.job_id,))
    async with lab.working("pull", handler):
        await lab.publish(subjects.GENERATION, cancelled)
        await asyncio.wait_for(handler.begun.get(), 20)
        await cancel(lab, cancelled)
        await lab.publish(subjects.GENERATION, other)
        await eventually(lab.settled)
    about = {"job_id": cancelled.job_id, "tenant": "default", "document_id": "d1", "section_id": "s1"}
    told = {outcome.job_id: outcome for outcome in await outcomes(lab)}
    assert told == {cancelled.job_id: JobCancelled(**about, usage=SPENT), other.job_id: validated(other)}


async def test_a_job_that_is_cancelled_while_it_waits_is_never_begun(lab: Any, validated: Any) -> None:
    first, second = lab.job(), lab.job()
    handler = Endless(validated)
    async with lab.working("pull", handler, slots=1):
        for job in (first, second):
            await lab.publish(subjects.GENERATION, job)
        await asyncio.wait_for(handler.begun.get(), 20)
        for job in (second, first):
            await cancel(lab, job)
        await eventually(lab.settled)
    assert handler.begun.empty()
    assert [(o.job_id, o.usage) for o in await outcomes(lab)] == [(first.job_id, SPENT), (second.job_id, Usage())]
