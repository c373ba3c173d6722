"""A provisioned server, jobs, and workers made of plain functions."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any, Literal

import pytest
from faststream import AckPolicy, FastStream
from faststream.nats import JStream, NatsRouter
from nats.aio.client import Client
from nats.js import JetStreamContext
from nats.js.api import RawStreamMsg
from pydantic import SecretStr
from stemma_contracts import envelope_for, registry, subjects
from stemma_contracts.v1.document import DocumentHead
from stemma_contracts.v1.jobs import ValidateDraft
from stemma_contracts.v1.outcomes import DraftValidated, Outcome
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.section import SectionPlan
from stemma_contracts.v1.validation import ValidationSummary
from stemma_messaging import Publisher, Service, ServiceSettings, StemmaBroker, WorkerBroker, WorkerSettings
from stemma_provisioning import NatsServer
from stemma_testkit.servers import connected, provisioned_server

NUMBERS = count()
QUEUES = (subjects.JOBS, subjects.OUTCOMES, subjects.DEAD)
JobHandler = Callable[[ValidateDraft], Awaitable[Outcome]]
Kind = Literal["pull", "push"]
SERVICES: dict[Kind, str] = {"pull": subjects.GENERATION, "push": subjects.VALIDATOR}
PULL, PUSH = SERVICES.items()
KINDS = pytest.mark.parametrize(("kind", "service"), [PULL, PUSH])
PULL_FIRST = pytest.mark.parametrize(("kind", "service"), [PULL, pytest.param(*PUSH, marks=pytest.mark.full)])
PUSH_FIRST = pytest.mark.parametrize(("kind", "service"), [PUSH, pytest.param(*PULL, marks=pytest.mark.full)])
SUMMARY = ValidationSummary(passed=True, issue_count=0, engine="none", engine_version="0")


def outcome_of(job: ValidateDraft) -> DraftValidated:
    """The outcome of a job in which all is well."""
    return DraftValidated(job_id=job.job_id, tenant="default", document_id="d1", section_id="s1", validation=SUMMARY)


async def validated(job: ValidateDraft) -> Outcome:
    """The handler of a worker that has nothing to object to."""
    return outcome_of(job)


@pytest.fixture(scope="session")
def session_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with provisioned_server(tmp_path_factory.mktemp("nats"), ack_wait_s=30) as server:
        yield server


@pytest.fixture(scope="session")
def impatient_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    """It delivers again after one second without a sign of life."""
    with provisioned_server(tmp_path_factory.mktemp("impatient"), ack_wait_s=1) as server:
        yield server


@dataclass
class Lab:
    """A server, and what a test does with it."""

    server: NatsServer
    client: Client
    jetstream: JetStreamContext

    def job(self) -> ValidateDraft:
        """A new job; nothing of it lies anywhere."""
        return ValidateDraft(
            job_id=f"d1.{next(NUMBERS)}.validate.s1",
            document=DocumentHead(document_id="d1", tenant="default", kind="proposal", created_at=datetime.now(UTC)),
            section=SectionPlan(section_id="s1", title="Budget", kind="budget", graph="section"),
            version=1,
            draft=ArtifactRef(digest="0" * 64, size=1, media_type="text/markdown", name="draft.md"),
        )

    async def publish(self, service: str, job: ValidateDraft, *, bulk: bool = False) -> None:
        publisher = Publisher(self.jetstream, "test")
        subject = (subjects.bulk_job if bulk else subjects.job)(service, "validate-draft")
        await publisher.publish(subject, job, id=job.job_id, about="default/d1/s1", causation="c1", correlation="r1")

    async def publish_raw(
        self, service: str, job: ValidateDraft, headers: dict[str, str] | None, data: bytes | None
    ) -> None:
        """A job as it should not be: other headers, or another body."""
        entry = registry.entry_of(job)
        envelope = envelope_for(entry, id=job.job_id, source="test", subject="x", time=datetime.now(UTC))
        await self.jetstream.publish(
            subjects.job(service, "validate-draft"),
            registry.encode(job) if data is None else data,
            headers=envelope.headers() if headers is None else headers,
        )

    async def stored(self, stream: str) -> list[RawStreamMsg]:
        state = (await self.jetstream.stream_info(stream)).state
        numbers = range(state.first_seq, state.last_seq + 1) if state.messages else range(0)
        return [await self.jetstream.get_msg(stream, number) for number in numbers]

    async def settled(self) -> bool:
        """Whether no job is left."""
        return (await self.jetstream.stream_info(subjects.JOBS)).state.messages == 0

    async def reconnected(self) -> bool:
        return self.client.stats["reconnects"] > 0 and self.client.is_connected

    def settings(self, user: str, **more: Any) -> WorkerSettings:
        more = {"retry_base_s": 0.01, "shutdown_grace_s": 0, **more}
        more = {"nats_url": self.server.url, **more}
        return WorkerSettings(nats_user=user, nats_password=SecretStr(self.server.passwords[user]), **more)

    @asynccontextmanager
    async def working(self, kind: Kind, handler: JobHandler, **settings: Any) -> AsyncIterator[asyncio.Task[None]]:
        """A worker service in this process, pulled or pushed to."""
        service = SERVICES[kind]
        async with self.running(worker_of(service, handler, kind), self.settings(service, **settings)) as task:
            yield task

    @asynccontextmanager
    async def running(self, service: Service[Any], settings: Any) -> AsyncIterator[asyncio.Task[None]]:
        task = asyncio.create_task(service.run(settings))
        try:
            yield task
        finally:
            task.cancel()
            await asyncio.wait({task})


def routes(name: str, handler: JobHandler) -> NatsRouter:
    router, jobs = NatsRouter(ack_policy=AckPolicy.MANUAL), JStream(subjects.JOBS, declare=False)

    @router.subscriber(subjects.bulk_job(name, "validate-draft"), stream=jobs)
    @router.subscriber(subjects.job(name, "validate-draft"), stream=jobs)
    async def validate(job: ValidateDraft) -> Outcome:
        return await handler(job)

    return router


def app_of(broker: StemmaBroker, opened: Callable[[], Awaitable[object]]) -> FastStream:
    """An application that does something once it is connected."""

    @asynccontextmanager
    async def lifespan() -> AsyncIterator[None]:
        async with broker.connected():
            await opened()
            yield

    return FastStream(broker, lifespan=lifespan, logger=None)


def service_of(name: str, opened: Callable[[StemmaBroker], Awaitable[object]]) -> Service[ServiceSettings]:
    """A service without handlers, which does something once it is connected."""

    def build_app(settings: ServiceSettings) -> FastStream:
        broker = StemmaBroker(name, settings)
        return app_of(broker, lambda: opened(broker))

    return Service(name, ServiceSettings, build_app)


def worker_of(name: str, handler: JobHandler, kind: Kind) -> Service[WorkerSettings]:
    def build_app(settings: WorkerSettings) -> FastStream:
        broker = WorkerBroker(name, settings, jobs="pulled" if kind == "pull" else "pushed")
        broker.include_router(routes(name, handler))
        return app_of(broker, lambda: broker.publish_capabilities({"checks": ["links", "lint"]}))

    return Service(name, WorkerSettings, build_app)


@asynccontextmanager
async def lab_on(server: NatsServer) -> AsyncIterator[Lab]:
    async with connected(server) as client:
        jetstream = client.jetstream(timeout=10)
        for queue in QUEUES:
            await jetstream.purge_stream(queue)
        yield Lab(server, client, jetstream)


@pytest.fixture
async def lab(session_server: NatsServer) -> AsyncIterator[Lab]:
    async with lab_on(session_server) as lab:
        yield lab


@pytest.fixture
async def impatient_lab(impatient_server: NatsServer) -> AsyncIterator[Lab]:
    async with lab_on(impatient_server) as lab:
        yield lab


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[NatsServer]:
    with provisioned_server(tmp_path / "nats", ack_wait_s=1) as server:
        yield server


@pytest.fixture
async def own_lab(own_server: NatsServer) -> AsyncIterator[Lab]:
    """On a server of the test's own, which may break it."""
    async with lab_on(own_server) as lab:
        yield lab
