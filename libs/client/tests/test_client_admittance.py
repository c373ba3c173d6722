"""Who is refused is told what can be known: somebody said no, or nobody answered the server."""

import asyncio
from pathlib import Path

import pytest
from nats.errors import AuthorizationError
from stemma_client import Client, NobodyAdmitsError, connection, logins
from stemma_client.logins import Admittance, write_login
from stemma_contracts.roles import may_ask
from stemma_provisioning import NatsServer
from stemma_provisioning.roles import Role
from stemma_testkit.cutting import cuttable
from stemma_testkit.servers import admit, eventually

pytestmark = [pytest.mark.req("S4"), pytest.mark.failure("nobody-admits")]
USER = "client-default"


async def test_a_caller_that_comes_before_the_admission_is_let_in_with_it(own_server: NatsServer) -> None:
    told: list[str] = []

    def tell(line: str) -> None:
        told.append(line)
        own_server.let_in()

    own_server.let_nobody_in()
    async with Client.connect(own_server.url, user=USER, password=own_server.passwords[USER], told=tell) as client:
        assert await client.documents() == []
    assert told == [f"nobody tells the server at {own_server.url} in time whether to admit us; trying on"]


async def test_without_an_admission_a_caller_is_not_told_that_its_password_is_wrong(
    own_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "ADMITTED_WITHIN_S", 0.0)
    own_server.let_nobody_in()
    with pytest.raises(NobodyAdmitsError, match="refuses user client-default after waiting"):
        async with Client.connect(own_server.url, user=USER, password=own_server.passwords[USER]):
            pass


async def test_a_person_who_was_in_is_not_told_to_be_out_while_nobody_admits(
    own_server: NatsServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logins, "MOST_REFUSALS", 1)
    refused = asyncio.Event()

    def tell(line: str) -> None:
        if "whether to admit us" in line:
            refused.set()

    host, port = own_server.url.removeprefix("nats://").split(":")
    async with cuttable(host, int(port)) as way:
        login = admit(own_server, "ada", Role.READER)
        write_login(tmp_path / "ada", login)
        url = f"nats://127.0.0.1:{way.port}"
        async with Client.connect(url, login=tmp_path / "ada", told=tell) as client:
            own_server.let_nobody_in()
            way.cut()
            await asyncio.wait_for(refused.wait(), 20)
            own_server.let_in()
            assert await client.documents() == []


@pytest.mark.req("H8")
async def test_who_comes_back_with_another_role_may_ask_for_what_that_role_allows(
    own_server: NatsServer, tmp_path: Path
) -> None:
    host, port = own_server.url.removeprefix("nats://").split(":")
    async with cuttable(host, int(port)) as way:
        write_login(tmp_path / "ada", admit(own_server, "ada", Role.READER))
        async with Client.connect(f"nats://127.0.0.1:{way.port}", login=tmp_path / "ada") as client:
            await client.rights.learn()
            assert client.rights.names == may_ask(Role.READER)
            admitted = own_server.admitted("default")
            keys = admitted.people()["ada"].keys
            admitted.remove("ada")
            admitted.add("ada", Role.REVIEWER, keys)
            way.cut()

            async def is_reviewer() -> bool:
                await client.rights.learn()
                return client.rights.names == may_ask(Role.REVIEWER)

            await eventually(is_reviewer)


@pytest.mark.parametrize(("took", "unanswered"), [(0.01, False), (2.0, True)])
def test_a_refusal_that_comes_at_once_is_an_answer_and_a_late_one_is_none(took: float, unanswered: bool) -> None:
    times = iter((100.0, 100.0 + took, 100.0 + took))
    attempt = Admittance(lambda: next(times))
    attempt.failed(AuthorizationError())
    assert attempt.unanswered is unanswered


def test_who_was_in_is_out_after_several_answers_and_never_for_want_of_one() -> None:
    now = [0.0]
    for took, is_over in ((0.0, True), (2.0, False)):
        attempt = Admittance(lambda: now[0])
        attempt.admitted()
        for _ in range(logins.MOST_REFUSALS):
            assert not attempt.is_over
            now[0] += took
            attempt.failed(AuthorizationError())
        assert attempt.is_over is is_over
