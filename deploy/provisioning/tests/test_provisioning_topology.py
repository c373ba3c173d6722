import json
import os
import signal
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from nats.errors import Error as NatsError
from nats.js import JetStreamContext
from nats.js.api import ConsumerConfig, DiscardPolicy, RetentionPolicy, StreamConfig
from nats.js.errors import APIError, BadRequestError
from stemma_contracts import subjects
from stemma_provisioning import BadBound, Bounds, Drift, NatsServer, check, provision
from stemma_provisioning.copies import copies
from stemma_provisioning.permissions import users
from stemma_provisioning.topology import ACK_WAIT_S, consumers, deliver_subject, streams, waits_s
from stemma_testkit.servers import connected, eventually
from stemma_testkit.serving import free_port

from .conftest import Program


@pytest.mark.req("I9")
async def test_tells_of_a_server_that_takes_smaller_messages_than_services_write(tmp_path: Path) -> None:
    with NatsServer(tmp_path) as server:
        async with connected(server) as client:
            await provision(client)
        conf = tmp_path / "nats.conf"
        conf.write_text(conf.read_text().replace("max_payload: 1048576", "max_payload: 262144"))
        assert server.pid is not None
        os.kill(server.pid, signal.SIGHUP)

        async def reloaded() -> bool:
            return "Reloaded server configuration" in server.log.read_text()

        await eventually(reloaded)  # until then it cuts connections and leaves requests without an answer
        async with connected(server) as client:
            assert [str(drift) for drift in await check(client)] == ["server: max_payload should be 1048576, is 262144"]


async def test_provisioning_again_changes_nothing_and_loses_nothing(nats_server: NatsServer) -> None:
    tenants = ("default", "other")
    async with connected(nats_server) as client:
        js = client.jetstream()
        await js.publish(subjects.event("default", "kept", "document-requested"), b"{}")
        before = await js.stream_info(subjects.EVENTS)
        await provision(client, tenants)
        after = await js.stream_info(subjects.EVENTS)
        assert (after.created, after.state.last_seq) == (before.created, before.state.last_seq)
        assert await check(client, tenants) == []
        assert await check(client, ("default",)) == [], "what waits of a tenant that is not named is kept"


@pytest.mark.req("O7")
async def test_finds_and_mends_what_somebody_changed(own_server: NatsServer) -> None:
    """A log that an earlier release made keeps refusing deletions, which is no drift."""
    async with connected(own_server) as client:
        js = client.jetstream()
        made = (await js.stream_info(subjects.EVENTS)).config
        await js.update_stream(replace(made, deny_delete=True))
        assert await check(client) == []
        await js.update_stream(replace(made, deny_delete=True, duplicate_window=60))
        answers = (await js.stream_info(subjects.ANSWERS)).config
        answers.max_msgs_per_subject = 1
        await js.update_stream(answers)
        await js.add_consumer(
            subjects.JOBS,
            ConsumerConfig(
                durable_name="converter",
                max_deliver=3,
                ack_wait=20,
                filter_subject="stemma.job.v1.converter.*",
                max_ack_pending=1000,
            ),
        )
        await js.delete_consumer(subjects.JOBS, "editor-agent")
        found = await check(client)
        assert [drift for drift in found if drift.name != "EVENTS"] == [
            Drift("ANSWERS", "max_msgs_per_subject", 8, 1),
            Drift("JOBS/editor-agent", "consumer", "present", None),
            Drift("JOBS/converter", "ack_wait", 10 * 10**9, 20 * 10**9),
            Drift("JOBS/converter", "max_deliver", 8, 3),
            Drift("JOBS/converter", "backoff", [10 * 10**9, 12 * 10**9, 12 * 10**9], None),
        ]
        assert [drift.setting for drift in found if drift.name == "EVENTS"] == ["duplicate_window"]
        await provision(client)
        assert await check(client) == []
        thief = ConsumerConfig(durable_name="thief", filter_subject="stemma.job.v1.x.>")
        await js.add_consumer(subjects.JOBS, thief)
        assert await check(client) == [Drift("JOBS/thief", "consumer", None, "present")]


@pytest.mark.req("S5")
async def test_jobs_that_lay_in_the_one_queue_of_a_service_are_there_when_it_has_two(tmp_path: Path) -> None:
    with NatsServer(tmp_path) as server:
        async with connected(server) as client:
            js = client.jetstream()
            earlier = StreamConfig(
                name=subjects.JOBS,
                subjects=["stemma.job.v1.*.*"],
                retention=RetentionPolicy.WORK_QUEUE,
                discard=DiscardPolicy.NEW,
                max_msg_size=128 * 1024,
            )
            await js.add_stream(earlier)
            for service in subjects.WORKERS:
                pushed = service == subjects.VALIDATOR
                one = ConsumerConfig(
                    durable_name=service,
                    filter_subject=f"stemma.job.v1.{service}.>",
                    deliver_subject=f"_DELIVER.{service}.JOBS" if pushed else None,
                    deliver_group=service if pushed else None,
                )
                await js.add_consumer(subjects.JOBS, one)
            await js.publish(subjects.job(subjects.CONVERTER, "convert-document"), b"{}")
            await provision(client)
            assert await check(client) == []
            assert (await js.consumer_info(subjects.JOBS, subjects.CONVERTER)).num_pending == 1
            await js.publish(subjects.bulk_job(subjects.CONVERTER, "convert-document"), b"{}")
            await eventually(partial(_has_one_waiting, js, subjects.bulk_consumer(subjects.CONVERTER)))


async def _has_one_waiting(js: JetStreamContext, consumer: str) -> bool:
    waiting = (await js.consumer_info(subjects.JOBS, consumer)).num_pending
    return bool(waiting == 1)


@pytest.mark.req("E1", "P17")
@pytest.mark.parametrize("queue", [subjects.REQUESTS, subjects.JOBS, subjects.OUTCOMES])
def test_a_message_that_kills_each_process_that_handles_it_is_given_up_after_a_few_deliveries(queue: str) -> None:
    """The server tells of it, and it becomes a dead letter."""
    assert all(1 < one.max_deliver <= 20 for one in consumers() if one.stream == queue)


@pytest.mark.req("E1")
def test_the_server_waits_longer_after_each_delivery_and_not_for_ever() -> None:
    assert [waits_s(seconds) for seconds in (1, 3, 10, 600)] == [[1, 2, 4], [3, 6, 12], [10, 12, 12], [600] * 3]


@pytest.mark.req("E1", "O6")
async def test_requests_in_hand_go_on_when_an_upgrade_lets_them_be_delivered_more_often(tmp_path: Path) -> None:
    [wanted] = [one for one in consumers() if one.durable == subjects.requests_consumer("default")]
    name = f"{wanted.stream}/{wanted.durable}"
    with NatsServer(tmp_path) as server:
        async with connected(server) as client, connected(server, subjects.ORCHESTRATOR) as orchestrator:
            js = client.jetstream()
            await provision(client)
            before = await js.add_consumer(wanted.stream, replace(wanted, max_deliver=6).config(ACK_WAIT_S))
            coming = await orchestrator.subscribe(deliver_subject(wanted.stream, wanted.owner), queue=wanted.owner)
            for body in (b"held", b"failing"):
                await js.publish(subjects.request("default", "x"), body)
            held, *failing = [await coming.next_msg(timeout=10) for _ in range(2)]
            await failing[0].nak()
            failing.append(await coming.next_msg(timeout=10))
            assert await check(client) == [Drift(name, "max_deliver", 8, 6)]

            await provision(client)

            assert await check(client) == []
            after = await js.consumer_info(wanted.stream, wanted.durable)
            assert (after.created, after.num_ack_pending) == (before.created, 2)
            await held.ack()
            while len(failing) < wanted.max_deliver:
                await failing[-1].nak()
                failing.append(await coming.next_msg(timeout=10))
            await failing[-1].nak()
            await eventually(partial(_is_given_up, js))
    told = [(message.data, message.metadata.num_delivered) for message in failing]
    assert told == [(b"failing", number) for number in range(1, 9)]


async def _is_given_up(js: JetStreamContext) -> bool:
    """Whether the server said that it delivers a message no more."""
    return bool((await js.stream_info(subjects.ADVISORIES)).state.messages == 1)


@pytest.mark.req("E1", "O7")
async def test_the_log_cannot_be_emptied_even_by_the_provisioner_and_one_event_goes_only_by_who_erases(
    nats_server: NatsServer,
) -> None:
    async with connected(nats_server) as client:
        with pytest.raises(NatsError):
            await client.jetstream().purge_stream(subjects.EVENTS)
    deletes = f"$JS.API.STREAM.MSG.DELETE.{subjects.EVENTS}"
    may = [one.name for one in users() if deletes in [line.subject for line in one.publish]]
    assert may == [subjects.ORCHESTRATOR]


@pytest.mark.req("E2", "E3", "E4")
async def test_the_log_is_kept_for_ever_and_an_answer_for_seven_days(nats_server: NatsServer) -> None:
    """Read from the server, so that neither a number here nor a default there can shorten it."""
    async with connected(nats_server) as client:
        found = {info.config.name: info.config for info in await client.jetstream().streams_info()}
    log = found[subjects.EVENTS]
    bounds = (log.max_age, log.max_msgs, log.max_bytes, log.max_msgs_per_subject)
    assert (log.retention, *bounds) == (RetentionPolicy.LIMITS, 0, -1, -1, -1)
    days = {name: (found[name].max_age or 0) / (24 * 3600) for name in found}
    assert (days[subjects.ANSWERS], days[subjects.DEAD], days[subjects.ADVISORIES]) == (7, 14, 7)
    queues = (subjects.REQUESTS, subjects.JOBS, subjects.OUTCOMES, subjects.ARTIFACTS, subjects.RECORDS)
    assert {days[name] for name in queues} == {0}, "what waits for days is not lost meanwhile"


@pytest.mark.req("S5", "F1")
async def test_no_stream_drops_what_it_has_for_what_comes(nats_server: NatsServer) -> None:
    async with connected(nats_server) as client:
        found = {str(info.config.name): info.config for info in await client.jetstream().streams_info()}
    assert len(found) > 10
    unbounded = found.pop(subjects.TIMERS)
    assert {config.discard for config in found.values()} == {DiscardPolicy.NEW}
    bounds = (unbounded.max_msgs, unbounded.max_bytes, unbounded.max_msgs_per_subject)
    assert (unbounded.max_age, *bounds) == (0, -1, -1, -1)


@pytest.mark.req("S5")
async def test_a_tenant_that_fills_the_queue_of_requests_is_refused_and_another_is_not(nats_server: NatsServer) -> None:
    async with connected(nats_server) as client:
        js = client.jetstream()
        for _ in range(Bounds().waiting_requests):
            await client.publish(subjects.request("flooding", "x"), b"{}")
        await client.flush()
        with pytest.raises(APIError, match="maximum messages per subject exceeded"):
            await js.publish(subjects.request("flooding", "x"), b"{}")
        await js.publish(subjects.request("default", "x"), b"{}")


@pytest.mark.req("S5")
def test_bounds_are_those_of_the_environment_and_what_is_no_number_is_refused_by_its_variable() -> None:
    assert Bounds.of({"STEMMA_TENANT": "team", "STEMMA_TENANT_CONSUMERS": ""}) == Bounds()
    assert Bounds.of({"STEMMA_TENANT_UPLOAD_BYTES": "7"}).upload_bytes == 7
    for wrong in ("many", "0", "-1", "1.5"):
        with pytest.raises(BadBound, match=r"^STEMMA_TENANT_CONNECTIONS must be a number from 1 on$"):
            Bounds.of({"STEMMA_TENANT_CONNECTIONS": wrong})


async def test_a_message_above_the_limit_is_refused_with_an_answer(nats_server: NatsServer) -> None:
    async with connected(nats_server) as client:
        with pytest.raises(BadRequestError, match="maximum"):
            await client.jetstream().publish(subjects.request("default", "x"), b"x" * 130 * 1024)


async def test_an_empty_server_drifts_in_everything_until_the_command_provisions_it(
    program: Program, tmp_path: Path
) -> None:
    with NatsServer(tmp_path) as server:
        path = server.folder / "nats.conf"
        assert "\n  sync_interval: always\n" in path.read_text()
        assert path.stat().st_mode & 0o077 == 0, "it is nobody else's to read"
        assert json.dumps(server.passwords["validator"]) in path.read_text()
        missing = await program.at(server, "--check")
        assert missing.returncode == 1
        assert "JOBS/validator: consumer should be 'present', is None" in missing.stderr.splitlines()
        assert len(missing.stderr.splitlines()) >= len(streams()) + len(consumers()) + len(copies("default"))
        assert (await program.at(server)).returncode == 0
        assert (await program.at(server, "--check")).returncode == 0
        unknown = await program.at(server, "--check", "--tenant", "new")
        assert unknown.returncode == 1
        assert "new: account should be 'present', is None" in unknown.stderr.splitlines()
        refused = await program.at(server, "--tenant", "new")
        told = f"the server at {server.url} has no account for new: see to its configuration"
        assert (refused.returncode, refused.stderr) == (2, f"stemma-provision: {told}\n")
        url = server.url
        async with connected(server) as client:
            kept = await client.jetstream().publish(subjects.event("default", "d1", "e1"), b"kept")
        server.kill()
        assert not server.running
        server.start()
        assert server.url == url
        async with connected(server) as client:
            assert (await client.jetstream().get_msg(subjects.EVENTS, kept.seq)).data == b"kept"


def test_the_command_says_in_one_line_why_it_cannot_work(program: Program, nats_server: NatsServer) -> None:
    away, there = f"127.0.0.1:{free_port()}", nats_server.url
    start = f"no NATS server answers at nats://{away}: start it, or name another by --server or STEMMA_NATS_URL\n"
    refused = f"the server at {there} refuses provisioner: see to --user and STEMMA_NATS_PASSWORD\n"
    for url, arguments, told in (
        (f"nats://me:hidden@{away}", ["--check"], f"stemma-provision: {start}"),
        (there, ["--check"], f"stemma-provision: {refused}"),
        ("nats://me:hidden@[::1", ["--check"], "as in nats://127.0.0.1:4222 (or STEMMA_NATS_URL)\n"),
        (there, ["--check", "--copies"], "--copies: not allowed with argument --check\n"),
    ):
        ended = program.run(url, "hidden", *arguments)
        assert (ended.returncode, ended.stdout, ended.stderr[-len(told) :]) == (2, "", told)
        assert "hidden" not in ended.stderr
