"""What a person has viewed: kept on the server, read by that person alone, and bounded."""

import asyncio
import time
from contextlib import AsyncExitStack, suppress

import pytest
from stemma_client import AccessDeniedError, Client, InvalidInputError
from stemma_client.own_values import MOST_SESSIONS, SignedOutSessions, read_value, write_value
from stemma_client.settings import ServerAddress
from stemma_contracts import subjects
from stemma_contracts.tokens import InvalidToken
from stemma_contracts.v1.section import MOST_VIEWED, ViewedSections
from stemma_provisioning import NatsServer
from stemma_provisioning.roles import Role
from stemma_testkit.servers import admit

pytestmark = pytest.mark.req("H2")


async def test_ticks_follow_a_person_who_alone_reads_them_and_two_at_once_are_both_kept(server: NatsServer) -> None:
    logins = [admit(server, name, Role.REVIEWER) for name in ("vera", "walt")]
    addresses = [ServerAddress(server.url, "default", login.person, login=login) for login in logins]
    async with AsyncExitStack() as stack:
        here, there, other = [
            await stack.enter_async_context(Client.connect_to(address))
            for address in (addresses[0], addresses[0], addresses[1])
        ]
        await asyncio.gather(here.viewed.mark("d1", "a", 1), there.viewed.mark("d1", "b", 2))
        assert await here.viewed.of("d1") == {"a": 1, "b": 2}
        await there.viewed.mark("d1", "a", 0)
        assert await here.viewed.of("d1") == {"b": 2}
        assert await other.viewed.of("d1") == {}
        other.viewed._owner = "vera"
        assert await other.viewed.of("d1") == {}, "the server does not tell it"
        assert await other.viewed.of("d1") == {}, "nor is it asked again at once"


async def test_sessions_that_were_ended_are_known_to_the_same_person_alone_and_few_are_kept(server: NatsServer) -> None:
    logins = [admit(server, name, Role.REVIEWER) for name in ("sara", "sven")]
    here, there, other = (
        Client.connect_to(ServerAddress(server.url, "default", login.person, login=login))
        for login in (logins[0], *logins)
    )
    async with here as one, there as two, other as stranger:
        soon = time.time() + 60
        await asyncio.gather(one.signed_out.add("a", soon), two.signed_out.add("b", soon), two.signed_out.add("c", 0))
        assert [await each.signed_out.has("a") for each in (one, two, stranger)] == [True, True, False]
        for document_id in ("_signed-out", subjects.signed_out_key("default", "sara").rpartition(".")[2]):
            with suppress(InvalidToken):
                await two.viewed.mark(document_id, "section", 1)
        assert await one.signed_out.has("a"), "no tick takes the place of what was ended"
        full = SignedOutSessions(ends_at={f"s{number}": soon + number for number in range(1, MOST_SESSIONS + 1)})
        key = subjects.signed_out_key("default", "sara")
        _, sequence = await two.signed_out._read(key)
        data = full.model_dump_json().encode()
        assert await write_value(two._connection, subjects.VIEWED_BUCKET, key, data, sequence)
        await one.signed_out.add("last", soon + MOST_SESSIONS)
        known, _ = await two.signed_out._read(key)
        assert (len(known.ends_at), "last" in known.ends_at, "s1" in known.ends_at) == (MOST_SESSIONS, True, False)


async def test_a_server_that_tells_no_ended_sessions_is_asked_again_in_seconds(server: NatsServer) -> None:
    login = admit(server, "zoe", Role.REVIEWER)
    async with Client.connect_to(ServerAddress(server.url, "default", "zoe", login=login)) as client:
        client.signed_out._key = subjects.signed_out_key("default", "sara")
        client.viewed._owner = "sara"
        assert (await client.signed_out.has("a"), await client.viewed.of("d1")) == (False, {})
        assert client.signed_out._not_before < time.monotonic() + 10 < client.viewed._not_before


async def test_all_calls_that_wait_while_one_is_refused_are_refused_in_words(server: NatsServer) -> None:
    login = admit(server, "yara", Role.REVIEWER)
    key = subjects.rules_key("default", "vera")
    async with Client.connect_to(ServerAddress(server.url, "default", "yara", login=login)) as client:
        reads = [read_value(client._connection, subjects.RULES_BUCKET, key) for _ in range(3)]
        refused = await asyncio.gather(*reads, return_exceptions=True)
        assert [type(each) for each in refused] == [AccessDeniedError] * 3


async def test_no_more_sections_of_a_document_are_marked_than_its_value_holds(server: NatsServer) -> None:
    login = admit(server, "xeno", Role.REVIEWER)
    async with Client.connect_to(ServerAddress(server.url, "default", "xeno", login=login)) as client:
        full = ViewedSections(versions={f"s{number}": 1 for number in range(MOST_VIEWED)}).model_dump_json()
        jetstream = await client._connection.asking()
        await jetstream.publish(f"$KV.viewed.{subjects.viewed_key('default', 'xeno', 'd1')}", full.encode())
        with pytest.raises(InvalidInputError, match="no more can be"):
            await client.viewed.mark("d1", "other", 1)
        await client.viewed.mark("d1", "s1", 2)
        assert (await client.viewed.of("d1"))["s1"] == 2
