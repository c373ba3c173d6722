"""A store that is away or full: what needs it waits, and neither a delivery nor a dead letter is spent on that."""

import asyncio
from contextlib import AsyncExitStack
from typing import Any

import pytest
from nats.errors import NoRespondersError
from nats.errors import TimeoutError as NatsTimeoutError
from nats.js.errors import APIError, BadRequestError, NotFoundError, ServiceUnavailableError
from stemma_contracts import subjects
from stemma_contracts.v1.jobs import ValidateDraft
from stemma_contracts.v1.outcomes import Outcome
from stemma_eventlog import AppendUnknown, LogFull, LogRefused
from stemma_messaging import StemmaBroker
from stemma_messaging.cancellation import end
from stemma_messaging.errors import Outage
from stemma_messaging.outages import Patience, is_outage, reason_of
from stemma_telemetry import names
from stemma_testkit.filling import full
from stemma_testkit.servers import eventually
from stemma_testkit.swallowing import swallowing
from structlog.testing import capture_logs

from .conftest import PULL_FIRST, outcome_of, service_of, validated


@PULL_FIRST
@pytest.mark.req("F1")
@pytest.mark.failure("no-room")
async def test_an_outage_uses_up_no_delivery_however_long_it_lasts(lab: Any, kind: str, service: str) -> None:
    deliveries: list[str] = []

    async def handler(job: ValidateDraft) -> Outcome:
        deliveries.append(job.job_id)
        if len(deliveries) < 12:
            raise Outage("the database does not answer")
        return outcome_of(job)

    async with lab.working(kind, handler, retry_base_s=0.0001):
        await lab.publish(service, lab.job())
        await eventually(lab.settled)
    assert len(deliveries) == 12
    [outcome] = await lab.stored(subjects.OUTCOMES)
    assert outcome.headers["ce-type"] == "stemma.draft.validated.v1"
    assert await lab.stored(subjects.DEAD) == []


@PULL_FIRST
@pytest.mark.req("F1")
@pytest.mark.failure("no-room")
async def test_a_dead_letter_that_finds_no_room_is_stored_once_there_is_some(lab: Any, kind: str, service: str) -> None:
    async def handler(job: ValidateDraft) -> Outcome:
        raise RuntimeError

    async def is_held() -> bool:
        return bool((await lab.jetstream.consumer_info(subjects.JOBS, service)).delivered.consumer_seq - first >= 7)

    first = (await lab.jetstream.consumer_info(subjects.JOBS, service)).delivered.consumer_seq
    async with lab.working(kind, handler):
        async with full(lab.client, [subjects.DEAD, subjects.OUTCOMES]):
            await lab.publish(service, lab.job())
            await eventually(is_held)
        await eventually(lab.settled)
    assert len(await lab.stored(subjects.DEAD)) == 1
    assert len(await lab.stored(subjects.OUTCOMES)) == 1


@PULL_FIRST
@pytest.mark.req("F4")
async def test_a_service_whose_first_call_is_not_answered_in_time_waits(
    lab: Any, kind: str, service: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stemma_messaging.broker.FIRST_TIMEOUT_S", 0.5)
    swallowed: list[bytes] = []

    def first_answer(subject: bytes, _: bytes) -> bool:
        swallowed.append(subject)
        return len(swallowed) == 1

    async with (
        swallowing(lab.server.url, first_answer) as url,
        lab.working(kind, validated, nats_url=url, health_port=0) as running,
    ):
        await lab.publish(service, lab.job())
        await eventually(lab.settled)
        assert not running.done()
    assert swallowed[0].startswith(b"_INBOX_")


@PULL_FIRST
@pytest.mark.req("F1")
@pytest.mark.failure("no-room")
async def test_a_service_that_starts_while_the_server_takes_nothing_waits_and_works_once_there_is_room(
    lab: Any, kind: str, service: str
) -> None:
    async def has_waited() -> bool:
        assert not running.done()
        return [line["event"] for line in logs].count(names.Log.OUTAGE) > 1

    async with AsyncExitStack() as stack:
        logs = stack.enter_context(capture_logs())
        async with full(lab.client, [f"KV_{subjects.CAPABILITIES_BUCKET}"]):
            running = await stack.enter_async_context(lab.working(kind, validated))
            await eventually(has_waited)
        await lab.publish(service, lab.job())
        await eventually(lab.settled)
    reasons = {line["reason"] for line in logs if "reason" in line}
    assert reasons in ({f"maximum {what} exceeded (10077)"} for what in ("messages per subject", "bytes"))


OUTAGES = [
    NatsTimeoutError(),
    NoRespondersError(),
    ServiceUnavailableError(503, "insufficient storage resources available", 10047),
    APIError(400, "maximum bytes exceeded", 10077),
    AppendUnknown("TimeoutError"),
    LogFull("10077: maximum bytes exceeded"),
    Outage("database or disk is full"),
]
OTHERS = [None, RuntimeError("words"), NotFoundError(404, "x"), BadRequestError(400, "x", 10071), LogRefused("")]


@pytest.mark.req("F1")
def test_what_a_store_lacks_is_an_outage_with_its_own_reason_and_what_goes_wrong_by_itself_is_none() -> None:
    assert [error for error in OUTAGES if not is_outage(error) or not reason_of(error)] == []
    assert [error for error in [*OTHERS, TimeoutError()] if is_outage(error)] == []
    assert reason_of(RuntimeError("words that may quote a document")) == ""


@PULL_FIRST
@pytest.mark.req("F1")
async def test_a_service_that_can_do_nothing_special_tells_all_the_same_that_its_writes_are_refused(
    lab: Any, kind: str, service: str
) -> None:
    async def tell_nothing(broker: StemmaBroker) -> None:
        brokers.append(broker)
        await broker.publish_capabilities({})

    async def is_refused() -> bool:
        return bool(brokers) and await brokers[0].missing() == [
            "writing: maximum messages per subject exceeded (10077)"
        ]

    async def is_ready() -> bool:
        return bool(brokers) and await brokers[0].missing() == []

    brokers: list[StemmaBroker] = []
    async with lab.running(service_of(service, tell_nothing), lab.settings(service)):
        await eventually(is_ready)
        async with full(lab.client, [f"KV_{subjects.CAPABILITIES_BUCKET}"]):
            await eventually(is_refused)
        await eventually(is_ready)


@pytest.mark.req("E2")
async def test_what_a_process_of_another_release_told_since_is_not_told_over(lab: Any) -> None:
    older, newer = (StemmaBroker(subjects.VALIDATOR, lab.settings(subjects.VALIDATOR)) for _ in range(2))
    async with older.connected(), newer.connected():
        await older.publish_capabilities({"release": "older"})
        await newer.publish_capabilities({"release": "newer"})
        assert await older.missing() == await newer.missing() == []
        bucket = await lab.jetstream.key_value(subjects.CAPABILITIES_BUCKET)
        assert (await bucket.get(subjects.VALIDATOR)).value == b'{"release": "newer"}'


@pytest.mark.req("E1")
async def test_work_that_a_service_was_not_let_to_end_ends_with_its_connection(lab: Any) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def handler(job: ValidateDraft) -> Outcome:
        begun.set()
        await go_on.wait()
        return outcome_of(job)

    before = asyncio.all_tasks()
    async with lab.working("pull", handler, shutdown_grace_s=60) as running:
        await lab.publish(subjects.GENERATION, lab.job())
        await begun.wait()
        await end([running])  # it is asked a second time, and does not wait for its work any more
        left = asyncio.all_tasks() - before
        go_on.set()
        _, late = await asyncio.wait(left, timeout=20)
        await end(late)
    assert left
    assert not late


@pytest.mark.req("O1")
async def test_the_end_of_an_outage_is_looked_for_sooner_than_a_message_is_tried_again() -> None:
    errors = iter([NatsTimeoutError(), NatsTimeoutError(), None])

    async def work() -> Exception | None:
        return next(errors)

    with capture_logs() as lines:
        assert await Patience(retry_base_s=0.01).through(work) is None
    assert [line["seconds"] for line in lines] == [0.001, 0.002]
