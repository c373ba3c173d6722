import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import aclosing, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import pytest
from nats.aio.client import Client as Nats
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.errors import ConnectionClosedError
from stemma_client import (
    Client,
    CopyIncompleteError,
    ExportFailedError,
    ServerUnreachableError,
    UnreadableEventError,
)
from stemma_client.client import MOST_LIVE
from stemma_client.connection import Connection
from stemma_client.settings import ServerAddress
from stemma_contracts import subjects
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.events import (
    DecisionRefused,
    DocumentCompleted,
    DocumentPaused,
    DocumentResumed,
    ExportFailed,
    ExportJobDead,
    FormExportFailed,
)
from stemma_contracts.v1.exports import ExportFormat
from stemma_provisioning import NatsServer, client_user, provision
from stemma_provisioning.copies import copies, mend_copies
from stemma_testkit.servers import connected

CONNECTION = "stemma_client.connection"
T = TypeVar("T")


async def take(source: AsyncIterator[T], count: int) -> list[T]:
    async with asyncio.timeout(20):
        return [await anext(source) for _ in range(count)]


@pytest.mark.req("E4")
async def test_a_late_follower_gets_all_events_from_any_place_on_and_then_the_new_ones_as_a_raw_subscription_does(
    client: Client, backstage: Any, document_id: str
) -> None:
    raw = await backstage.nats.subscribe(subjects.event("default", document_id, subjects.ANY))
    await backstage.append(document_id, DocumentPaused(), DocumentResumed())

    async with aclosing(client.follow(document_id)) as events:
        stored = await take(events, 2)
        await backstage.append(document_id, DocumentCompleted())
        followed = [*stored, *await take(events, 1)]
    async with aclosing(client.follow(document_id, from_sequence=stored[0].sequence + 1)) as events:
        behind = await take(events, 2)

    assert [e.name for e in followed] == ["document-paused", "document-resumed", "document-completed"]
    assert [e.name for e in behind] == ["document-resumed", "document-completed"]
    assert [e.pending for e in stored] == [1, 0]
    async with aclosing(client.follow_all(name="document-completed", from_sequence=stored[0].sequence)) as of_all:
        await backstage.append(f"{document_id}x", DocumentPaused(), DocumentCompleted())
        assert [event.document_id for event in await take(of_all, 2)] == [document_id, f"{document_id}x"]
    seen = [await raw.next_msg(timeout=5) for _ in followed]
    assert [(m.subject, m.headers["ce-id"], m.data) for m in seen] == [
        (e.subject, e.envelope.id, e.data) for e in followed
    ]


@pytest.mark.req("L7", "T5")
async def test_who_waits_for_an_export_is_told_why_there_is_none(
    client: Client, backstage: Any, document_id: str
) -> None:
    failed = ExportFailed(export_id="x1", format=ExportFormat.PDF, job_id="j1", detail="time limit")
    dead = ExportJobDead(export_id="x2", format=ExportFormat.PDF, job_id="j2", detail="not understood")
    form = FormExportFailed(export_id="x3", job_id="j3", reasons=("A9: too long.", "B2: no date."))
    await backstage.append(document_id, failed, dead, form)

    waits = (client.exported(document_id, "x1"), client.exported(document_id, "x2"))
    async with asyncio.timeout(20):
        told = await asyncio.gather(*waits, client.form_exported(document_id, "x3"), return_exceptions=True)

    assert [one.detail for one in told if isinstance(one, ExportFailedError)] == [
        "time limit",
        "not understood",
        "A9: too long.\nB2: no date.",
    ]


@pytest.mark.req("E4", "O1")
async def test_a_follower_keeps_its_consumer_while_that_lives_and_makes_another_when_it_is_gone_or_stands_still(
    client: Client, backstage: Any, document_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it goes with the one server, of several, on which it is: nothing is said about it."""
    monkeypatch.setattr("stemma_client.connection.HEARTBEAT_S", 0.1)
    monkeypatch.setattr(f"{CONNECTION}.SILENT_FOR_S", 2.0)
    monkeypatch.setattr(f"{CONNECTION}.LOOK_AGAIN_S", 1.0)
    copies = backstage.nats.jetstream(prefix=subjects.copies_api("default"))
    before = {info.name for info in await copies.consumers_info(subjects.EVENTS)}

    async def own() -> str:
        async with asyncio.timeout(20):
            while not (found := {info.name for info in await copies.consumers_info(subjects.EVENTS)} - before):
                await asyncio.sleep(0.02)
        return str(found.pop())

    async with aclosing(client.follow(document_id)) as events:
        coming = asyncio.create_task(take(events, 1))
        first, heard = await own(), client._connection.nats.stats["in_msgs"]
        async with asyncio.timeout(20):
            while client._connection.nats.stats["in_msgs"] < heard + 25:
                await asyncio.sleep(0.02)
        assert await own() == first, "seconds of heartbeats are no silence"
        await copies.delete_consumer(subjects.EVENTS, first)
        await backstage.append(document_id, DocumentPaused())
        assert [event.name for event in await coming] == ["document-paused"]
        await copies.pause_consumer(subjects.EVENTS, await own(), (datetime.now(UTC) + timedelta(hours=1)).isoformat())
        await backstage.append(document_id, DocumentResumed())
        assert [event.name for event in await take(events, 1)] == ["document-resumed"]


@pytest.mark.req("E4", "O1")
async def test_the_last_event_is_given_also_where_the_server_counts_one_more_behind_it(
    client: Client, backstage: Any, document_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one of several servers does now and then that has just taken over."""
    monkeypatch.setattr("stemma_client.connection.HEARTBEAT_S", 0.2)
    monkeypatch.setattr(f"{CONNECTION}.CALL_TIMEOUT_S", 1.0)
    reads = Msg.Metadata._from_reply

    def one_more(reply: str) -> Msg.Metadata:
        read = reads(reply)
        return replace(read, num_pending=read.num_pending + 1)

    monkeypatch.setattr(Msg.Metadata, "_from_reply", one_more)
    await backstage.append(document_id, DocumentPaused(), DocumentResumed())
    async with aclosing(client.follow(document_id)) as events:
        assert [(event.name, bool(event.pending)) for event in await take(events, 2)] == [
            ("document-paused", True),
            ("document-resumed", False),
        ]
    assert [event.name for event in await client.history(document_id)] == ["document-paused", "document-resumed"]


@pytest.mark.req("E4")
async def test_a_server_that_is_killed_interrupts_no_follower(own_server: NatsServer, open_backstage: Any) -> None:
    password = own_server.passwords["client-default"]
    async with (
        open_backstage(own_server) as stage,
        Client.connect(own_server.url, user="client-default", password=password) as client,
        aclosing(client.follow("d1")) as events,
    ):
        await stage.append("d1", DocumentPaused())
        before = await take(events, 1)
        own_server.kill()
        await asyncio.to_thread(own_server.start)
        async with asyncio.timeout(20):
            while not stage.nats.is_connected:
                await asyncio.sleep(0.02)
        await stage.append("d1", DocumentResumed(), DocumentCompleted())
        after = await take(events, 2)

    assert [e.name for e in (*before, *after)] == ["document-paused", "document-resumed", "document-completed"]


@pytest.mark.req("E4")
async def test_a_follower_that_missed_an_event_notices_and_gets_it(
    client: Client, backstage: Any, document_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The client library drops what it cannot hold: one message is lost on the way, once."""
    lost: list[Msg] = []
    arrives = Subscription.next_msg

    async def next_msg(self: Subscription, timeout: float | None = 1.0) -> Msg:
        message = await arrives(self, timeout)
        if not lost and message.subject.endswith("document-resumed"):
            lost.append(message)
            return await arrives(self, timeout)
        return message

    monkeypatch.setattr(Subscription, "next_msg", next_msg)
    sent = (DocumentPaused(), DocumentResumed(), DocumentPaused(), DocumentResumed(), DocumentCompleted())
    await backstage.append(document_id, *sent)
    async with aclosing(client.follow(document_id)) as events:
        seen = await take(events, len(sent))

    assert len(lost) == 1
    assert [event.contract for event in seen] == list(sent)
    assert len({event.sequence for event in seen}) == len(sent)


async def test_text_is_seen_as_it_is_generated(client: Client, server: NatsServer, document_id: str) -> None:
    async with connected(server, subjects.GENERATION) as writer, aclosing(client.follow_live(document_id)) as live:
        first = asyncio.create_task(anext(live))
        async with asyncio.timeout(10):
            while not first.done():
                await writer.publish(subjects.live("default", document_id, "research"), "Bücher".encode())
                await asyncio.sleep(0.01)

    assert (first.result().section_id, first.result().text) == ("research", "Bücher")


async def test_who_follows_ends_also_when_a_library_swallowed_the_word(client: Client, document_id: str) -> None:
    """What `asyncio.wait_for` of nats-py does before Python 3.12 when message and cancellation meet."""
    entered = asyncio.Event()

    async def follow() -> None:
        entered.set()
        with suppress(asyncio.CancelledError):
            await asyncio.get_running_loop().create_future()
        async with aclosing(client.follow(document_id)) as events:
            await anext(events)

    task = asyncio.create_task(follow())
    await entered.wait()
    task.cancel()
    await asyncio.wait({task}, timeout=20)
    assert task.cancelled()


@pytest.mark.req("S1")
async def test_what_the_log_has_and_the_copy_has_not_yet_is_waited_for_and_told_as_pending(
    own_server: NatsServer, open_backstage: Any
) -> None:
    password = own_server.passwords["client-default"]
    async with (
        open_backstage(own_server) as stage,
        Client.connect(own_server.url, user="client-default", password=password) as client,
    ):
        await stage.append("d1", DocumentPaused())
        await client.history("d1")
        await stage.js.pause_consumer(subjects.EVENTS, "copy-default", "2999-01-01T00:00:00Z")
        await stage.append("d1", DocumentResumed())
        async with aclosing(client.follow("d1")) as events:
            (first,) = await take(events, 1)
        assert first.pending == 1
        asking = asyncio.create_task(client.history("d1"))
        copies = stage.nats.jetstream(prefix=subjects.copies_api("default"))
        async with asyncio.timeout(20):
            while not asking.done() and not await copies.consumers_info(subjects.EVENTS):
                await asyncio.sleep(0.01)
        await stage.js.resume_consumer(subjects.EVENTS, "copy-default")
        assert [event.name for event in await asking] == ["document-paused", "document-resumed"]


@pytest.mark.req("S1", "O1")
async def test_an_event_that_the_copy_lacks_is_told_of_and_the_document_is_not_read_without_it(
    own_server: NatsServer, open_backstage: Any
) -> None:
    """As a copy on several servers can be after one of them was lost."""
    told: list[str] = []
    password = own_server.passwords["client-default"]
    async with (
        open_backstage(own_server) as stage,
        Client.connect(own_server.url, user="client-default", password=password, told=told.append) as client,
    ):
        for event in (DocumentPaused(), DocumentResumed(), DocumentPaused()):
            await stage.append("d1", event)
        await copy_anew(stage.nats, subjects.event("default", subjects.ANY, "document-paused"))
        lacks = "the tenant's copy lacks messages under stemma.event.v1.default.d1.* from sequence 2 to 2; "
        for reading in (client.history, client.rereading(most_events=10).read):
            with pytest.raises(CopyIncompleteError, match=re.escape(lacks)) as raised:
                await reading("d1")
            assert (raised.value.first_sequence, raised.value.last_sequence) == (2, 2)
        async with aclosing(client.follow("d1")) as events:
            assert [event.envelope.sequence for event in await take(events, 2)] == [1, 3]
        assert told == [str(raised.value)]
        assert "the operator makes it anew with `stemma-provision --copies`" in told[0]
        await mend_copies(stage.nats, ("default",))
        assert [event.envelope.sequence for event in await client.history("d1")] == [1, 2, 3]


@pytest.mark.req("S1", "O1")
async def test_a_document_is_not_read_without_its_last_event_where_the_copy_lacks_it(
    own_server: NatsServer, open_backstage: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stemma_client.connection.HEARTBEAT_S", 0.2)
    monkeypatch.setattr(f"{CONNECTION}.CALL_TIMEOUT_S", 1.0)
    password = own_server.passwords["client-default"]
    async with (
        open_backstage(own_server) as stage,
        Client.connect(own_server.url, user="client-default", password=password) as client,
    ):
        for event in (DocumentPaused(), DocumentResumed()):
            await stage.append("d1", event)
        for kept, lacks in (("document-paused", (2, 2)), ("nothing", (1, 2))):
            await copy_anew(stage.nats, subjects.event("default", subjects.ANY, kept))
            for reading in (client.history, client.rereading(most_events=10).read):
                with pytest.raises(CopyIncompleteError) as raised:
                    await reading("d1")
                assert (raised.value.first_sequence, raised.value.last_sequence) == lacks
        await provision(stage.nats)
        assert [event.envelope.sequence for event in await client.history("d1")] == [1, 2]
        with pytest.raises(ServerUnreachableError):  # the log has no more either
            await client.history("d1", at_least=3)


@pytest.mark.req("S1", "S3")
async def test_an_event_that_is_there_and_cannot_be_read_is_not_told_to_be_missing(
    server: NatsServer, backstage: Any, document_id: str
) -> None:
    """As one of a later release would be that has another envelope."""
    told: list[str] = []
    password = server.passwords["client-default"]
    async with Client.connect(server.url, user="client-default", password=password, told=told.append) as client:
        await backstage.append(document_id, DocumentPaused())
        await backstage.js.publish(subjects.event("default", document_id, "document-resumed"), b"{}")
        backstage._numbers[document_id] += 1
        await backstage.append(document_id, DocumentPaused())
        with pytest.raises(UnreadableEventError, match="cannot be read: take the release that wrote them") as raised:
            await client.history(document_id)
        async with aclosing(client.follow(document_id)) as events:
            first, last = await take(events, 2)
    assert (raised.value.first_sequence, raised.value.last_sequence) == (first.sequence + 1, last.sequence - 1)
    skipped = f"sequence {first.sequence + 1} of the log is no event: InvalidEnvelope"
    assert told == [skipped, skipped, str(raised.value)]


@pytest.mark.req("E2")
async def test_an_event_of_an_old_name_is_read_as_what_it_is_now_and_one_of_an_unknown_type_has_no_contract(
    backstage: Any, client: Client, document_id: str
) -> None:
    await backstage.append(document_id, DecisionRefused(request="any", problem=Problem.of("not_assigned")))
    (now,) = await client.history(document_id)
    for number, name, ce_type in ((2, "refused-no-cycle", "refused.no.cycle"), (3, "section-sung", "section.sung")):
        headers = now.envelope.headers() | {"ce-type": f"stemma.{ce_type}.v1", "ce-sequence": str(number)}
        subject = subjects.event("default", document_id, name)
        await backstage.js.publish(subject, b'{"request":"any"}', headers=headers)
    _, old, unknown = await client.history(document_id)
    assert isinstance(old.contract, DecisionRefused)
    assert (old.name, old.is_known, old.contract.problem.code) == ("refused-no-cycle", True, "no_review_cycle")
    assert (unknown.contract, unknown.name, unknown.data) == (None, "section-sung", b'{"request":"any"}')


async def copy_anew(nats: Nats, pattern: str) -> None:
    """Make the copy of the log so that it has nothing but what lies under a pattern."""
    copy = next(copy for copy in copies("default") if copy.stream == subjects.EVENTS)
    origin, there, delivered = (
        nats.jetstream(),
        nats.jetstream(prefix=subjects.copies_api("default")),
        f"{copy.deliveries}.x",
    )
    await there.delete_stream(copy.stream)
    await origin.delete_consumer(copy.stream, copy.consumer)
    await origin.add_consumer(copy.stream, replace(copy.feed(delivered), filter_subject=pattern))
    await there.add_stream(copy.config(delivered))


@pytest.mark.req("S3")
async def test_what_is_no_event_of_a_document_is_told_of_and_left_out(
    server: NatsServer, backstage: Any, document_id: str
) -> None:
    told: list[str] = []
    password = server.passwords["client-default"]
    async with Client.connect(
        server.url, tenant="default", user="client-default", password=password, told=told.append
    ) as client:
        await backstage.append(document_id, DocumentPaused())
        (known,) = await client.history(document_id)
        subject = subjects.event("default", document_id, "document-paused")
        again, elsewhere = known.envelope.headers(), known.envelope.headers() | {"ce-subject": "default/other"}
        beyond = known.envelope.headers() | {"ce-sequence": "9" * 4300}
        for headers, body in ((again, known.data), (elsewhere, known.data), (beyond, known.data), ({}, b"forged")):
            await backstage.js.publish(subject, body, headers=headers)
        await backstage.append(document_id, DocumentResumed())

        assert [event.name for event in await client.history(document_id)] == ["document-paused", "document-resumed"]
        assert (await client.document(document_id)).status == "running"
    assert sum("is no event" in line for line in told) == 8


@pytest.mark.req("S3")
async def test_nothing_is_pending_behind_the_last_event_where_only_forged_ones_lie(
    client: Client, backstage: Any, document_id: str
) -> None:
    await backstage.append(document_id, DocumentPaused())
    await backstage.append(document_id, DocumentResumed())
    for _ in range(2):
        await backstage.js.publish(subjects.event("default", document_id, "document-paused"), b"forged")
    async with aclosing(client.follow(document_id)) as events:
        first, second = await take(events, 2)
    assert first.pending
    assert second.pending == 0


@pytest.mark.req("H1", "S5")
async def test_of_live_text_that_nobody_reads_only_so_much_is_kept(
    client: Client, server: NatsServer, document_id: str
) -> None:
    subject = subjects.live("default", document_id, "research")
    async with connected(server, subjects.GENERATION) as writer, aclosing(client.follow_live(document_id)) as live:
        first = asyncio.create_task(anext(live))
        while not first.done():
            await writer.publish(subject, b"first")
            await asyncio.wait({first}, timeout=0.05)
        for _ in range(3 * MOST_LIVE):
            await writer.publish(subject, b"later")
        await writer.flush()
        await client.document_ids()
        [subscription] = [
            one for one in client._connection.nats._subs.values() if one.subject.startswith("stemma.live")
        ]
        assert subscription.pending_msgs <= MOST_LIVE
        assert (await anext(live)).section_id == "research"


@pytest.mark.req("E4", "O1")
async def test_a_message_that_is_lost_between_servers_comes_again_though_nothing_comes_behind_it(
    client: Client, backstage: Any, document_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stemma_client.connection.HEARTBEAT_S", 0.2)
    nats, lost = client._connection.nats, list[bytes]()
    process = nats._process_msg

    async def process_all_but_the_first(sid: int, subject: bytes, reply: bytes, data: bytes, *more: Any) -> None:
        if data and reply.startswith(b"$JS.ACK.EVENTS.") and not lost:
            lost.append(data)
            return
        await process(sid, subject, reply, data, *more)

    monkeypatch.setattr(nats, "_process_msg", process_all_but_the_first)
    await backstage.append(document_id, DocumentPaused())
    async with aclosing(client.follow(document_id)) as events:
        (only,) = await take(events, 1)
    assert lost == [only.data]


@pytest.mark.req("E4", "S5")
async def test_who_reads_slowly_gets_each_event_once_though_few_wait_for_it(
    client: Client, backstage: Any, document_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that are too many come again, the last ones too, behind which nothing comes."""
    monkeypatch.setattr(f"{CONNECTION}.MOST_AHEAD", 50)
    await backstage.append(document_id, DocumentPaused())
    async with aclosing(client.follow(document_id)) as events:
        seen = await take(events, 1)
        await backstage.append(document_id, *[DocumentPaused(), DocumentResumed()] * 20)
        async with asyncio.timeout(20):
            while not client._connection._overrun:
                await asyncio.sleep(0.02)
        seen += await take(events, 40)
    numbers = [event.envelope.sequence for event in seen]
    assert numbers == list(range(1, 42))


async def test_who_follows_hears_why_the_server_ended_the_connection(
    client: Client, backstage: Any, document_id: str
) -> None:
    await backstage.append(document_id, DocumentPaused())
    async with aclosing(client.follow(document_id)) as events:
        await take(events, 1)
        transport: Any = client._connection.nats._transport
        transport.write(b"NONSENSE\r\n")
        with pytest.raises(ServerUnreachableError, match=r"ended the connection: .*unknown protocol operation"):
            await take(events, 1)


async def test_a_connection_that_broke_with_something_to_send_is_closed_without_a_word(server: NatsServer) -> None:
    user = client_user("default")
    address = ServerAddress(server.url, "default", user, server.passwords[user])
    connection = Connection(address, lambda line: None)
    await connection.open()
    waiting = await connection.nats.subscribe("stemma.cancel.v1.default.x")
    transport: Any = connection.nats._transport
    transport._io_writer.transport.abort()
    await connection.nats.publish("stemma.presence.v1.default.x", b"x")
    await connection.close()
    assert connection.nats.is_closed
    with pytest.raises(ConnectionClosedError):
        await waiting.next_msg(timeout=10)


@pytest.mark.parametrize("steps", range(5))
async def test_a_connection_that_is_being_renewed_is_closed_at_each_step_of_it(server: NatsServer, steps: int) -> None:
    user = client_user("default")
    connection = Connection(ServerAddress(server.url, "default", user, server.passwords[user]), lambda line: None)
    await connection.open()
    transport: Any = connection.nats._transport
    transport._io_reader.feed_eof()
    for _ in range(steps):
        await asyncio.sleep(0)
    await connection.close()
    assert connection.nats.is_closed
