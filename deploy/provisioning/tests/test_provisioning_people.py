"""People of a tenant: let in by a key, held to their role by the server, cut off when they go."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace

import psutil
import pytest
from nats.aio.client import Client
from nats.errors import Error as NatsError
from stemma_client.logins import Login, credentials, new_seed, public_key
from stemma_contracts import subjects
from stemma_contracts.roles import EVERY_REQUEST, ROLES, Role
from stemma_contracts.subjects import ANY
from stemma_contracts.tokens import InvalidToken
from stemma_provisioning import NatsServer, client_user
from stemma_provisioning.admitted import AdmittedError, Everybody, Keys, Person, everybody_in, write_everybody
from stemma_testkit.servers import (
    admit,
    barrier,
    connected,
    connected_person,
    eventually,
    provisioned_server,
)

TENANTS = ("default", "other")
MEGABYTE = 1_000_000


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with provisioned_server(tmp_path_factory.mktemp("people"), tenants=TENANTS) as running:
        yield running


@asynccontextmanager
async def connection_of(login: Login, *, asks: bool = True) -> AsyncIterator[tuple[Client, list[str]]]:
    """Where a person asks or reads, and what the server forbade it there."""
    forbidden: list[str] = []

    async def hear(error: Exception) -> None:
        forbidden.append(str(error))

    async with connected_person(login, asks=asks, on_error=hear) as client:
        yield client, forbidden


async def stored(server: NatsServer, pattern: str) -> set[str]:
    async with connected(server) as admin:
        info = await admin.jetstream().stream_info(subjects.REQUESTS, subjects_filter=pattern)
    return set(info.state.subjects or {})


@pytest.mark.req("S4")
@pytest.mark.parametrize("role", Role)
async def test_a_role_is_the_requests_that_the_server_takes(server: NatsServer, role: Role) -> None:
    login = admit(server, f"is-{role}", role)
    async with connection_of(login) as (client, forbidden):
        for name in EVERY_REQUEST:
            subject = subjects.request_of("default", login.person, name)
            if name in ROLES[role]:
                await client.jetstream().publish(subject, b"{}")
            else:
                await client.publish(subject, b"{}")
        await barrier(client)
    taken = {subject.rpartition(".")[2] for subject in await stored(server, f"stemma.request.v2.*.{login.person}.*")}
    assert taken == set(ROLES[role])
    assert len(forbidden) == len(EVERY_REQUEST) - len(taken)


@pytest.mark.req("S4")
async def test_a_reader_writes_what_is_viewed_and_ended_under_an_own_key_and_nothing_else(server: NatsServer) -> None:
    login = admit(server, "only-reads", Role.READER)
    own, foreign = (f"$KV.viewed.{subjects.viewed_key('default', name, 'd1')}" for name in (login.person, "bob"))
    refused = [
        foreign,
        "$KV.notifications.default.only-reads",
        "$O.uploads-default.C.x",
        "$JS.API.STREAM.MSG.GET.OBJ_x",
    ]
    refused.append(subjects.presence("default", login.person, "d1", "s1"))
    async with connection_of(login) as (client, forbidden):
        await client.jetstream().publish(own, b"{}")
        for subject in refused:
            await client.publish(subject, b"{}")
        await client.subscribe(subjects.presence("default", ANY, ANY, ANY))
        await barrier(client)
    assert len(forbidden) == len(refused) + 1


@pytest.mark.req("S4")
def test_every_request_belongs_to_the_owner_and_a_higher_role_may_all_that_a_lower_one_may() -> None:
    assert set(ROLES[Role.OWNER]) == set(EVERY_REQUEST)
    reader, reviewer, author, owner = (set(ROLES[role]) for role in Role)
    assert reader < reviewer < author < owner
    assert reviewer - reader > {"withdraw-approval", "accept-suggestion", "take-back-changes"}


ELSEWHERE = [
    subjects.request_of("default", "bob", "approve-section"),
    subjects.presence("default", "bob", "d1", "s1"),
    subjects.presence("other", "bob", "d1", "s1"),
    subjects.request_of("other", "ada", "approve-section"),
    subjects.request("default", "approve-section"),
    subjects.event("default", "d1", "section-approved"),
    subjects.answer("default", "r1"),
    subjects.artifact("default", "d1", "a" * 64),
    "$O.uploads-other.C.x",
    "$JS.API.STREAM.PURGE.OBJ_uploads-default",
    "$JS.API.DIRECT.GET.OBJ_uploads-default",
]


@pytest.mark.req("S4")
@pytest.mark.parametrize("asks", [True, False])
async def test_a_person_publishes_in_no_other_name_and_nothing_that_is_not_a_request(
    server: NatsServer, *, asks: bool
) -> None:
    async with connection_of(admit(server, f"ada-{asks}".lower(), Role.OWNER), asks=asks) as (client, forbidden):
        for subject in ELSEWHERE:
            await client.publish(subject, b"{}")
        await barrier(client)
    assert [subject for subject in ELSEWHERE if not any(subject.lower() in told.lower() for told in forbidden)] == []


@pytest.mark.req("S4", "H3")
async def test_people_tell_each_other_whose_editors_are_open_each_in_their_own_name(server: NatsServer) -> None:
    ina, tom = admit(server, "ina", Role.AUTHOR), admit(server, "tom", Role.REVIEWER)
    own, everybodys = subjects.presence("default", "ina", "d1", "s1"), subjects.presence("default", ANY, ANY, ANY)
    async with connection_of(ina) as (client, forbidden), connected_person(tom, asks=True) as other:
        heard = await other.subscribe(everybodys)
        await barrier(other)
        await client.publish(own, b"here")
        assert (await heard.next_msg(timeout=10)).subject == own
        await barrier(client)
        assert forbidden == []


@pytest.mark.req("S4")
async def test_people_read_what_their_tenant_has_and_nothing_else(server: NatsServer) -> None:
    async with connected(server) as admin:
        for tenant in TENANTS:
            await admin.jetstream().publish(subjects.event(tenant, "d1", "e1"), b"{}")
            await admin.jetstream().publish(subjects.answer(tenant, "r1"), b"{}")
    async with connected_person(admit(server, "reads", Role.READER), asks=False) as client:
        js = client.jetstream()
        everything = await js.subscribe(">", stream="EVENTS", ordered_consumer=True)
        seen = await everything.next_msg(timeout=10)
        own = await js.get_last_msg(subjects.ANSWERS, subjects.answer("default", "r1"), direct=True)
        heard = await client.subscribe(subjects.live("default", ANY, ANY))
        await barrier(client)
        async with connected(server, subjects.GENERATION) as writer:
            await writer.publish(subjects.live("default", "d1", "s1"), b"word")
        assert (await heard.next_msg(timeout=10)).data == b"word"
    assert (seen.subject, seen.metadata.num_pending, own.data) == (subjects.event("default", "d1", "e1"), 0, b"{}")


@pytest.mark.req("S4")
@pytest.mark.parametrize("wrong", ["of another", "no signature", "another name", "of the other tenant's program"])
async def test_nobody_is_let_in_by_a_public_key(server: NatsServer, wrong: str) -> None:
    """They are no secret."""
    login = admit(server, f"key-{wrong[:2].strip()}-{len(wrong)}", Role.OWNER)
    shown = credentials(login.asking_seed)
    match wrong:
        case "of another":
            shown["signature_cb"] = credentials(new_seed())["signature_cb"]
        case "no signature":
            del shown["signature_cb"]
        case "another name":
            shown["name"] = "ada"
        case _:
            shown = {"user": client_user("default"), "password": server.passwords[client_user("other")]}
    with pytest.raises(NatsError, match="Authorization Violation"):
        await Client().connect(server.url, **shown, allow_reconnect=False, error_cb=_ignore)


async def _ignore(_: Exception) -> None:
    pass


@pytest.mark.req("S4")
async def test_who_is_removed_is_cut_off_and_nobody_else_notices(server: NatsServer) -> None:
    gone, stays = admit(server, "gone", Role.AUTHOR), admit(server, "stays", Role.AUTHOR)
    async with (
        connected_person(gone, asks=False) as reads,
        connected_person(gone, asks=True) as asks,
        connected_person(stays, asks=True) as colleague,
        connected(server, client_user("default")) as program,
    ):
        server.admitted("default").remove("gone")
        await eventually(lambda: _closed(reads, asks))
        for asks_still in (True, False):
            with pytest.raises(NatsError):
                async with connected_person(gone, asks=asks_still):
                    pass
        await colleague.jetstream().publish(subjects.request_of("default", "stays", "edit-section"), b"{}")
        await program.jetstream().publish(subjects.request("default", "edit-section"), b"{}")
        assert (colleague.is_connected, program.stats["reconnects"]) == (True, 0)


async def _closed(*clients: Client) -> bool:
    return not any(client.is_connected for client in clients)


@pytest.mark.req("S4")
async def test_new_keys_make_the_old_ones_useless(server: NatsServer) -> None:
    old = admit(server, "turns", Role.REVIEWER)
    new = replace(old, reading_seed=new_seed(), asking_seed=new_seed())
    async with connected_person(old, asks=True) as before:
        keys = Keys(public_key(new.reading_seed), public_key(new.asking_seed))
        assert server.admitted("default").rotate("turns", keys).role is Role.REVIEWER
        await eventually(lambda: _closed(before))
    with pytest.raises(NatsError):
        async with connected_person(old, asks=True):
            pass
    async with connected_person(new, asks=True) as after:
        stored_at = await after.jetstream().publish(subjects.request_of("default", "turns", "approve-section"), b"{}")
        assert stored_at.stream == subjects.REQUESTS


@pytest.mark.req("S4")
@pytest.mark.failure("nobody-admits")
async def test_while_nobody_admits_who_is_in_stays_in_and_nobody_new_gets_in(server: NatsServer) -> None:
    login = admit(server, "waits", Role.AUTHOR)
    subject = subjects.request_of("default", "waits", "edit-section")
    async with connected_person(login, asks=True) as inside, connected(server, client_user("default")) as program:
        server.let_nobody_in()
        try:
            with pytest.raises((NatsError, OSError, asyncio.TimeoutError)):
                async with connected_person(login, asks=True):
                    pass
            await inside.jetstream().publish(subject, b"{}")
            await program.jetstream().publish(subjects.request("default", "edit-section"), b"{}")
            async with connected(server, subjects.VALIDATOR) as service:
                assert service.is_connected
        finally:
            server.let_in()
        async with connected_person(login, asks=True) as later:
            await later.jetstream().publish(subject, b"{}")


@pytest.mark.req("S4")
async def test_who_went_while_nobody_admitted_is_cut_off_when_somebody_does_again(server: NatsServer) -> None:
    async with connected_person(admit(server, "went", Role.READER), asks=False) as inside:
        server.let_nobody_in()
        server.admitted("default").remove("went")
        server.let_in()
        await eventually(lambda: _closed(inside))


NO_NAMES = ["", "Ada", "a.b", "*", ">", "a b", "-a", "a-", "a\n", "ä", "a" * 33, "policy", "unknown", "../x", "a/b"]


@pytest.mark.req("S4")
def test_what_is_no_name_is_refused_by_it(server: NatsServer) -> None:
    for name in NO_NAMES:
        with pytest.raises(InvalidToken, match=r"a-z, 0-9 and -"):
            admit(server, name, Role.READER)
    assert not {*NO_NAMES} & server.admitted("default").people().keys()


@pytest.mark.req("S4")
def test_a_name_is_given_once_and_one_that_nobody_has_is_told(server: NatsServer) -> None:
    admit(server, "twice", Role.READER)
    with pytest.raises(AdmittedError, match="twice is there already, as reader"):
        admit(server, "twice", Role.OWNER)
    server.admitted("default").add("known", Role.READER, Keys("r", "a"), "eve@example.com")
    with pytest.raises(AdmittedError, match=r"eve@example\.com is known already"):
        server.admitted("default").add("other-name", Role.OWNER, Keys("r2", "a2"), "eve@example.com")
    with pytest.raises(AdmittedError, match="nobody is called 'never'"):
        server.admitted("default").remove("never")
    with pytest.raises(AdmittedError, match="nobody is called 'never'"):
        server.admitted("default").rotate("never", Keys("x", "y"))


@pytest.mark.req("S4")
async def test_a_file_that_cannot_be_read_lets_in_whom_it_let_in_before(server: NatsServer) -> None:
    login = admit(server, "before", Role.AUTHOR, "other")
    async with connected_person(login, asks=False) as inside:
        file = server.folder / "admitted" / "other.json"
        kept = file.read_text()
        file.write_text(kept[: len(kept) // 2])
        with pytest.raises(AdmittedError, match=r"other\.json is damaged"):
            server.admitted("other").people()
        async with connected_person(login, asks=True) as again:
            assert again.is_connected
        file.write_text(kept)
        assert inside.is_connected
    assert json.loads(kept)["people"].keys() == {"before"}


@pytest.mark.req("S4")
@pytest.mark.parametrize("number", [50, pytest.param(10_000, marks=pytest.mark.full)])
@pytest.mark.timeout(600)
async def test_however_many_people_come_the_server_reads_and_keeps_nothing_of_them(
    own_server: NatsServer, number: int
) -> None:
    assert own_server.pid is not None
    process = psutil.Process(own_server.pid)
    before, configured = process.memory_info().rss, (own_server.folder / "nats.conf").read_bytes()
    async with connected(own_server, client_user("default")) as program:
        logins = _admit_at_once(own_server, number)
        for login in (logins[0], logins[number // 2], logins[-1], admit(own_server, "late", Role.AUTHOR)):
            async with connected_person(login, asks=True) as person:
                subject = subjects.request_of("default", login.person, "edit-section")
                await person.jetstream().publish(subject, b"{}")
        async with connected_person(logins[0], asks=False) as reads:
            own_server.admitted("default").remove(logins[0].person)
            await eventually(lambda: _closed(reads))
        await program.jetstream().publish(subjects.request("default", "edit-section"), b"{}")
        assert program.stats["reconnects"] == 0
    assert process.memory_info().rss - before < 40 * MEGABYTE
    assert (own_server.folder / "nats.conf").read_bytes() == configured


def _admit_at_once(server: NatsServer, number: int) -> list[Login]:
    logins = [Login(server.url, "default", f"p{n}", "author", new_seed(), new_seed()) for n in range(number)]
    people = {each.person: Person(Role.AUTHOR, _keys(each)) for each in logins}
    file = server.folder / "admitted" / "default.json"
    write_everybody(file, Everybody(people, everybody_in(file).programs))
    return logins


def _keys(login: Login) -> Keys:
    return Keys(public_key(login.reading_seed), public_key(login.asking_seed))
