"""What works across the borders of accounts, and what a tenant that comes later finds."""

import asyncio
import json
import os
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from nats.aio.client import Client
from nats.errors import Error as NatsError
from nats.js import JetStreamContext
from nats.js.api import ConsumerConfig
from stemma_artifacts.uploads import UploadStore
from stemma_contracts import subjects
from stemma_contracts.subjects import ANY
from stemma_provisioning import Drift, NatsServer, check, client_user, provision
from stemma_provisioning.copies import Copy, copies, ensure_copies, reads_its_feed
from stemma_provisioning.moving import begin_restoring, end_restoring
from stemma_provisioning.roles import Role
from stemma_provisioning.topology import streams
from stemma_testkit.servers import admit, barrier, connected, connected_person, eventually

from .conftest import Program

TENANTS = ("default", "other")
OWN, OTHER = client_user("default"), client_user("other")
MEGABYTE = 1_000_000
MANY = 60


async def write_events(server: NatsServer, document_id: str, number: int, size: int = 1000) -> list[str]:
    """Events of a document in each of two tenants; the subjects of the first one's, in order."""
    names = [f"e{n}" for n in range(number)]
    async with connected(server, subjects.ORCHESTRATOR) as orchestrator:
        js = orchestrator.jetstream(timeout=10)
        for begin in range(0, number, 40):
            written = (subjects.event(of, document_id, name) for name in names[begin : begin + 40] for of in TENANTS)
            await asyncio.gather(*(js.publish(subject, os.urandom(size)) for subject in written))
    return [subjects.event("default", document_id, name) for name in names]


@pytest.mark.req("S1", "E4")
async def test_events_are_replayed_by_a_pull_consumer(nats_server: NatsServer) -> None:
    written = await write_events(nats_server, "pulled", MANY)
    async with connected(nats_server, OWN) as caller:
        config, pattern = ConsumerConfig(name=uuid4().hex), subjects.event("default", "pulled", ANY)
        subscription = await caller.jetstream().pull_subscribe(pattern, stream="EVENTS", config=config)
        seen: list[str] = []
        while len(seen) < MANY:
            for message in await subscription.fetch(25, timeout=10, heartbeat=1):
                await message.ack_sync(timeout=10)
                seen.append(message.subject)
        with pytest.raises(asyncio.TimeoutError):
            await subscription.fetch(1, timeout=1)
        assert (await subscription.consumer_info()).num_ack_pending == 0
    assert seen == written


@pytest.mark.req("S1", "E4")
async def test_events_are_replayed_by_an_ordered_consumer_with_flow_control(nats_server: NatsServer) -> None:
    written = await write_events(nats_server, "pushed", MANY, size=64_000)
    async with connected(nats_server, OWN) as caller:
        pattern = subjects.event("default", "pushed", ANY)
        subscription = await caller.jetstream().subscribe(pattern, stream="EVENTS", ordered_consumer=True)
        seen = [(await subscription.next_msg(timeout=10)).subject for _ in range(MANY)]
        later = await write_events(nats_server, "pushed", 1)
        seen.append((await subscription.next_msg(timeout=10)).subject)
    assert seen == written + later


@pytest.mark.req("S1", "E3")
async def test_requests_answers_and_live_text_cross_the_border(nats_server: NatsServer) -> None:
    async with (
        connected(nats_server, OWN) as caller,
        connected(nats_server, subjects.ORCHESTRATOR) as orchestrator,
        connected(nats_server, subjects.GENERATION) as writer,
    ):
        text = await caller.subscribe(subjects.live("default", "d1", ANY))
        answers = await caller.jetstream().subscribe(subjects.answer("default", "q1"), stream="ANSWERS")
        await barrier(caller)
        stored = await caller.jetstream().publish(subjects.request("default", "create-document"), b"{}")
        await orchestrator.jetstream().publish(subjects.answer("default", "q1"), b"yes")
        await writer.publish(subjects.live("default", "d1", "s1"), b"word")
        assert stored.stream == subjects.REQUESTS
        assert (await answers.next_msg(timeout=10)).data == b"yes"
        assert (await text.next_msg(timeout=10)).data == b"word"


@pytest.mark.req("S1")
async def test_the_summaries_of_a_tenant_are_a_bucket_that_is_opened_read_and_watched(nats_server: NatsServer) -> None:
    async with connected(nats_server, OWN) as caller, connected(nats_server, subjects.ORCHESTRATOR) as orchestrator:
        for tenant in TENANTS:
            await orchestrator.jetstream().publish(f"$KV.documents.{tenant}.d1", tenant.encode())
        bucket = await caller.jetstream().key_value("documents")
        assert (await bucket.get("default.d1")).value == b"default"
        watcher = await bucket.watch(">")
        await eventually(lambda: _watched(watcher, "default.d1"))
        listed = await caller.jetstream().stream_info("KV_documents", subjects_filter=">")
    assert set(listed.state.subjects or {}) == {"$KV.documents.default.d1"}


@pytest.mark.req("S1")
async def test_a_summary_that_is_replaced_at_once_is_nothing_to_tell_operators(own_server: NatsServer) -> None:
    async with connected(own_server) as admin, connected(own_server, OWN) as caller:
        await asyncio.gather(*(admin.jetstream().publish("$KV.documents.default.d1", b"%d" % n) for n in range(50)))
        bucket = await caller.jetstream().key_value("documents")
        await eventually(lambda: _is_last(bucket, b"49"))
        assert (await admin.jetstream().stream_info(subjects.ADVISORIES)).state.last_seq == 0


async def _is_last(bucket: Any, value: bytes) -> bool:
    return bool((await bucket.get("default.d1")).value == value)


async def _watched(watcher: Any, key: str) -> bool:
    update = await watcher.updates(timeout=10)
    return update is not None and update.key == key


@pytest.mark.req("S1")
async def test_a_consumer_of_another_tenant_has_no_name_here(nats_server: NatsServer) -> None:
    """Not even one that is known can be asked, drained, changed or deleted."""
    pattern = subjects.event("other", "named", ANY)
    await write_events(nats_server, "named", 1)
    async with connected(nats_server, OTHER) as other, connected(nats_server, OWN) as caller:
        theirs = await other.jetstream().pull_subscribe(
            pattern, stream="EVENTS", config=ConsumerConfig(name="billing", filter_subject=pattern)
        )
        for verb in ("MSG.NEXT", "INFO", "DELETE"):
            assert await _answer(caller, f"$JS.API.CONSUMER.{verb}.EVENTS.billing") in (None, 10014)
        assert [m.subject for m in await theirs.fetch(1, timeout=10)] == [subjects.event("other", "named", "e0")]


async def _answer(client: Client, subject: str) -> int | None:
    """The error code of an answer, `None` for nobody who answers."""
    try:
        answer = await client.request(subject, b"", timeout=5)
    except NatsError:
        return None
    return int(json.loads(answer.data)["error"]["err_code"])


@pytest.mark.req("S1")
@pytest.mark.parametrize("pattern", [subjects.event("other", ANY, ANY), "stemma.event.v1.>", ">"])
async def test_a_consumer_of_anything_finds_the_callers_own(nats_server: NatsServer, pattern: str) -> None:
    await write_events(nats_server, "anything", 1)
    async with connected(nats_server, OWN) as caller:
        config = ConsumerConfig(name=uuid4().hex, filter_subject=pattern, ack_policy="none")  # type: ignore[arg-type]
        info = await caller.jetstream().add_consumer("EVENTS", config)
        subscription = await caller.jetstream().pull_subscribe_bind(info.name, stream="EVENTS")
        found = await subscription.fetch(info.num_pending, timeout=10) if info.num_pending else []
    assert {message.subject.split(".")[3] for message in found} <= {"default"}


@pytest.mark.req("S1", "S4")
async def test_a_tenant_comes_with_everybody_at_work(own_server: NatsServer) -> None:
    async with (
        connected(own_server, OWN) as caller,
        connected(own_server, subjects.ORCHESTRATOR) as orchestrator,
        connected_person(admit(own_server, "ada", Role.AUTHOR), asks=True) as person,
    ):
        following = await caller.jetstream().subscribe(
            "stemma.event.v1.default.>", stream="EVENTS", ordered_consumer=True
        )
        own_server.admit(("default", "late"))
        await _provision(own_server, ("default", "late"))
        for tenant in ("default", "late"):
            await orchestrator.jetstream().publish(subjects.event(tenant, "d1", "e1"), b"{}")
        async with connected(own_server, client_user("late")) as late:
            await _works(late, "late", orchestrator)
        await _works(caller, "default", orchestrator)
        await person.jetstream().publish(subjects.request_of("default", "ada", "edit-section"), b"{}")
        async with connected_person(admit(own_server, "ada", Role.AUTHOR, "late"), asks=True) as namesake:
            await namesake.jetstream().publish(subjects.request_of("late", "ada", "edit-section"), b"{}")
        assert person.is_connected
        assert (await following.next_msg(timeout=10)).subject == subjects.event("default", "d1", "e1")
        assert caller.stats["reconnects"] == orchestrator.stats["reconnects"] == 0


async def _works(caller: Client, tenant: str, orchestrator: Client) -> None:
    """A request, an upload that the orchestrator reads, an event."""
    js = caller.jetstream(timeout=10)
    assert (await js.publish(subjects.request(tenant, "create-document"), b"{}")).stream == subjects.REQUESTS
    ref = await UploadStore(js, tenant).put(b"x" * MEGABYTE, "a.txt", "text/plain")
    assert len(await UploadStore(orchestrator.jetstream(timeout=10), tenant).get(ref)) == MEGABYTE
    events = await js.subscribe(subjects.event(tenant, "d1", ANY), stream="EVENTS", ordered_consumer=True)
    assert (await events.next_msg(timeout=10)).subject == subjects.event(tenant, "d1", "e1")


async def _provision(server: NatsServer, tenants: tuple[str, ...]) -> None:
    async with connected(server) as admin:
        await provision(admin, tenants)
        assert await check(admin, tenants) == []


@pytest.mark.req("S1", "O1")
async def test_every_copy_reads_its_feed_once_it_is_provisioned(tmp_path: Path) -> None:
    """One that subscribes yet while the server reads its configuration again can make it hang."""
    tenants = tuple(f"tenant-{number}" for number in range(4))
    with NatsServer(tmp_path, tenants=tenants) as server:
        async with connected(server) as admin:
            await provision(admin, tenants)
            expected = [copy for tenant in tenants for copy in copies(tenant)]
            reading = await asyncio.gather(*(reads_its_feed(admin.jetstream(), copy) for copy in expected))
            assert reading == [True] * len(expected)
            await admin.jetstream(prefix=subjects.copies_api(tenants[0])).delete_stream(expected[0].stream)
            await eventually(partial(_reads_nothing, admin, expected[0]))


async def _reads_nothing(admin: Client, copy: Copy) -> bool:
    return not await reads_its_feed(admin.jetstream(), copy)


@pytest.mark.req("S1", "S5")
async def test_what_was_stored_by_an_earlier_release_is_read_and_handled(tmp_path: Path) -> None:
    """There were no copies, and one consumer of the requests of all tenants."""
    with NatsServer(tmp_path) as server:
        async with connected(server) as admin:
            js = admin.jetstream()
            for stream in streams():
                await js.add_stream(stream)
            for number in range(MANY):
                await js.publish(subjects.event("default", "old", f"e{number}"), b"{}")
            await js.add_consumer(subjects.REQUESTS, ConsumerConfig(durable_name=subjects.ORCHESTRATOR))
            await js.publish(subjects.request("default", "create-document"), b"{}")
            await provision(admin)
            assert await check(admin) == []
            waits = await js.consumer_info(subjects.REQUESTS, subjects.requests_consumer("default"))
            assert waits.num_pending == 1
        kept = {path.name for path in tmp_path.glob("**/STEMMA/streams/*")}
        assert {stream.name for stream in streams()} <= kept, "the server keeps streams by the name of their account"
        async with connected(server, OWN) as caller:
            events = await caller.jetstream().subscribe(
                subjects.event("default", "old", ANY), stream="EVENTS", ordered_consumer=True
            )
            seen = [(await events.next_msg(timeout=10)).metadata.sequence.stream for _ in range(MANY)]
    assert seen == list(range(1, MANY + 1)), "the sequences of a copy are those of the log"


@pytest.fixture
def looks_again_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where copies do not lag behind, and nobody else makes one anew."""
    monkeypatch.setattr("stemma_provisioning.copies.LOOK_AGAIN_S", 0.05)


@pytest.mark.req("S1")
@pytest.mark.usefixtures("looks_again_soon")
async def test_a_copy_that_is_lost_is_told_and_made_again(own_server: NatsServer) -> None:
    async with connected(own_server) as admin:
        js, there = admin.jetstream(), admin.jetstream(prefix=subjects.copies_api("default"))
        await js.publish(subjects.event("default", "d1", "e1"), b"{}")
        for part in ("stream", "consumer"):
            if part == "stream":
                await there.delete_stream(subjects.EVENTS)
            else:
                await js.delete_consumer(subjects.EVENTS, "copy-default")
            assert await check(admin) == [Drift("EVENTS of default", f"{part} of the copy", "present", None)]
            await provision(admin)
            assert await check(admin) == []
            assert (await there.stream_info(subjects.EVENTS)).state.messages >= 1


@pytest.mark.req("S1", "O1")
@pytest.mark.parametrize(
    "losses", [("last", "end", "feed"), pytest.param(("first", "all", "stream"), marks=pytest.mark.full)]
)
async def test_copies_that_lack_messages_are_made_anew_and_nothing_else_is(
    program: Program, own_server_of_two: NatsServer, losses: Sequence[str]
) -> None:
    """As after a server of three was lost. It is tried with answers, of which the server lets one be deleted."""
    answers = [subjects.answer("default", f"r{number}") for number in range(4)]
    async with connected(own_server_of_two) as admin:
        js, there = admin.jetstream(), admin.jetstream(prefix=subjects.copies_api("default"))
        for subject in [*answers, subjects.answer("other", "r1")]:
            await js.publish(subject, b"{}")
        await provision(admin, TENANTS)
        jobs = (await js.stream_info(subjects.JOBS)).config
        await js.update_stream(replace(jobs, max_msgs=7))
        for lost in losses:
            await _lose(js, there, lost)
            done = await program.at(own_server_of_two, "--copies", "--tenant", "default", "--tenant", "other")
            assert (done.returncode, done.stdout, done.stderr) == (0, "made anew: ANSWERS of default\n", ""), lost
            assert [(await there.get_msg(subjects.ANSWERS, number)).subject for number in (1, 2, 3, 4)] == answers
        assert (await js.stream_info(subjects.JOBS)).config.max_msgs == 7
        assert (await program.at(own_server_of_two, "--copies")).stdout == ""


async def _lose(js: JetStreamContext, there: JetStreamContext, lost: str) -> None:
    numbers = {"first": (1,), "last": (4,), "all": (1, 2, 3, 4)}
    for number in numbers.get(lost, ()):
        await there.delete_msg(subjects.ANSWERS, number)
    if lost == "feed":
        await js.delete_consumer(subjects.ANSWERS, "copy-default")
    if lost in ("stream", "end"):
        config = (await there.stream_info(subjects.ANSWERS)).config
        await eventually(lambda: _is_acknowledged(js))
        await there.delete_stream(subjects.ANSWERS)
        if lost == "end":  # what feeds it was told that it has all
            await there.add_stream(config)


async def _is_acknowledged(js: JetStreamContext) -> bool:
    return not (await js.consumer_info(subjects.ANSWERS, "copy-default")).num_ack_pending


@pytest.mark.req("S1", "O1")
@pytest.mark.usefixtures("looks_again_soon")
async def test_what_a_copy_lacks_is_told_but_not_what_comes_yet_or_may_have_expired(
    own_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with connected(own_server) as admin:
        js, there = admin.jetstream(), admin.jetstream(prefix=subjects.copies_api("default"))
        for number in range(4):
            await js.publish(subjects.answer("default", f"r{number}"), b"{}")
        await provision(admin)
        await js.pause_consumer(subjects.ANSWERS, "copy-default", "2999-01-01T00:00:00Z")
        await js.publish(subjects.answer("default", "later"), b"{}")
        assert await check(admin) == []
        await js.resume_consumer(subjects.ANSWERS, "copy-default")
        with monkeypatch.context() as patch:
            patch.setattr("stemma_provisioning.copies.SOON", timedelta(days=30))
            await there.delete_msg(subjects.ANSWERS, 1)
            assert await check(admin) == []
            await there.delete_msg(subjects.ANSWERS, 3)
            assert await check(admin) == [Drift("ANSWERS of default", "messages of the copy", "present", None)]
        assert [str(copy) for copy in await ensure_copies(admin, ("default",))] == ["ANSWERS of default"]
        assert await check(admin) == []
        assert await ensure_copies(admin, ("default",)) == []


@pytest.mark.req("S1", "O1")
async def test_copies_that_are_whole_are_looked_at_without_a_consumer_of_the_tenants(
    program: Program, own_server: NatsServer
) -> None:
    async with connected(own_server) as admin:
        for number in range(MANY):
            await admin.jetstream().publish(f"$KV.documents.default.d{number % 7}", b"{}")
            await admin.jetstream().publish(subjects.event("other", "d1", f"e{number}"), b"{}")
        await provision(admin, ("default",))
        asked = await admin.subscribe(f"{subjects.copies_api('default')}.>")
        await barrier(admin)
        done = await program.at(own_server, "--copies")
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        await barrier(admin)
        verbs = {(await asked.next_msg()).subject.split(".")[4] for _ in range(asked.pending_msgs)}
        assert verbs == {"STREAM"}


@pytest.mark.req("S1", "O1", "O2")
async def test_copies_are_left_while_a_backup_is_restored(program: Program, own_server: NatsServer) -> None:
    async with connected(own_server) as admin:
        there = admin.jetstream(prefix=subjects.copies_api("default"))
        await there.delete_stream(subjects.ANSWERS)
        await begin_restoring(admin)
        done = await program.at(own_server, "--copies")
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == "a backup is being restored: copies are left as they are\n"
        await end_restoring(admin)
        await admin.jetstream().delete_stream(subjects.EVENTS)
        done = await program.at(own_server, "--copies")
        assert done.stdout == "made anew: ANSWERS of default\n"
        assert (await there.stream_info(subjects.EVENTS)).state.messages == 0, "it may be all that is left"


@pytest.mark.req("S1")
async def test_a_copy_is_whole_after_the_server_was_killed(own_server: NatsServer) -> None:
    await write_events(own_server, "killed", MANY)
    own_server.kill()
    own_server.start()
    await write_events(own_server, "killed", 1)
    async with connected(own_server, OWN) as caller:
        events = await caller.jetstream().subscribe(
            subjects.event("default", "killed", ANY), stream="EVENTS", ordered_consumer=True
        )
        seen = [(await events.next_msg(timeout=30)).subject for _ in range(MANY + 1)]
    assert len(seen) == MANY + 1
