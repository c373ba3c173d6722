"""What is derived from the log is made anew from it, on a real server."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta

import domain_asking as asking
import pytest
from domain_story import DECIDER, DOCUMENT, Story, meta, ref
from nats.aio.client import Client
from nats.js.errors import NotFoundError
from stemma_contracts import MAX_MESSAGE_BYTES, subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.outcomes import JobDead
from stemma_contracts.v1.references import InputFile
from stemma_contracts.v1.summary import DocumentSummary
from stemma_contracts.v1.views import SectionView
from stemma_domain.commands import Command, Record
from stemma_domain.decide import decide
from stemma_domain.evolve import evolve
from stemma_domain.state import NoDocument, State
from stemma_eventlog import Cause, Decider, EventStore, JetStreamEventLog, StreamId
from stemma_messaging import Publisher
from stemma_orchestrator.app import repair, service
from stemma_orchestrator.job_publisher import JobPublisher, OpenCount
from stemma_orchestrator.projector import Projector
from stemma_orchestrator.repair import Repair
from stemma_orchestrator.timers import Timers
from stemma_provisioning import NatsServer
from stemma_testkit.servers import connected, provisioned_server

TENANTS = ("default", "other")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with provisioned_server(tmp_path_factory.mktemp("nats"), tenants=TENANTS) as server:
        yield server


@pytest.fixture
async def client(server: NatsServer) -> AsyncIterator[Client]:
    async with connected(server) as client:
        yield client


def document(tenant: str) -> str:
    return f"doc-of-{tenant}"


async def requested(client: Client, tenant: str) -> None:
    """A document of a tenant lies in the log; nothing else is there of it."""
    story = Story()
    (event,) = story.create()
    store = EventStore(JetStreamEventLog(client), DECIDER)
    about = {"tenant": tenant, "document_id": document(tenant), "sections": event.sections}
    command = asking.create(story.asked("create"), event.created_at, **about)
    await store.handle(StreamId(tenant, document(tenant)), command, Cause("create", "/test", event.created_at))


async def repaired(server: NatsServer) -> int:
    user = subjects.ORCHESTRATOR
    return await repair(
        service.load_settings(nats_url=server.url, nats_user=user, nats_password=server.passwords[user])
    )


async def queued(client: Client) -> list[str]:
    js, sequence = client.jetstream(), 1
    ids: list[str] = []
    while True:
        try:
            message = await js.get_msg(subjects.JOBS, seq=sequence, subject=subjects.REST, next=True)
        except NotFoundError:
            return ids
        ids.append((message.headers or {})["ce-id"])
        sequence = (message.seq or 0) + 1


async def summary(client: Client, tenant: str) -> DocumentSummary:
    views = await client.jetstream().key_value(subjects.VIEWS_BUCKET)
    return DocumentSummary.model_validate_json(
        (await views.get(subjects.view_key(tenant, document(tenant)))).value or b""
    )


async def details(client: Client, tenant: str, section_id: str) -> SectionView:
    views = await client.jetstream().key_value(subjects.VIEWS_BUCKET)
    key = subjects.section_view_key(tenant, document(tenant), section_id)
    return SectionView.model_validate_json((await views.get(key)).value or b"")


@pytest.mark.req("E1")
@pytest.mark.failure("jobs-lost")
async def test_summaries_and_lost_jobs_come_back_however_often_they_are_lost(
    server: NatsServer, client: Client
) -> None:
    for tenant in TENANTS:
        await requested(client, tenant)
    views = await client.jetstream().key_value(subjects.VIEWS_BUCKET)
    jobs = [f"{document(tenant)}.1.generate.research" for tenant in TENANTS]
    for lost in ("", ".again", ".again2"):
        assert await repaired(server) == len(TENANTS)
        assert [(await summary(client, tenant)).last_sequence for tenant in TENANTS] == [1, 2]
        assert await queued(client) == [f"{job}{lost}" for job in jobs]
        assert await repaired(server) == len(TENANTS)
        assert len(await queued(client)) == len(jobs), "what is queued is not queued again"
        await client.jetstream().purge_stream(subjects.JOBS)
        for tenant in TENANTS:
            await views.delete(subjects.view_key(tenant, document(tenant)))


@pytest.mark.req("S3")
async def test_a_document_that_a_bug_keeps_from_being_folded_stops_neither_the_repair_nor_its_tenant(
    client: Client,
) -> None:
    async def nobody(tenant: str, job_id: str) -> None: ...

    def broken(state: State, event: e.AnyEvent, at: datetime, sequence: int) -> State:
        if isinstance(event, e.DocumentRequested) and event.tenant == "default":
            raise KeyError("a bug")
        return evolve(state, event, at, sequence)

    for tenant in TENANTS:
        await requested(client, tenant)
    js, log = client.jetstream(), JetStreamEventLog(client)
    store = EventStore(log, Decider[Command, State, e.AnyEvent](NoDocument(), decide, broken))
    open_count, publisher = OpenCount(store), Publisher(js, "/test")
    projector = Projector(store, await js.key_value(subjects.VIEWS_BUCKET))
    jobs, timers = JobPublisher(publisher, nobody, open_count, 64, {}), Timers(publisher, timedelta(days=1))
    assert await Repair(js, store, projector, jobs, timers).run() == 1
    assert (await summary(client, "other")).status == "running"

    open_count.note(StreamId("default", document("default")), ["j1"])
    assert await open_count.room("default", most=1, trusted_s=0) == 0


@pytest.mark.req("S3")
async def test_a_summary_that_nobody_can_read_is_written_anew(server: NatsServer, client: Client) -> None:
    await requested(client, "default")
    await repaired(server)
    views = await client.jetstream().key_value(subjects.VIEWS_BUCKET)
    await views.put(subjects.view_key("default", document("default")), b"no JSON")
    await views.put(subjects.section_view_key("default", document("default"), "research"), b"no JSON")
    await repaired(server)
    assert (await summary(client, "default")).status == "running"
    assert (await details(client, "default", "research")).status == "generating"


@pytest.mark.req("E1")
async def test_a_section_is_written_again_when_something_in_it_changed_and_only_then(client: Client) -> None:
    await requested(client, "default")
    stream = StreamId("default", document("default"))
    store = EventStore(JetStreamEventLog(client), DECIDER)
    projector = Projector(store, await client.jetstream().key_value(subjects.VIEWS_BUCKET))
    await projector.write(stream, (await store.load(stream)).sequence, anew=True)
    research, timeline = [(await details(client, "default", name)).last_sequence for name in ("research", "timeline")]
    write = asking.write(
        meta("w"),
        "research",
        0,
        ref("a text"),
    )
    handled = await store.handle(stream, write, Cause("w", "/test", datetime(2026, 1, 1, tzinfo=UTC)))
    await projector.write(stream, handled.folded.sequence)
    assert (await details(client, "default", "research")).last_sequence == handled.folded.sequence > research
    assert (await details(client, "default", "timeline")).last_sequence == timeline


@pytest.mark.req("E1")
async def test_processes_that_write_one_summary_in_turn_each_write_over_the_earlier(client: Client) -> None:
    await requested(client, "default")
    stream = StreamId("default", document("default"))
    views = await client.jetstream().key_value(subjects.VIEWS_BUCKET)
    stores = [EventStore(JetStreamEventLog(client), DECIDER) for _ in range(2)]
    projectors = [Projector(store, views) for store in stores]
    for number in range(4):
        paused = asking.pause(meta(f"r{number}"))
        cause = Cause(f"c{number}", "/test", datetime(2026, 1, 1, tzinfo=UTC))
        handled = await stores[number % 2].handle(stream, paused, cause)
        await projectors[number % 2].write(stream, handled.folded.sequence)
        assert (await summary(client, "default")).last_sequence == handled.folded.sequence


async def test_overlapping_handlings_of_a_document_publish_each_job_once(client: Client) -> None:
    async def nobody(tenant: str, job_id: str) -> None: ...

    story = Story()
    story.create({"research": (), "budget": ()})
    before = story.state
    story.drafted("research")
    open_count = OpenCount(EventStore(JetStreamEventLog(client), DECIDER))
    jobs = JobPublisher(Publisher(client.jetstream(), "/test"), nobody, open_count, 64, {})
    stream, cause = StreamId("default", "overlapping"), Cause("x", "/test", datetime(2026, 1, 1, tzinfo=UTC))
    sent = client.stats["out_msgs"]
    await asyncio.gather(*(jobs.publish(stream, state, cause) for state in (before, story.state, story.state)))
    assert client.stats["out_msgs"] - sent == 3, "two sections to be written, one draft to be checked"


@pytest.mark.req("P17")
async def test_a_job_that_no_message_can_carry_fails_by_itself_and_the_others_are_published(client: Client) -> None:
    async def nobody(tenant: str, job_id: str) -> None: ...

    story = Story()
    (created,) = story.create()
    image = ref("image", "image/png")
    story.drafted("research", assets=[InputFile(name=f"{number}.png", artifact=image) for number in range(7000)])
    (requested,) = story.ask(asking.export, ExportFormat.DOCX)
    open_count = OpenCount(EventStore(JetStreamEventLog(client), DECIDER))
    jobs = JobPublisher(Publisher(client.jetstream(), "/test"), nobody, open_count, 64, {})
    await jobs.publish(StreamId("default", DOCUMENT), story.state, Cause("x", "/test", created.created_at))
    assert story.job_of("research") in await queued(client)
    subject = subjects.outcome(subjects.ORCHESTRATOR, "job-dead")
    message = await client.jetstream().get_msg(subjects.OUTCOMES, subject=subject, seq=1, next=True)
    (failed,) = story.when(Record(JobDead.model_validate_json(message.data or b"")))
    assert isinstance(failed, e.ExportJobDead)
    assert (failed.export_id, f"at most {MAX_MESSAGE_BYTES}" in failed.detail) == (requested.export_id, True)
