"""Whatever the server carries further for a user, it carries nothing to what is not that user's.

Permissions say what a connection may publish; a reply, an acknowledgement or the deliver subject of a consumer is
published by the server. Each such carrier is tried by each user against subjects of everybody else, with a harmless
use of the same carrier behind it, which works.
"""

import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import pytest_asyncio
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.js.api import ConsumerInfo
from nats.js.errors import ServiceUnavailableError
from stemma_contracts import subjects
from stemma_contracts.roles import ROLES, Role
from stemma_contracts.subjects import ANY
from stemma_provisioning import Bounds, NatsServer, client_user, inbox_prefix, permissions
from stemma_provisioning.copies import ensure_copies
from stemma_provisioning.permissions import PROVISIONER, User, asking_user, person_inbox, reading_user, users
from stemma_provisioning.topology import STREAMS
from stemma_testkit.servers import admit, barrier, connected, connected_person, provisioned_server

pytestmark = pytest.mark.asyncio(loop_scope="module")
TENANTS = ("default", "other")
PROGRAMS = [client_user(tenant) for tenant in TENANTS]
ATTACKERS = [*PROGRAMS, *subjects.WORKERS]
FEWEST, MOST = Role.READER, Role.OWNER
"""Roles differ in nothing but the requests that they may make: whoever makes the fewest, and the most."""
READERS, ASKERS = [f"{MOST}-reads"], [f"{role}-asks" for role in (FEWEST, MOST)]
"""The connections of a person, who is called like its role: all read alike."""
READS_ALONE = f"{FEWEST}-asks"
"""May write under an own key, and neither ask nor upload."""
DIGEST = "a" * 64
LOOT = {"stream_name": "EVENTS", "config": {"name": "loot", "ack_policy": "none", "deliver_subject": "_INBOX_x.loot"}}


def of_tenant(tenant: str) -> list[str]:
    """What is a tenant's, and nobody else's."""
    return [
        subjects.event(tenant, "d1", "section-approved"),
        subjects.answer(tenant, "r1"),
        subjects.request(tenant, "approve-section"),
        subjects.request(tenant, "cancel-document"),
        subjects.request_of(tenant, "bob", "approve-section"),
        *(subjects.request_of(tenant, role, name) for role in Role for name in ("approve-section", "cancel-document")),
        subjects.cancelled_job(tenant, "d1.1.generate.s1"),
        subjects.live(tenant, "d1", "s1"),
        subjects.artifact(tenant, "d1", DIGEST),
        subjects.record(tenant, "d1", DIGEST),
        f"$KV.documents.{tenant}.d1",
        *(f"$KV.notifications.{tenant}.{owner}" for owner in ("bob", subjects.PROGRAMS)),
        f"$KV.notified.{tenant}.bob.r1",
        subjects.notice(tenant, "bob", "r1"),
        f"$O.uploads-{tenant}.C.x",
        f"$O.artifacts-{tenant}.C.x",
        f"$JS.API.STREAM.PURGE.OBJ_uploads-{tenant}",
        f"$JS.ACK.REQUESTS.orchestrator-{tenant}.1.1.1.1.0",
        f"_INBOX_client-{tenant}.literal",
        f"copy.{tenant}.EVENTS.x",
        f"{subjects.copies_api(tenant)}.STREAM.DELETE.EVENTS",
        f"$JS.STEMMA.API.CONSUMER.RESET.EVENTS.copy-{tenant}",
    ]


TARGETS = [
    *(subject for tenant in TENANTS for subject in of_tenant(tenant)),
    *(subjects.job(service, "x") for service in subjects.WORKERS),
    *(subjects.bulk_job(service, "x") for service in subjects.WORKERS),
    *(subjects.outcome(service, "x") for service in subjects.SERVICES),
    *(subjects.dead(service, "x") for service in subjects.SERVICES),
    *(f"$KV.capabilities.{service}" for service in subjects.SERVICES),
    *(f"$JS.API.CONSUMER.MSG.NEXT.JOBS.{service}" for service in subjects.WORKERS),
    *(f"$JS.API.CONSUMER.DELETE.JOBS.{service}" for service in subjects.WORKERS),
    *(f"$JS.ACK.JOBS.{service}.1.1.1.1.0" for service in subjects.WORKERS),
    "$JS.API.CONSUMER.MSG.NEXT.EVENTS.orchestrator-views",
    "$JS.API.CONSUMER.CREATE.EVENTS.loot",
    "$JS.API.STREAM.CREATE.MINE",
    "$JS.API.STREAM.UPDATE.DEAD",
    "$JS.API.STREAM.UPDATE.EVENTS",
    "$JS.API.STREAM.DELETE.DEAD",
    "$JS.API.STREAM.PURGE.ANSWERS",
    "_DELIVER.orchestrator.REQUESTS",
    "_DELIVER.orchestrator.OUTCOMES",
    "_DELIVER.validator.JOBS",
    "_INBOX_orchestrator.literal",
]

EVERY_SUBJECT = b'{"subjects_filter": ">"}'
WORDS = b'{"document_id": "d1", "section_id": "s1", "version": 1, "name": "MINE", "subjects": ["mine.>"]}'
"""A brief of somebody who has more in mind than a document."""
BODIES = {
    "$JS.API.STREAM.CREATE.MINE": b'{"name": "MINE", "subjects": ["mine.>"], "storage": "memory"}',
    "$JS.API.STREAM.UPDATE.EVENTS": b'{"name": "EVENTS", "subjects": ["stemma.event.v1.*.*.*"], "max_msgs": 1}',
    "$JS.API.STREAM.UPDATE.DEAD": b'{"name": "DEAD", "subjects": ["stemma.dead.v1.*.*"], "max_msgs": 1}',
    "$JS.API.CONSUMER.CREATE.EVENTS.loot": json.dumps(LOOT).encode(),
}


def matches(pattern: str, subject: str) -> bool:
    """Whether a subject is one of a pattern."""
    wanted, given = pattern.split("."), subject.split(".")
    if wanted[-1] == ">":
        wanted, given = wanted[:-1], given[: len(wanted) - 1] if len(given) >= len(wanted) else []
    return len(wanted) == len(given) and all(w in ("*", g) for w, g in zip(wanted, given, strict=True))


@dataclass
class Stage:
    """A server with something of everybody's in each stream, and everybody listening."""

    admin: Client
    clients: dict[str, Client]
    table: dict[str, User]
    heard: list[tuple[str, Msg]] = field(default_factory=list)

    def inbox(self, name: str) -> str:
        """A subject on which only this user may listen."""
        return f"{person_inbox(_person(name)) if name in (*READERS, *ASKERS) else inbox_prefix(name)}.literal"

    def may(self, name: str, subject: str) -> bool:
        """Whether a user may publish to a subject."""
        return any(matches(line.subject, subject) for line in self.table[name].publish)

    async def listen(self, name: str) -> None:
        """Write down whatever reaches a user; a consumer whose inbox is heard by two cannot be moved."""

        async def hear(message: Msg) -> None:
            self.heard.append((name, message))

        for line in self.table[name].subscribe if name not in (*PROGRAMS, *READERS) else ():
            await self.clients[name].subscribe(line.subject, cb=hear)
        await self.clients[name].subscribe(self.inbox(name), cb=hear)
        await barrier(self.clients[name])

    async def kept(self, name: str) -> dict[str, Any]:
        """What lies in the streams apart from what is the user's own to write, and how far their consumers are."""
        found: dict[str, Any] = {}
        for prefix in ("$JS.API", *(subjects.copies_api(tenant) for tenant in TENANTS)):
            js = self.admin.jetstream(prefix=prefix)
            for stream in await js.streams_info():
                where = f"{prefix} {stream.config.name}"
                info = await js.stream_info(str(stream.config.name), subjects_filter=">")
                found[where] = {s: n for s, n in (info.state.subjects or {}).items() if not self.may(name, s)}
                if prefix == subjects.copies_api(_tenant(name)) and name not in subjects.WORKERS:
                    continue  # a tenant makes and ends the consumers there
                for consumer in await js.consumers_info(str(stream.config.name)):
                    found[f"{where}/{consumer.name}"] = self._progress(name, consumer)
        return found

    def _progress(self, name: str, consumer: ConsumerInfo) -> object:
        """How far a consumer is, unless the user's own messages bring it on; a copy's are acknowledged in time."""
        own = self.may(name, f"$JS.API.CONSUMER.MSG.NEXT.{consumer.stream_name}.{consumer.name}")
        if own or consumer.stream_name in (subjects.REQUESTS, subjects.OUTCOMES):
            return None
        pending = None if consumer.name.startswith("copy-") else consumer.num_ack_pending
        return pending, consumer.delivered and consumer.delivered.consumer_seq

    def reached(self, name: str) -> list[tuple[str, str]]:
        """Whom something reached that the user may not publish, and that no consumer of its own delivered."""
        others = [(who, heard) for who, heard in self.heard if who not in (name, PROVISIONER)]
        inside = [(who, heard) for who, heard in self.heard if who == PROVISIONER and heard.subject in TARGETS]
        found = [(who, heard) for who, heard in others + inside if not self.may(name, heard.reply or "-")]
        return [(who, heard.subject) for who, heard in found if not self.may(name, heard.subject)]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    many = Bounds(consumers=10_000)
    with provisioned_server(tmp_path_factory.mktemp("nats"), tenants=TENANTS, ack_wait_s=600, bounds=many) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def stage(server: NatsServer) -> AsyncIterator[Stage]:
    async with on(server) as made:
        yield made


@asynccontextmanager
async def on(server: NatsServer) -> AsyncIterator[Stage]:
    """Everybody connected to a server, and listening."""
    table = {user.name: user for user in users(TENANTS)}
    async with AsyncExitStack() as stack:
        clients = {name: await stack.enter_async_context(connected(server, name)) for name in table}
        logins = {role: admit(server, role, role) for role in (FEWEST, MOST)}
        for name in (*READERS, *ASKERS):
            role, asks = Role(_person(name)), name in ASKERS
            table[name] = asking_user("default", role, ROLES[role]) if asks else reading_user("default", role)
            clients[name] = await stack.enter_async_context(connected_person(logins[role], asks=asks))
        made = Stage(clients[PROVISIONER], clients, table)
        for name in table:
            await made.listen(name)
        await fill(made.admin)
        yield made


async def fill(admin: Client) -> None:
    """Something of everybody's, so that its loss would show."""
    js = admin.jetstream()
    for tenant in TENANTS:
        for name in ("document-requested", "section-drafted"):
            await js.publish(subjects.event(tenant, "d1", name), b'{"of": "%s"}' % tenant.encode())
        await js.publish(subjects.answer(tenant, "r1"), b"{}")
        await js.publish(subjects.request(tenant, "create-document"), b"{}")
        with suppress(ServiceUnavailableError):  # what is stored there is not replaced
            await js.publish(subjects.artifact(tenant, "d1", DIGEST), WORDS)
        for key in (f"documents.{tenant}.d1", f"notifications.{tenant}.bob", f"notified.{tenant}.bob.r1"):
            await js.publish(f"$KV.{key}", b"{}")
    for service in subjects.SERVICES:
        await js.publish(f"$KV.capabilities.{service}", b"{}")
        await js.publish(subjects.dead(service, "x"), b"{}")
        await js.publish(subjects.outcome(service, "x"), b"{}")
    for service in subjects.WORKERS:
        await js.publish(subjects.job(service, "x"), b"{}")
    await ensure_copies(admin, TENANTS)


Send = Callable[[Client, str, str], Awaitable[None]]
"""Have the server carry something to a subject: the attacker's connection and name, and the subject."""


def _person(name: str) -> str:
    return name.partition("-")[0]


def _tenant(name: str) -> str:
    """The tenant of a user, or whose documents a service works on here."""
    return TENANTS[PROGRAMS.index(name)] if name in PROGRAMS else "default"


def _own(name: str) -> str:
    """A subject under which a user stores something."""
    if name == READS_ALONE:
        return f"$KV.viewed.{subjects.viewed_key('default', _person(name), 'd1')}"
    if name in ASKERS:
        return subjects.request_of("default", _person(name), "approve-section")
    if name == subjects.NOTIFIER:
        return subjects.dead(name, "x")
    return subjects.request(_tenant(name), "x") if name in PROGRAMS else subjects.outcome(name, "x")


async def publish(client: Client, name: str, target: str) -> None:
    """The control goes to where it may."""
    if target.startswith(client.new_inbox().rpartition(".")[0]):
        await _echoed(client, name, target)
    else:
        await client.publish(target, BODIES.get(target, b'{"evil": 1}'))


async def _echoed(client: Client, name: str, target: str) -> None:
    """Something that the user may do, with the answer to a subject."""
    if name in READERS:
        await api(client, name, target)
    else:
        await client.publish(_own(name), b"{}", reply=target)


async def words_of_somebody(client: Client, name: str, target: str) -> None:
    """A direct get of an artifact: a person chose its bytes."""
    where = subjects.artifact(_tenant(name), "d1", DIGEST)
    await client.publish(f"$JS.API.DIRECT.GET.ARTIFACTS.{where}", b"", reply=target)


async def summary(client: Client, name: str, target: str) -> None:
    """A direct get of the summary of a document, which names it as a request does."""
    where = "$JS.API.DIRECT.GET.KV_documents.$KV.documents.default.d1"
    await client.publish(where, b'{"no_hdr": true}', reply=target)


async def quoted_upload(client: Client, name: str, target: str) -> None:
    """What one uploaded, as it is looked up where people ask."""
    key = f"$O.uploads-default.M.{uuid4().hex}"
    await client.request(key, WORDS, timeout=10)
    asked = json.dumps({"last_by_subj": key, "no_hdr": True}).encode()
    await client.publish("$JS.API.STREAM.MSG.GET.OBJ_uploads-default", asked, reply=target)


async def acknowledgement(client: Client, name: str, target: str) -> None:
    await client.publish(_own(name), b"{}", reply=target)


async def own_bytes(client: Client, name: str, target: str) -> None:
    """A direct get of what one wrote: any bytes on any subject of the account that answers."""
    body = b"+ACK" if target.startswith("$JS.ACK") else BODIES.get(target, b'{"evil": 1}')
    if name in PROGRAMS:
        bucket = subjects.uploads_bucket(_tenant(name))
        key = f"$O.{bucket}.C.{uuid4().hex}"
        ask, asked = f"$JS.API.DIRECT.GET.OBJ_{bucket}", json.dumps({"last_by_subj": key}).encode()
    else:
        key = subjects.artifact("default", "evil", uuid4().hex * 2)
        ask, asked = f"$JS.API.DIRECT.GET.ARTIFACTS.{key}", b""
    await client.request(key, body, timeout=10)
    await client.publish(ask, asked, reply=target)


async def nothing_there(client: Client, name: str, target: str) -> None:
    """The answer that there is nothing has no body, which acknowledges."""
    where = subjects.artifact(_tenant(name), "none", "b" * 64)
    await client.publish(f"$JS.API.DIRECT.GET.ARTIFACTS.{where}", b"", reply=target)


async def api(client: Client, name: str, target: str) -> None:
    stream = "EVENTS" if name in (*PROGRAMS, *READERS) else "JOBS"
    await client.publish(f"$JS.API.CONSUMER.INFO.{stream}.{name}", b"", reply=target)


async def stream_info(client: Client, name: str, target: str) -> None:
    """What lies in a stream under whatever subjects, by their names."""
    stream = "KV_documents" if name in (*PROGRAMS, *READERS) else "KV_capabilities"
    await client.publish(_info(stream), EVERY_SUBJECT, reply=target)


async def next_message(client: Client, name: str, target: str) -> None:
    """The answer to a pull: a message or that there is none."""
    where = (
        f"EVENTS.{await _create(client, name, name=f'next-{name}')}"
        if name in (*PROGRAMS, *READERS)
        else f"JOBS.{name}"
    )
    await client.publish(f"$JS.API.CONSUMER.MSG.NEXT.{where}", b'{"batch": 1, "no_wait": true}', reply=target)


async def consumer_made(client: Client, name: str, target: str) -> None:
    await client.publish("$JS.API.CONSUMER.CREATE.EVENTS", json.dumps(_follow(name)).encode(), reply=target)


async def deliver_subject(client: Client, name: str, target: str) -> None:
    """A consumer delivers where its maker says, with a reply that the server makes."""
    for policy in ("none", "explicit"):
        await _create(client, name, deliver_subject=target, ack_policy=policy)


async def moved_delivery(client: Client, name: str, target: str) -> None:
    """A consumer that was at work is told to deliver elsewhere, what nobody acknowledged for a second as well."""
    inbox, consumer = client.new_inbox(), uuid4().hex
    listening = await client.subscribe(inbox)
    await _create(client, name, name=consumer, deliver_subject=inbox, ack_policy="explicit", ack_wait=10**9)
    await listening.next_msg(timeout=10)
    await listening.unsubscribe()
    await barrier(client)
    await _create(client, name, name=consumer, deliver_subject=target, ack_policy="explicit", ack_wait=10**9)


async def trace(client: Client, name: str, target: str) -> None:
    await client.publish(_own(name), b"{}", headers={"Nats-Trace-Dest": target}, reply=client.new_inbox())
    if target.startswith(client.new_inbox().rpartition(".")[0]):
        await client.publish(_own(name), b"{}", reply=target)


async def rolled_up(client: Client, name: str, target: str) -> None:
    """A header that has the server delete what else the stream holds."""
    bucket = subjects.uploads_bucket(_tenant(name))
    where = f"$O.{bucket}.M.x" if name in (*PROGRAMS, *ASKERS) else f"$KV.capabilities.{name}"
    where = _own(name) if name == READS_ALONE else where
    await client.publish(where, b"{}", headers={"Nats-Rollup": "all"}, reply=target)


async def more_of_the_queue(client: Client, name: str, target: str) -> None:
    """An acknowledgement that asks for the next message."""
    await client.publish(f"$JS.ACK.JOBS.{name}.1.99.99.1.0", b'+NXT {"batch": 1, "no_wait": true}', reply=target)


def _follow(user: str, /, **more: Any) -> dict[str, Any]:
    config = {"filter_subject": subjects.event(_tenant(user), "d1", ANY), "ack_policy": "none", "mem_storage": True}
    return {"stream_name": "EVENTS", "config": {**config, "inactive_threshold": 60 * 10**9, **more}}


async def _create(client: Client, user: str, /, **more: Any) -> str:
    where = ".".join(["$JS.API.CONSUMER.CREATE.EVENTS", *([more["name"]] if "name" in more else [])])
    made = json.loads((await client.request(where, json.dumps(_follow(user, **more)).encode(), timeout=10)).data)
    return str(made.get("name"))


EVERYBODYS = [publish, acknowledgement, own_bytes, nothing_there, api, stream_info, trace, rolled_up]
READING = [publish, words_of_somebody, summary, nothing_there, api, stream_info, next_message]
FOLLOWING = [consumer_made, deliver_subject, moved_delivery]
ASKING = [publish, acknowledgement, quoted_upload, trace, rolled_up]
NOTIFYING = [publish, acknowledgement, stream_info, trace, rolled_up]
CARRIERS: list[tuple[Sequence[str], Sequence[Send]]] = [
    *(([name], [*EVERYBODYS, next_message]) for name in PROGRAMS),
    *(
        ([name], [*EVERYBODYS, *([] if name == subjects.VALIDATOR else [next_message]), more_of_the_queue])
        for name in subjects.WORKERS
    ),
    ([subjects.NOTIFIER], NOTIFYING),
    (READERS, READING),
    *(([name], [one for one in ASKING if (name, one) != (READS_ALONE, quoted_upload)]) for name in ASKERS),
    *((names, FOLLOWING) for names in ([PROGRAMS[0]], [PROGRAMS[1]], READERS)),
]
"""Whoever may publish the same is looked at together: all that read. Consumers come last: they are left behind."""


@pytest.mark.req("S1")
@pytest.mark.parametrize(("names", "carriers"), CARRIERS, ids=lambda x: x[0] if isinstance(x[0], str) else str(len(x)))
async def test_no_carrier_reaches_what_is_not_the_users_own(
    stage: Stage, names: Sequence[str], carriers: Sequence[Send]
) -> None:
    before = await stage.kept(names[0])
    for name, carrier in product(names, carriers):
        await attack(stage, name, carrier)
        assert (carrier.__name__, stage.reached(name)) == (carrier.__name__, [])
    assert await stage.kept(names[0]) == before


@pytest.mark.req("S1")
@pytest.mark.parametrize("name", [*ATTACKERS, *READERS, *ASKERS])
async def test_no_stream_tells_what_lies_in_it_for_others(stage: Stage, name: str) -> None:
    """Whatever stream is asked for all of its subjects."""
    client, told = stage.clients[name], dict[str, bytes]()

    async def hear(message: Msg) -> None:
        told[message.subject.rpartition(".")[2]] = message.data

    inbox = client.new_inbox()
    await client.subscribe(f"{inbox}.*", cb=hear)
    streams = {str(stream.config.name) for stream in await stage.admin.jetstream().streams_info()}
    for stream in streams:
        await client.publish(_info(stream), EVERY_SUBJECT, reply=f"{inbox}.{stream}")
    await control(stage, name, publish)
    infos = {stream: json.loads(data) for stream, data in told.items()}
    assert {s for s, info in infos.items() if "state" in info} == {s for s in streams if stage.may(name, _info(s))}
    foreign = [tenant for tenant in TENANTS if tenant != _tenant(name) and name not in subjects.WORKERS]
    subjects_told = [subject for info in infos.values() for subject in info.get("state", {}).get("subjects") or {}]
    assert [subject for subject in subjects_told if set(foreign) & set(re.split(r"[.-]", subject))] == []


def _info(stream: str) -> str:
    return f"$JS.API.STREAM.INFO.{stream}"


@pytest.fixture
def careless_server(tmp_path: Path) -> Iterator[NatsServer]:
    """One on which services enter the account of the streams, with the same permissions."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(permissions, "service_account", lambda service: STREAMS)
        with provisioned_server(tmp_path, tenants=TENANTS, ack_wait_s=600) as running:
            yield running


@pytest.mark.req("S1")
async def test_inside_one_account_permissions_hold_no_carrier(careless_server: NatsServer) -> None:
    """Why there are accounts, and that what is written down here shows it when one is missing."""
    async with on(careless_server) as stage:
        for carrier in (acknowledgement, own_bytes, nothing_there):
            await attack(stage, subjects.CONVERTER, carrier)
            reached = {subject for _, subject in stage.reached(subjects.CONVERTER)}
            assert {subjects.outcome(subjects.VALIDATOR, "x"), "$JS.API.STREAM.DELETE.DEAD"} <= reached


async def attack(stage: Stage, name: str, carrier: Send) -> None:
    """Everything that is not the user's own, and then the same for itself."""
    stage.heard.clear()
    for target in TARGETS:
        if not stage.may(name, target):
            await carrier(stage.clients[name], name, target)
    await control(stage, name, carrier)
    for client in stage.clients.values():
        await barrier(client)


async def control(stage: Stage, name: str, carrier: Send) -> None:
    """The same for the user itself; what it sent before has been dealt with then."""
    inbox = f"{stage.clients[name].new_inbox()}"
    waiting = await stage.clients[name].subscribe(inbox)
    for _ in range(2):
        await carrier(stage.clients[name], name, inbox)
        assert await waiting.next_msg(timeout=10)
    await waiting.unsubscribe()
