"""Answers come to who asked, and headers as they were sent, as nats-py itself has it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import BadHeaderError, NoRespondersError
from nats.errors import TimeoutError as NatsTimeout
from stemma_messaging.lean_client import LeanClient
from stemma_provisioning import PROVISIONER, NatsServer, inbox_prefix
from stemma_testkit.servers import eventually


@asynccontextmanager
async def lean(server: NatsServer) -> AsyncIterator[LeanClient]:
    client, user = LeanClient(), PROVISIONER
    await client.connect(server.url, user=user, password=server.passwords[user], inbox_prefix=inbox_prefix(user))
    try:
        yield client
    finally:
        await client.close()


async def heard(client: Client, headers: dict[str, str]) -> Msg:
    """A message with these headers, as it arrives."""
    subject, arrived = f"lean.{uuid4().hex}", asyncio.get_running_loop().create_future()

    async def hear(message: Msg) -> None:
        arrived.set_result(message)

    await client.subscribe(subject, cb=hear)
    await client.publish(subject, b"body", headers=headers)
    async with asyncio.timeout(20):
        message: Msg = await arrived
    return message


async def test_each_of_many_who_ask_at_once_gets_its_own_answer(session_server: NatsServer) -> None:
    async with lean(session_server) as client:

        async def echo(message: Msg) -> None:
            await message.respond(message.data)

        await client.subscribe("lean.echo", cb=echo)
        asked = [str(number).encode() for number in range(50)]
        answers = await asyncio.gather(*(client.request("lean.echo", words, timeout=20) for words in asked))
    assert [answer.data for answer in answers] == asked


async def test_who_asks_nobody_is_told_so(session_server: NatsServer) -> None:
    async with lean(session_server) as client:
        with pytest.raises(NoRespondersError):
            await client.request("lean.nobody", timeout=20)


async def test_who_is_not_answered_in_time_is_told_so_and_a_late_answer_is_for_nobody(
    session_server: NatsServer,
) -> None:
    asked: list[Msg] = []
    async with lean(session_server) as client:

        async def hear(message: Msg) -> None:
            asked.append(message)

        async def came_to_nobody() -> bool:
            return client.stats["in_msgs"] == 2

        await client.subscribe("lean.late", cb=hear)
        with pytest.raises(NatsTimeout):
            await client.request("lean.late", timeout=0.2)
        await asked[0].respond(b"late")
        await eventually(came_to_nobody)
        assert not client._resp_map


async def test_headers_arrive_as_they_were_sent(session_server: NatsServer) -> None:
    sent = {"ce-id": "e-1", "ce-subject": "default/d1", "words": "Grüße: 10 %", "empty": ""}
    async with lean(session_server) as client:
        assert (await heard(client, sent)).headers == sent


async def test_a_value_of_two_lines_is_no_header_of_its_own(session_server: NatsServer) -> None:
    async with lean(session_server) as client:
        message = await heard(client, {"words": "one\r\nNats-Msg-Id: two"})
    assert message.headers == {"words": "one  Nats-Msg-Id: two"}


async def test_a_name_that_is_none_is_refused(session_server: NatsServer) -> None:
    async with lean(session_server) as client:
        with pytest.raises(BadHeaderError):
            await client.publish("lean.refused", headers={"two words": "x"})


@given(st.lists(st.binary(max_size=12) | st.sampled_from([b"a: b", b"a b: c", b" a\t:\tb ", b"\x1ca: b", b"\xc3: x"])))
def test_headers_of_strangers_are_read_as_nats_py_reads_them(lines: list[bytes]) -> None:
    raw = b"\r\n".join(lines)
    by_nats_py = {name: value for name, value in Client._parse_header_lines(raw).items() if name}
    assert LeanClient._parse_header_lines(raw) == by_nats_py
