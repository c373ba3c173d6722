"""What a worker does with jobs, on the real server, pulled and pushed alike."""

import asyncio
from typing import Any

import pytest
from opentelemetry.sdk.trace import TracerProvider
from stemma_cli.local.processes import GRACE_S
from stemma_contracts import registry, subjects
from stemma_contracts.v1.jobs import ValidateDraft
from stemma_contracts.v1.outcomes import JobDead, Outcome
from stemma_messaging import WorkerSettings
from stemma_testkit.servers import eventually

from .conftest import KINDS, PULL_FIRST, outcome_of, validated

TRACER = TracerProvider().get_tracer("test")


@KINDS
@pytest.mark.req("E1", "E5")
async def test_a_job_becomes_an_outcome_of_the_same_trace(lab: Any, kind: str, service: str) -> None:
    job = lab.job()
    async with lab.working(kind, validated):
        with TRACER.start_as_current_span("decide") as span:
            await lab.publish(service, job)
        await eventually(lab.settled)
    [outcome] = await lab.stored(subjects.OUTCOMES)
    assert outcome.subject == subjects.outcome(service, "draft-validated")
    assert registry.decode(outcome.headers["ce-type"], outcome.data) == outcome_of(job)
    expected = {
        "ce-id": f"{job.job_id}.outcome",
        "Nats-Msg-Id": f"{job.job_id}.outcome",
        "ce-source": service,
        "ce-subject": "default/d1/s1",
        "ce-causationid": job.job_id,
        "ce-correlationid": "r1",
    }
    assert {key: outcome.headers[key] for key in expected} == expected
    assert f"{span.get_span_context().trace_id:032x}" in outcome.headers["traceparent"]


@PULL_FIRST
@pytest.mark.req("P17")
@pytest.mark.failure("exception")
async def test_a_job_that_fails_comes_again_until_it_succeeds(lab: Any, kind: str, service: str) -> None:
    calls: list[str] = []

    async def handler(job: ValidateDraft) -> Outcome:
        calls.append(job.job_id)
        if len(calls) < 3:
            raise ConnectionError
        return outcome_of(job)

    async with lab.working(kind, handler):
        await lab.publish(service, lab.job())
        await eventually(lab.settled)
    assert len(calls) == 3
    assert len(await lab.stored(subjects.OUTCOMES)) == 1
    assert await lab.stored(subjects.DEAD) == []


@PULL_FIRST
@pytest.mark.req("P17")
@pytest.mark.failure("dead-letter")
async def test_a_job_that_always_fails_ends_as_a_dead_letter_and_says_so(lab: Any, kind: str, service: str) -> None:
    calls: list[str] = []

    async def handler(job: ValidateDraft) -> Outcome:
        calls.append(job.job_id)
        raise RuntimeError("words that may quote a document")

    job = lab.job()
    async with lab.working(kind, handler):
        await lab.publish(service, job)
        await eventually(lab.settled)
    assert len(calls) == 7
    [letter] = await lab.stored(subjects.DEAD)
    assert letter.subject == subjects.dead(service, "validate-draft")
    assert registry.decode(letter.headers["ce-type"], letter.data) == job
    assert letter.headers["stemma-dead-reason"] == "exhausted"
    assert letter.headers["stemma-dead-error"] == "RuntimeError"
    assert letter.headers["stemma-dead-deliveries"] == "7"
    assert letter.headers["ce-id"] == job.job_id
    assert "quote" not in str(letter.headers)
    [outcome] = await lab.stored(subjects.OUTCOMES)
    assert registry.decode(outcome.headers["ce-type"], outcome.data) == JobDead(
        job_id=job.job_id,
        tenant="default",
        document_id="d1",
        section_id="s1",
        detail="exhausted: RuntimeError",
        service=service,
    )


MALFORMED: tuple[tuple[dict[str, str] | None, bytes | None], ...] = (
    ({"Nats-Rollup-X": "all", "x-own": "kept"}, None),
    ({"ce-type": "stemma.unknown.v1"}, None),
    ({"ce-type": "stemma.approve.section.v1"}, None),
    ({"ce-type": "stemma.convert.document.v1"}, None),
    (None, b"\xff{"),
    (None, b'{"job_id": "j1"}'),
)
"""Without headers of ours, of an unknown type, another contract, another service; no JSON, and a missing field."""


@PULL_FIRST
@pytest.mark.req("P17")
async def test_a_message_that_cannot_be_read_is_a_dead_letter_at_once(lab: Any, kind: str, service: str) -> None:
    """Orders to the server are not passed on with it."""

    async def handler(job: ValidateDraft) -> Outcome:
        raise AssertionError("nothing to handle")

    readable: list[str] = []
    async with lab.working(kind, handler):
        for headers, data in MALFORMED:
            job = lab.job()
            readable += [job.job_id] if data is None else []
            await lab.publish_raw(service, job, headers, data)
        await eventually(lab.settled)
    letters = await lab.stored(subjects.DEAD)
    told = [(one.headers["stemma-dead-reason"], one.headers["stemma-dead-deliveries"]) for one in letters]
    assert told == [("invalid", "1")] * len(MALFORMED)
    assert [one.headers.get("x-own") for one in letters].count("kept") == 1
    assert not any("Nats-Rollup-X" in one.headers for one in letters)
    outcomes = [registry.decode(o.headers["ce-type"], o.data) for o in await lab.stored(subjects.OUTCOMES)]
    assert sorted(outcome.job_id for outcome in outcomes if isinstance(outcome, JobDead)) == sorted(readable)
    assert len(outcomes) == len(readable)


@KINDS
@pytest.mark.req("E1")
async def test_a_job_under_way_is_given_back_at_shutdown(lab: Any, kind: str, service: str) -> None:
    begun: asyncio.Queue[str] = asyncio.Queue()

    async def stuck(job: ValidateDraft) -> Outcome:
        await begun.put(job.job_id)
        await asyncio.Event().wait()
        raise AssertionError

    async with lab.working(kind, stuck):
        await lab.publish(service, lab.job())
        await asyncio.wait_for(begun.get(), 20)
    async with lab.working(kind, validated):
        await eventually(lab.settled, within_s=15)
    assert len(await lab.stored(subjects.OUTCOMES)) == 1


@KINDS
@pytest.mark.req("E1")
async def test_a_job_that_ends_within_the_grace_period_is_done(lab: Any, kind: str, service: str) -> None:
    begun, go_on, ended = asyncio.Event(), asyncio.Event(), list[str]()

    async def handler(job: ValidateDraft) -> Outcome:
        begun.set()
        try:
            await go_on.wait()
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise
        ended.append("done")
        return outcome_of(job)

    async with lab.working(kind, handler, shutdown_grace_s=60) as service_task:
        await lab.publish(service, lab.job())
        await asyncio.wait_for(begun.wait(), 20)
        service_task.cancel()
        asyncio.get_running_loop().call_later(0.5, go_on.set)  # long after a grace of nothing is over
    assert ended == ["done"]
    assert await lab.settled()
    assert len(await lab.stored(subjects.OUTCOMES)) == 1


@pytest.mark.req("E1")
def test_work_under_way_has_twenty_seconds_by_default_and_who_stops_a_service_waits_as_long() -> None:
    assert WorkerSettings.model_fields["shutdown_grace_s"].default == GRACE_S == 20
