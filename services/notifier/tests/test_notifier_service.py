"""Events on the bus reach receivers by rules in the bucket: each at least once under one id, whatever breaks."""

import asyncio
import os
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import pytest
from nats.aio.client import Client as Nats
from nats.aio.msg import Msg
from nats.js.errors import NotFoundError
from standardwebhooks import Webhook as Verifier
from stemma_client import Client, InvalidInputError
from stemma_client.logins import Login, write_login
from stemma_contracts import registry, subjects
from stemma_contracts.roles import Role
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.notifications import DeliveryLog, NotificationRule, NotificationRules, Occasion
from stemma_contracts.v1.section import SectionStatus
from stemma_contracts.v1.summary import DocumentSummary, SectionSummary
from stemma_contracts.v1.usage import Usage
from stemma_domain.evolve import with_usage_before
from stemma_messaging import BadSettings, Publisher
from stemma_notifier.adapters import RULES, Rules
from stemma_notifier.app import service
from stemma_provisioning import NatsServer
from stemma_provisioning.topology import consumers
from stemma_testkit.document_events import review_requested, section_drafted
from stemma_testkit.servers import admit, connected, eventually, provisioned_server
from stemma_testkit.service_processes import service_process
from stemma_testkit.working import access, at_work

from .conftest import SECRET, Call, Receiver, rule

TENANTS = ("default", "other")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with provisioned_server(tmp_path_factory.mktemp("nats"), tenants=TENANTS, ack_wait_s=1) as started:
        yield started


@asynccontextmanager
async def notifying(server: NatsServer, **settings: Any) -> AsyncIterator[None]:
    known = {"allowed_networks": ["127.0.0.0/8"], "rest_s": 0.05, "longest_rest_s": 0.2, "limit_s": 5.0}
    given = {**access(server, subjects.NOTIFIER), "retry_base_s": 0.05, **known, **settings}
    async with at_work(service.run(service.load_settings(**given))):
        yield


class House:
    """What tests put on the bus: rules, documents and events."""

    def __init__(self, client: Nats, receiver: Receiver, name: str) -> None:
        self.client = client
        self.receiver = receiver
        self.name = name
        self._number = 0

    async def rules(self, *rules: NotificationRule, tenant: str = "default", owner: str = "ada") -> None:
        data = NotificationRules(rules=rules).model_dump_json().encode()
        await self.put(data, tenant, owner)

    async def put(self, data: bytes, tenant: str = "default", owner: str = "ada") -> None:
        where = f"$KV.{subjects.RULES_BUCKET}.{subjects.rules_key(tenant, owner)}"
        await self.client.jetstream().publish(where, data)

    async def document(self, document_id: str, tenant: str = "default", kind: str = "proposal") -> None:
        section = SectionSummary(section_id="research", title="Research", status=SectionStatus.AWAITING_REVIEW)
        summary = DocumentSummary(
            document_id=document_id,
            kind=kind,
            status=DocumentStatus.RUNNING,
            created_at=datetime.now(UTC),
            last_sequence=1,
            sections=(section,),
        )
        where = f"$KV.{subjects.VIEWS_BUCKET}.{subjects.view_key(tenant, document_id)}"
        await self.client.jetstream().publish(where, summary.model_dump_json().encode())

    async def happens(self, event: e.AnyEvent, document_id: str, tenant: str = "default") -> str:
        self._number += 1
        subject = subjects.event(tenant, document_id, registry.entry_of(event).token)
        event_id = f"{self.name}.{tenant}.{document_id}.{self._number}"
        publisher = Publisher(self.client.jetstream(), "test")
        await publisher.publish(subject, event, id=event_id, about=f"{tenant}/{document_id}")
        return event_id

    async def spends(self, usage: Usage, so_far: Usage) -> Usage:
        """An event as the orchestrator writes it, which adds ``usage`` to what the document ``killed`` cost."""
        drafted = section_drafted("research").model_copy(update={"usage": usage})
        await self.happens(with_usage_before(drafted, so_far), "killed")
        return so_far.plus(usage)

    async def delivers_again(self, server: NatsServer) -> None:
        """Every event of the log comes to the notifier another time."""
        [ours] = [
            one for one in consumers(TENANTS) if (one.stream, one.durable) == (subjects.EVENTS, subjects.NOTIFIER)
        ]
        jetstream = self.client.jetstream()
        await jetstream.delete_consumer(ours.stream, ours.durable)
        await jetstream.add_consumer(ours.stream, replace(ours, from_now=False).config(ack_wait_s=1))

    async def waits(self, notices: int) -> bool:
        """Whether every event was handled, and so many notices wait for their receivers."""
        jetstream = self.client.jetstream()
        events = await jetstream.consumer_info(subjects.EVENTS, subjects.NOTIFIER)
        queue = await jetstream.stream_info(subjects.NOTICES)
        return (events.num_pending, events.num_ack_pending, queue.state.messages) == (0, 0, notices)

    def hook(self, rule_id: str, **more: Any) -> NotificationRule:
        return rule(rule_id, webhook=self.receiver.url(f"/{rule_id}"), **more)

    async def arrived(self, number: int, path: str) -> list[Call]:
        return await asyncio.to_thread(self.receiver.wait_for, number, path)

    async def log(self, rule_id: str, tenant: str = "default", owner: str = "ada") -> list[tuple[str, str]]:
        bucket, key = subjects.DELIVERIES_BUCKET, subjects.deliveries_key(tenant, owner, rule_id)
        try:
            stored = await self.client.jetstream().get_last_msg(f"KV_{bucket}", f"$KV.{bucket}.{key}")
        except NotFoundError:
            return []
        attempts = DeliveryLog.model_validate_json(stored.data or b"{}").attempts
        return [(attempt.result, attempt.detail) for attempt in attempts]


@pytest.fixture
async def house(server: NatsServer, receiver: Receiver, request: pytest.FixtureRequest) -> AsyncIterator[House]:
    async with connected(server) as client:
        made = House(client, receiver, request.node.name)
        yield made
        for tenant in TENANTS:
            for owner in ("ada", "bob", subjects.PROGRAMS):
                await made.rules(tenant=tenant, owner=owner)


@pytest.mark.req("H2", "H7", "P16", "S1")
async def test_rules_are_told_of_their_tenant_their_kind_and_their_person_alone(
    server: NatsServer, house: House
) -> None:
    for tenant in TENANTS:
        await house.document("d1", tenant)
    await house.document("d2", kind="design_document")
    await house.rules(house.hook("all"), house.hook("designs", kinds=["design_document"]))
    await house.rules(house.hook("bob", on=["assigned"]), owner="bob")
    await house.rules(house.hook("theirs"), tenant="other", owner=subjects.PROGRAMS)
    asked: dict[str, Any] = {"section_id": "research", "due": datetime(2026, 12, 1, tzinfo=UTC)}
    async with notifying(server):
        await house.happens(review_requested("research", 1), "d1", "other")
        await house.happens(review_requested("research", 2), "d1")
        await house.happens(review_requested("research", 1), "d2")
        await house.happens(e.SectionAssigned(**asked, assignee="ada"), "d1")
        await house.happens(e.SectionAssigned(**asked, assignee="bob"), "d1")
        for path, number in {"/all": 2, "/designs": 1, "/theirs": 1, "/bob": 1}.items():
            await house.arrived(number, path)

        async def logged() -> bool:
            return await house.log("all") == [("delivered", "HTTP 204")] * 2

        await eventually(logged)
    told = {(call.path, call.told["data"]["tenant"], call.told["data"]["document_id"]) for call in house.receiver.calls}
    assert told == {
        ("/all", "default", "d1"),
        ("/all", "default", "d2"),
        ("/designs", "default", "d2"),
        ("/theirs", "other", "d1"),
        ("/bob", "default", "d1"),
    }
    [waits] = [call.told for call in house.receiver.calls if call.told["data"].get("version") == 2]
    assert (waits["type"], waits["data"]["event"]) == ("stemma.waiting", "section-review-requested")
    assert (waits["data"]["kind"], waits["data"]["sections"]) == (
        "proposal",
        [{"section_id": "research", "title": "Research"}],
    )
    [assigned] = [call.told for call in house.receiver.calls if call.path == "/bob"]
    assert (assigned["data"]["assignee"], assigned["data"]["due"]) == ("bob", "2026-12-01T00:00:00Z")


@pytest.mark.req("H7")
async def test_changed_rules_are_read_once_for_all_events_that_ask_together(house: House) -> None:
    read = list[bytes]()

    async def noted(message: Msg) -> None:
        read.append(message.data)

    await house.client.subscribe(f"$JS.API.STREAM.MSG.GET.{RULES}", cb=noted)
    await house.rules(house.hook("r1"))
    known = Rules(house.client.jetstream())
    found = await asyncio.gather(*(known.of_tenant("default") for _ in range(20)))
    assert {rule.rule_id for rules in found for _, rule in rules} == {"r1"}
    await house.client.flush()
    assert read
    assert len(read) == len(set(read))


@pytest.mark.req("H7", "F1")
@pytest.mark.failure("receiver-down")
async def test_a_receiver_that_is_down_for_a_while_gets_everything_under_the_same_ids(
    server: NatsServer, house: House
) -> None:
    await house.document("d1")
    await house.rules(house.hook("down"))
    house.receiver.status = 503
    async with notifying(server):
        for version in range(1, 6):
            await house.happens(review_requested("research", version), "d1")
        before = {call.notice_id for call in await house.arrived(3, "/down")}
        house.receiver.status = 204

        async def all_delivered() -> bool:
            return [result for result, _ in await house.log("down")].count("delivered") == 5

        await eventually(all_delivered)
    ids = {call.told["data"]["version"]: call.notice_id for call in house.receiver.calls}
    assert len(set(ids.values())) == 5
    assert before <= set(ids.values())
    assert {call.notice_id for call in house.receiver.calls} == set(ids.values())


@pytest.mark.req("H7")
async def test_a_receiver_that_never_answers_does_not_hold_up_the_others(server: NatsServer, house: House) -> None:
    await house.document("d1")
    await house.rules(house.hook("silent"), house.hook("well"))
    async with notifying(server, slots=6, limit_s=600):
        for version in range(1, 9):
            await house.happens(review_requested("research", version), "d1")
        await house.arrived(8, "/well")
    assert len([call for call in house.receiver.calls if call.path == "/silent"]) <= 4


@pytest.mark.req("H7")
async def test_a_notice_that_failed_for_too_long_becomes_a_dead_letter(server: NatsServer, house: House) -> None:
    await house.document("d1")
    await house.rules(house.hook("gone"))
    house.receiver.status = 500
    async with notifying(server, give_up_after_s=0):
        await house.happens(review_requested("research", 1), "d1")
        dead = subjects.dead(subjects.NOTIFIER, "gone")

        async def buried() -> bool:
            try:
                return bool(await house.client.jetstream().get_last_msg(subjects.DEAD, dead))
            except NotFoundError:
                return False

        await eventually(buried)
        log = await house.log("gone")
    assert [result for result, _ in log][-1] == "given_up"
    assert len(log) >= 4


@pytest.mark.req("H7", "S3")
async def test_rules_that_cannot_be_read_hold_up_nobody_elses(server: NatsServer, house: House) -> None:
    await house.document("d1")
    poison = (b"", b"[]", b'{"rules": [{"rule_id": "a.b"}]}', b'{"stream": "KV", "seq": 3}')
    for number, data in enumerate(poison):
        await house.put(data, owner=f"ada-{number}")
    await house.rules(house.hook("fine"), owner="bob")
    async with notifying(server):
        await house.happens(review_requested("research", 1), "d1")
        assert len(await house.arrived(1, "/fine")) == 1
    for number in range(len(poison)):
        await house.rules(owner=f"ada-{number}")


@pytest.mark.req("H7")
async def test_a_rule_that_is_taken_away_is_told_nothing_of_what_still_waits(server: NatsServer, house: House) -> None:
    await house.document("d1")
    await house.rules(house.hook("removed"), house.hook("kept"))
    house.receiver.status = 503
    async with notifying(server):
        await house.happens(review_requested("research", 1), "d1")
        await house.arrived(1, "/removed")
        await house.rules(house.hook("kept"))
        before = len(await house.arrived(1, "/removed"))
        house.receiver.status = 204
        await house.happens(review_requested("research", 2), "d1")

        async def nothing_waits() -> bool:
            info = await house.client.jetstream().stream_info(subjects.NOTICES)
            return bool(info.state.messages == 0)

        await eventually(nothing_waits)
    after = [call for call in house.receiver.calls if call.path == "/removed"][before:]
    assert {call.told["data"]["version"] for call in after} <= {1}
    assert len(after) <= 1


@pytest.mark.req("H7", "S1")
async def test_whoever_sets_a_rule_by_the_client_is_told_by_it_and_reads_what_became_of_it(
    server: NatsServer, house: House
) -> None:
    await house.document("d1")
    login = admit(server, "ada", Role.REVIEWER)
    program = Client.connect(server.url, user="client-default", password=server.passwords["client-default"])
    async with notifying(server), program as programs, logged_in(login) as ada:
        await programs.notifications.add(house.hook("of-programs"))
        await ada.notifications.add(house.hook("of-ada"))
        assert [one.rule_id for one in await programs.notifications.rules()] == ["of-programs"]
        assert [one.rule_id for one in await ada.notifications.rules()] == ["of-ada"]
        with pytest.raises(InvalidInputError, match="already"):
            await ada.notifications.add(house.hook("of-ada"))

        await ada.notifications.test("of-ada")
        [tested] = await house.arrived(1, "/of-ada")
        await house.happens(review_requested("research", 1), "d1")
        await house.arrived(2, "/of-ada")
        await house.arrived(1, "/of-programs")

        async def logged() -> bool:
            return [one.occasion for one in await ada.notifications.log("of-ada")] == [Occasion.TEST, Occasion.WAITING]

        await eventually(logged)
        await ada.notifications.remove("of-ada")
        assert await ada.notifications.rules() == ()
        with pytest.raises(InvalidInputError, match="no rule"):
            await ada.notifications.test("of-ada")
    assert tested.told["type"] == "stemma.test"
    assert Verifier(SECRET).verify(tested.body, tested.headers)


@pytest.mark.req("H7", "S1")
async def test_a_rule_whose_receiver_will_be_refused_is_refused_when_it_is_added_by_its_name_and_field(
    server: NatsServer, house: House
) -> None:
    refused = {
        "https://10.0.0.1/hook": "webhook of the rule r: its address is not public",
        "https://localhost/hook": "webhook of the rule r: its address is not public",
        "https://[::ffff:10.0.0.1]/hook": "webhook of the rule r: its address is not public",
        "https://2130706433:8443/hook": "webhook of the rule r: its address is not public",
        "http://93.184.216.34/hook": "webhook of the rule r: http is for allowed networks alone",
    }
    program = Client.connect(server.url, user="client-default", password=server.passwords["client-default"])
    async with notifying(server, allowed_networks=["192.168.7.0/24"]), program as client:
        for url, why in refused.items():
            with pytest.raises(InvalidInputError, match=re.escape(why)):
                await client.notifications.add(rule("r", webhook=url))
        with pytest.raises(InvalidInputError, match="email of the rule r: no mail server is configured"):
            await client.notifications.add(rule("r", email="ada@example.com"))
        assert await client.notifications.rules() == ()

        assert await client.notifications.add(rule("r", webhook="http://192.168.7.9/hook")) == ""
        doubt = await client.notifications.add(rule("later", webhook="https://nowhere.invalid/hook"))
        assert doubt == "its name is not known"
        assert [one.rule_id for one in await client.notifications.rules()] == ["r", "later"]
        assert await client.notifications.log("r") == ()
    assert house.receiver.calls == []


@asynccontextmanager
async def logged_in(login: Login) -> AsyncIterator[Client]:
    with NamedTemporaryFile() as file:
        write_login(Path(file.name), login)
        async with Client.connect(login=Path(file.name)) as client:
            yield client


@pytest.mark.req("H7", "F1")
async def test_a_notifier_that_is_killed_tells_everything_under_the_same_ids_and_each_limit_of_a_budget_once(
    server: NatsServer, house: House, tmp_path: Path
) -> None:
    """By whichever notifier, and however often the events come."""
    mine: dict[str, Any] = {"document_ids": ["killed"]}
    await house.document("killed")
    spent = house.hook("spent", on=["budget"], tokens=100, cost=0.5, **mine)
    await house.rules(house.hook("silent", **mine), house.hook("well", **mine), spent)
    so_far = Usage()
    async with notifier_process(server, tmp_path / "first") as process:
        for version in (1, 2):
            await house.happens(review_requested("research", version), "killed")
        for cost in (0.1, 0.1, 0.1):
            so_far = await house.spends(Usage(calls=1, input_tokens=40, output_tokens=10, cost=cost), so_far)
        before = await house.arrived(2, "/silent")
        await house.arrived(1, "/spent")
        await eventually(lambda: house.waits(2))
        process.kill()
    await house.delivers_again(server)
    for version in (3, 4):
        await house.happens(review_requested("research", version), "killed")
    for cost in (0.1, 0.1, 0.1):
        so_far = await house.spends(Usage(calls=1, cost=cost), so_far)
    house.receiver.stopping.set()
    first = len(house.receiver.calls)
    async with notifier_process(server, tmp_path / "second"):
        await house.arrived(2, "/spent")
        await eventually(lambda: house.waits(0))
    by_path = {path: [call for call in house.receiver.calls if call.path == path] for path in ("/silent", "/well")}
    for calls in by_path.values():
        assert {call.told["data"]["version"] for call in calls} == {1, 2, 3, 4}
        assert len({call.notice_id for call in calls}) == 4
    again = {call.notice_id for call in house.receiver.calls[first:]}
    assert {call.notice_id for call in before} <= again
    told = [call.told for call in house.receiver.calls if call.path == "/spent"]
    assert told[0]["type"] == "stemma.budget"
    assert [one["data"]["budget"] for one in told] == [
        {
            "tokens": 100,
            "spent": {"calls": 2, "input_tokens": 80, "cached_tokens": 0, "output_tokens": 20, "cost": 0.2},
        },
        {
            "cost": 0.5,
            "spent": {"calls": 5, "input_tokens": 120, "cached_tokens": 0, "output_tokens": 30, "cost": 0.5},
        },
    ]


def notifier_process(server: NatsServer, ready: Path) -> AbstractAsyncContextManager[asyncio.subprocess.Process]:
    env = {
        **os.environ,
        "STEMMA_NATS_URL": server.url,
        "STEMMA_NATS_USER": subjects.NOTIFIER,
        "STEMMA_NATS_PASSWORD": server.passwords[subjects.NOTIFIER],
        "STEMMA_NOTIFIER_ALLOWED_NETWORKS": '["127.0.0.0/8"]',
    }
    return service_process(subjects.NOTIFIER, env, ready, ready.with_suffix(".log"))


@pytest.mark.req("H7")
def test_a_mail_server_without_a_sender_or_receivers_refuses_start() -> None:
    settings = service.load_settings(mail_host="127.0.0.1")
    with pytest.raises(BadSettings, match="mail_from"):
        service.check(settings)
