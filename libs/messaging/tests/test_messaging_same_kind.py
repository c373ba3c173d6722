"""Jobs that name the data of their document kind, and workers that have the same or other data."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import pytest
from faststream import AckPolicy, FastStream
from faststream.nats import JStream, NatsRouter
from nats.js.api import Header
from stemma_contracts import subjects
from stemma_contracts.v1.capabilities import Capabilities, DocumentKind
from stemma_contracts.v1.document import DocumentHead
from stemma_contracts.v1.jobs import SectionJob, ValidateDraft
from stemma_contracts.v1.outcomes import DraftValidated
from stemma_contracts.v1.section import SectionPlan
from stemma_messaging import Service, StemmaBroker, WorkerBroker, WorkerSettings
from stemma_messaging.outages import is_outage, reason_of
from stemma_messaging.publisher import next_id
from stemma_messaging.same_kind import KindDiffers, SameKind, same_kind
from stemma_telemetry import names
from stemma_testkit.servers import eventually
from structlog.testing import capture_logs

from .conftest import outcome_of

KIND = "proposal"
OLD, NEW = "a" * 64, "b" * 64
GENERATION = subjects.GENERATION


def job(digest: str | None) -> SectionJob:
    head = DocumentHead(document_id="doc", tenant="default", kind=KIND, created_at=datetime(2026, 1, 5, tzinfo=UTC))
    plan = SectionPlan(section_id="a", title="A", kind="a", graph="section", purpose="Why.")
    return SectionJob(job_id="doc.1.generate-section.a", document=head, section=plan, kind_digest=digest)


def worker(here: str | None, current: str | None) -> SameKind:
    async def told(_: str) -> str | None:
        return current

    return SameKind({KIND: here} if here else {}, told)


@pytest.mark.parametrize("digest", [None, NEW])
async def test_a_job_for_the_same_data_or_for_any_is_done(digest: str | None) -> None:
    await worker(NEW, OLD).require(job(digest))


async def test_a_job_that_an_older_orchestrator_published_is_done_by_who_has_the_data_of_the_newer() -> None:
    await worker(NEW, current=NEW).require(job(OLD))


@pytest.mark.failure("other-kind")
@pytest.mark.parametrize(("here", "current"), [(OLD, NEW), (OLD, None), (None, NEW), (None, None)])
async def test_a_job_for_other_data_is_another_workers_and_no_outage(here: str | None, current: str | None) -> None:
    with pytest.raises(KindDiffers, match=f"{KIND} is wanted as {NEW[:12]}, ") as differs:
        await worker(here, current).require(job(NEW))
    assert not is_outage(differs.value)
    assert reason_of(differs.value) == str(differs.value)


def test_whoever_stores_a_message_again_gives_it_the_same_id() -> None:
    assert [next_id("a"), next_id("a.again"), next_id("a.again2")] == ["a.again", "a.again2", "a.again3"]


class Workers:
    """Workers with the data of a release, and what each of them did."""

    def __init__(self, lab: Any) -> None:
        self._lab = lab
        self.done: list[tuple[str, str]] = []

    def service(self, here: str) -> Service[WorkerSettings]:
        def build_app(settings: WorkerSettings) -> FastStream:
            broker = WorkerBroker(GENERATION, settings)
            broker.include_router(self._routes(broker, here))

            @asynccontextmanager
            async def lifespan() -> AsyncIterator[None]:
                async with broker.connected():
                    yield

            return FastStream(broker, lifespan=lifespan, logger=None)

        return Service(GENERATION, WorkerSettings, build_app)

    def _routes(self, broker: WorkerBroker, here: str) -> NatsRouter:
        router = NatsRouter(ack_policy=AckPolicy.MANUAL)

        @router.subscriber(subjects.job(GENERATION, "validate-draft"), stream=JStream(subjects.JOBS, declare=False))
        async def validate(job: ValidateDraft) -> DraftValidated:
            await same_kind(broker, {KIND: here}).require(job)
            self.done.append((job.job_id, here))
            return outcome_of(job)

        return router

    @asynccontextmanager
    async def at_work(self, *releases: str) -> AsyncIterator[None]:
        """One worker of each release, with one slot."""
        async with AsyncExitStack() as stack:
            for here in releases:
                settings = self._lab.settings(GENERATION, slots=1, retry_base_s=0.001)
                await stack.enter_async_context(self._lab.running(self.service(here), settings))
            yield

    async def order(self, digest: str) -> str:
        job = self._lab.job().model_copy(update={"kind_digest": digest})
        await self._lab.publish(GENERATION, job)
        return str(job.job_id)


@pytest.fixture
def workers(lab: Any) -> Workers:
    return Workers(lab)


@asynccontextmanager
async def orchestrators(lab: Any, *releases: str) -> AsyncIterator[None]:
    """One orchestrator of each release, the newest last, which tells the data that it has."""
    user = subjects.ORCHESTRATOR
    async with AsyncExitStack() as stack:
        for digest in releases:
            broker = StemmaBroker(user, lab.settings(user))
            await stack.enter_async_context(broker.connected())
            kind = DocumentKind(kind=KIND, title="Proposal", sections=(), digest=digest)
            await broker.publish_capabilities(Capabilities(kinds=(kind,)).model_dump(mode="json"))
        yield


@pytest.mark.failure("other-kind")
async def test_a_job_for_other_data_waits_for_its_worker_and_costs_neither_slot_nor_delivery(
    lab: Any, workers: Workers
) -> None:
    async def came_often() -> bool:
        """More often than the server would deliver it."""
        info = await lab.jetstream.consumer_info(subjects.JOBS, GENERATION)
        most = info.config.max_deliver or 0
        return bool(0 < most < sum(log.get("verdict") == "PutBack" for log in logs))

    async def is_done() -> bool:
        return [job for job, _ in workers.done] == [of_old]

    async with orchestrators(lab, NEW):
        with capture_logs() as logs:
            async with workers.at_work(OLD):
                of_new = await workers.order(NEW)
                of_old = await workers.order(OLD)
                await eventually(is_done)
                await eventually(came_often)
        async with workers.at_work(OLD, NEW):
            await eventually(lab.settled)
    assert workers.done == [(of_old, OLD), (of_new, NEW)]
    assert len(await lab.stored(subjects.OUTCOMES)) == 2
    assert await lab.stored(subjects.DEAD) == []
    told = {log["reason"] for log in logs if log["event"] == names.Log.MESSAGE_HANDLED and log["verdict"] == "PutBack"}
    assert told == {f"the document kind {KIND} is wanted as {NEW[:12]}, here is {OLD[:12]}"}


@pytest.mark.failure("other-kind")
async def test_jobs_of_two_orchestrators_with_different_data_are_done_once_each_by_workers_that_may(
    lab: Any, workers: Workers
) -> None:
    async with orchestrators(lab, OLD, NEW), workers.at_work(OLD, NEW):
        of_old = {await workers.order(OLD) for _ in range(4)}
        of_new = {await workers.order(NEW) for _ in range(4)}
        await eventually(lab.settled)
    assert sorted(job for job, _ in workers.done) == sorted(of_old | of_new)
    assert {job for job, here in workers.done if here == OLD} <= of_old
    assert await lab.stored(subjects.DEAD) == []


@pytest.mark.failure("other-kind")
async def test_what_is_put_back_twice_is_stored_once(lab: Any, workers: Workers) -> None:
    """Its worker died between the two, or somebody else found it lost."""
    async with orchestrators(lab, NEW):
        of_new = await workers.order(NEW)
        [stored] = await lab.stored(subjects.JOBS)
        headers = {**stored.headers, Header.MSG_ID: next_id(of_new)}
        await lab.jetstream.publish(stored.subject, stored.data, headers=headers)

        async def one_is_left() -> bool:
            return bool((await lab.jetstream.stream_info(subjects.JOBS)).state.messages == 1)

        async with workers.at_work(OLD):
            await eventually(one_is_left)
