"""Timers lie on the server, which puts each into its queue when it elapses; a reminder is given once."""

from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta

import domain_asking as asking
import pytest
from domain_story import DOCUMENT, Story
from nats.aio.client import Client
from nats.js.api import RawStreamMsg
from stemma_contracts import subjects
from stemma_domain.commands import Elapsed, Timer
from stemma_eventlog import StreamId
from stemma_messaging import Delivery, InvalidMessage, Publisher
from stemma_orchestrator.app import service
from stemma_orchestrator.timers import Timers, elapsed
from stemma_provisioning import NatsServer
from stemma_testkit.servers import connected, eventually, provisioned_server
from stemma_testkit.working import access, at_work
from test_orchestrator_service import Bus

pytestmark = pytest.mark.req("H7")
LATER = "2099-12-01T17:00:00+01:00"
BEFORE = timedelta(days=1)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with provisioned_server(tmp_path_factory.mktemp("nats"), ack_wait_s=1) as running:
        yield running


@pytest.fixture
async def client(server: NatsServer) -> AsyncIterator[Client]:
    async with connected(server) as connection:
        await connection.jetstream().purge_stream(subjects.TIMERS)
        yield connection


async def lying(client: Client, subject: str) -> RawStreamMsg | None:
    """What lies under a subject of the stream of timers, and how many there are must be one."""
    info = await client.jetstream().stream_info(subjects.TIMERS, subjects_filter=subject)
    if not info.state.subjects:
        return None
    assert info.state.subjects == {subject: 1}
    return await client.jetstream().get_msg(subjects.TIMERS, seq=1, subject=subject, next=True)


def due(story: Story, time: datetime, asked_at: datetime) -> None:
    story.now = asked_at
    story.when(asking.assign(story.asked(), "research", "bea", time, asked_at))


async def test_a_timer_is_kept_once_whoever_sets_it_and_gives_way_to_another_time(client: Client, begun: Story) -> None:
    stream, place = StreamId("default", DOCUMENT), ("default", DOCUMENT, "research", "overdue")
    one, other = (Timers(Publisher(client.jetstream(), "/test"), BEFORE) for _ in range(2))
    due(begun, datetime(2099, 12, 1, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC))
    for timers in (one, one, other):
        await timers.set(stream, begun.state)
    first = await lying(client, subjects.timer(*place))
    due(begun, datetime(2099, 12, 2, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC))
    await other.set(stream, begun.state)
    second = await lying(client, subjects.timer(*place))
    assert first is not None
    assert second is not None
    assert ((first.headers or {})["Nats-Schedule"], (second.headers or {})["Nats-Schedule"]) == (
        "@at 2099-12-01T00:00:00.000000Z",
        "@at 2099-12-02T00:00:00.000000Z",
    )


async def test_a_timer_that_is_set_too_late_elapses_at_once(client: Client, begun: Story) -> None:
    due(begun, datetime(2026, 1, 3, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC))
    await Timers(Publisher(client.jetstream(), "/test"), BEFORE).set(StreamId("default", DOCUMENT), begun.state)
    for name in ("due-soon", "overdue"):
        place = ("default", DOCUMENT, "research", name)

        async def elapsed(place: tuple[str, str, str, str] = place) -> bool:
            return await lying(client, subjects.elapsed(*place)) is not None

        await eventually(elapsed)
        assert await lying(client, subjects.timer(*place)) is None


def delivered(name: str, data: bytes) -> Delivery:
    subject = subjects.elapsed("default", DOCUMENT, "research", name)
    at = datetime(2026, 1, 1, tzinfo=UTC)
    return Delivery(subject, {}, data, subjects.TIMERS, subjects.ORCHESTRATOR, stream_sequence=1, deliveries=1, time=at)


def test_reads_a_timer_as_an_earlier_release_set_it() -> None:
    stream, read = elapsed(delivered("overdue", b'{"assignment": 2}'))
    assert stream == StreamId("default", DOCUMENT)
    assert read == Elapsed(Timer("research", "overdue", 2, datetime(2026, 1, 1, tzinfo=UTC)))


@pytest.mark.parametrize(("name", "data"), [("someday", b'{"assignment": 2}'), ("overdue", b"{}"), ("overdue", b"?")])
def test_refuses_a_timer_that_no_feature_sets(name: str, data: bytes) -> None:
    with pytest.raises(InvalidMessage):
        elapsed(delivered(name, data))


async def test_an_assignment_sets_its_timers_and_what_elapses_becomes_one_event(
    client: Client, server: NatsServer
) -> None:
    bus, jetstream = Bus(server, client), client.jetstream()
    settings = service.load_settings(**access(server, subjects.ORCHESTRATOR))
    async with at_work(service.run(settings)):
        document_id = await bus.create("timed")
        about = {"document_id": document_id, "section_id": "research"}
        await bus.ask("assign-section", {**about, "request_id": "t1", "assignee": "bea", "due": LATER})
        [answer] = await bus.answers("t1")
        place = ("default", document_id, "research", "due-soon")
        timer = await lying(client, subjects.timer(*place))
        assert timer is not None
        assert (answer["section_id"], (timer.headers or {})["Nats-Schedule"]) == (
            "research",
            "@at 2099-11-30T16:00:00.000000Z",
        )
        await jetstream.publish(subjects.elapsed(*place), b"no timer")
        stored = [await jetstream.publish(subjects.elapsed(*place), timer.data or b"") for _ in range(2)]

        async def handled() -> bool:
            info = await jetstream.consumer_info(subjects.TIMERS, subjects.ORCHESTRATOR)
            return info.ack_floor is not None and info.ack_floor.stream_seq >= stored[-1].seq

        await eventually(handled)
    names = [type(event).__name__ for event in await bus.events(document_id)]
    assert names == ["DocumentRequested", "SectionAssigned", "SectionDueSoon"]
