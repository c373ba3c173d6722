"""What the orchestrator measures of the whole installation, with the permissions that it has."""

from collections.abc import AsyncIterator, Iterable, Iterator
from datetime import UTC, datetime, timedelta

import domain_asking as asking
import pytest
from domain_story import Story
from nats.aio.client import Client
from stemma_contracts import subjects
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.section import SectionStatus
from stemma_contracts.v1.summary import DocumentSummary, SectionSummary
from stemma_contracts.v1.views import SectionView
from stemma_orchestrator.observing import Census, Copies, Fleet, WaitsFor, ended_waits
from stemma_provisioning import NatsServer
from stemma_provisioning.copies import mend_copies
from stemma_telemetry.metrics import Gauges, Labels
from stemma_telemetry.names import Metric
from stemma_testkit.servers import barrier, connected, eventually, provisioned_server

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
pytestmark = pytest.mark.req("O2")


class Kept(Gauges):
    """Keeps what was seen last."""

    def __init__(self) -> None:
        super().__init__()
        self.values: dict[Metric, dict[tuple[str, ...], float]] = {}

    def see(self, metric: Metric, values: Iterable[tuple[float, Labels]]) -> None:
        """Under the values of its labels."""
        self.values[metric] = {tuple(labels.values()): value for value, labels in values}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with provisioned_server(tmp_path_factory.mktemp("nats"), tenants=("default", "other")) as running:
        yield running


@pytest.fixture
async def provisioner(server: NatsServer) -> AsyncIterator[Client]:
    async with connected(server) as client:
        yield client


@pytest.fixture
async def orchestrator(server: NatsServer) -> AsyncIterator[Client]:
    async with connected(server, subjects.ORCHESTRATOR) as client:
        yield client


async def test_lag_sizes_and_dead_letters_are_those_of_the_server(provisioner: Client, orchestrator: Client) -> None:
    js, bucket = provisioner.jetstream(), subjects.artifacts_bucket("other")
    for number in range(3):
        await js.publish(subjects.job(subjects.CONVERTER, "convert-document"), str(number).encode())
    pulled = await js.pull_subscribe_bind(subjects.CONVERTER, subjects.JOBS)
    await pulled.fetch(1)
    await js.publish(subjects.request("other", "create-document"), b"{}")
    await js.publish(subjects.dead(subjects.EDITOR, "edit-section"), b"dead")
    await js.publish(subjects.dead("operator", "dropped"), b"by hand")
    await js.publish(f"$O.{bucket}.C.large", b"x" * 5000)
    await Fleet(orchestrator.jetstream(), kept := Kept(), 77).look()
    converter = (subjects.CONVERTER, subjects.JOBS, subjects.CONVERTER)
    of_other = (subjects.ORCHESTRATOR, subjects.REQUESTS, subjects.requests_consumer("other"), "other")
    assert kept.values[Metric.CONSUMER_PENDING][converter] == 2
    assert kept.values[Metric.CONSUMER_UNACKNOWLEDGED][converter] == 1
    assert kept.values[Metric.CONSUMER_DELIVERED][converter] == 1
    assert kept.values[Metric.CONSUMER_PENDING][of_other] == 1
    assert kept.values[Metric.DEAD_LETTERS] == {(subjects.EDITOR, "edit-section"): 1}
    stored = (await js.stream_info(f"OBJ_{bucket}")).state
    assert kept.values[Metric.STREAM_SIZE][f"OBJ_{bucket}", "other"] == stored.bytes > 5000
    assert kept.values[Metric.STREAM_MESSAGES][(subjects.JOBS,)] == 3
    assert kept.values[Metric.TENANT_LIMIT] == {(): 77}


@pytest.mark.req("S1")
async def test_a_copy_that_lacks_messages_is_measured_and_one_that_is_whole_is_not_counted_again(
    provisioner: Client, orchestrator: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stemma_provisioning.copies.LOOK_AGAIN_S", 0.01)
    js, there = provisioner.jetstream(), provisioner.jetstream(prefix=subjects.copies_api("other"))
    for number in range(3):
        await js.publish(subjects.answer("other", f"r{number}"), b"{}")
    copies, of_other = Copies(orchestrator, kept := Kept()), ("other", subjects.ANSWERS)

    async def lacking() -> float:
        await copies.look()
        return kept.values[Metric.COPY_LACKING][of_other]

    async def is_whole() -> bool:
        return await lacking() == 0

    await eventually(is_whole)
    assert set(kept.values[Metric.COPY_LACKING]) == {(t, s) for t in ("default", "other") for s in subjects.copied(t)}
    counting = await provisioner.subscribe(f"$JS.API.CONSUMER.CREATE.{subjects.ANSWERS}.>")
    await barrier(provisioner)
    assert await lacking() == 0
    await barrier(provisioner)
    assert counting.pending_msgs == 0
    await there.delete_msg(subjects.ANSWERS, (await there.stream_info(subjects.ANSWERS)).state.last_seq)
    assert await lacking() == 1
    await barrier(provisioner)
    assert counting.pending_msgs == 1
    await there.delete_stream(subjects.ANSWERS)
    assert await lacking() == 3
    await mend_copies(provisioner, ("other",))
    assert await lacking() == 0


def summary(status: DocumentStatus = DocumentStatus.RUNNING, **sections: SectionSummary) -> bytes:
    document = DocumentSummary(
        document_id="d",
        kind="proposal",
        status=status,
        created_at=NOON,
        last_sequence=1,
        sections=(*sections.values(),),
    )
    return document.model_dump_json().encode()


def section(name: str, status: SectionStatus, *, version: int = 1, stale: bool = False) -> SectionSummary:
    return SectionSummary(section_id=name, title=name, status=status, version=version, stale=stale)


def details(name: str, waits_since: datetime) -> bytes:
    told = SectionView(
        section_id=name,
        title=name,
        kind="section",
        graph="section",
        last_sequence=1,
        status=SectionStatus.AWAITING_REVIEW,
        waits_since=waits_since,
    )
    return told.model_dump_json().encode()


async def test_documents_are_counted_by_what_changed(provisioner: Client, orchestrator: Client) -> None:
    views = await provisioner.jetstream().key_value(subjects.VIEWS_BUCKET)
    waits, review = section("a", SectionStatus.AWAITING_REVIEW), ("default", "review")
    broken = section("b", SectionStatus.FAILED, stale=True)
    await views.put("default.d1.a", details("a", NOON - timedelta(hours=2)))
    await views.put("default.d2.a", details("a", NOON - timedelta(hours=1)))
    await views.put("default.d1", summary(a=waits, b=broken))
    await views.put("default.d2", summary(a=waits))
    await views.put("other.d1", summary(DocumentStatus.CANCELLED, a=waits, b=broken))
    await views.put("other.d2", b'{"kind": 7}')
    own = await orchestrator.jetstream().key_value(subjects.VIEWS_BUCKET)
    census = Census(orchestrator, own, kept := Kept(), now=lambda: NOON)
    await census.look()
    assert kept.values[Metric.DOCUMENTS] == {("default", "running"): 2, ("other", "cancelled"): 1}
    assert (kept.values[Metric.WAITING], kept.values[Metric.WAITING_LONGEST]) == ({review: 2}, {review: 7200})
    assert kept.values[Metric.STALE_SECTIONS] == {("default",): 1, ("other",): 0}
    assert kept.values[Metric.FAILED_SECTIONS] == {("default",): 1, ("other",): 0}
    await views.put("default.d1", summary(a=section("a", SectionStatus.APPROVED), b=broken))
    await views.delete("other.d1")
    await census.look()
    assert kept.values[Metric.DOCUMENTS] == {("default", "running"): 2}
    assert (kept.values[Metric.WAITING], kept.values[Metric.WAITING_LONGEST]) == ({review: 1}, {review: 3600})


def test_a_wait_ends_with_the_decision_of_a_person(story: Story) -> None:
    story.now = NOON
    story.create()
    story.reviewable("research")
    waiting = story.state
    assert list(ended_waits(waiting, waiting)) == []
    story.approve("research")
    assert list(ended_waits(waiting, story.state)) == [(WaitsFor.REVIEW, NOON)]


def test_nobody_decided_about_what_a_cancelled_document_let_wait(story: Story) -> None:
    story.now = NOON
    story.create()
    story.reviewable("research")
    waiting = story.state
    story.ask(asking.cancel)
    assert list(ended_waits(waiting, story.state)) == []
