"""One caller who takes whatever is given, under as many names as there are: all others still get in."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import httpx
import pytest
from stemma_client.bearer import address_of, bearer_of
from stemma_client.logins import Login, new_seed
from stemma_client.settings import ServerAddress
from stemma_gateway.sessions import Session, Sessions
from stemma_provisioning import NatsServer
from stemma_provisioning.roles import Role
from stemma_testkit.servers import admit

pytestmark = pytest.mark.req("H1", "S5")
MANY = 20
UNBOUNDED = httpx.Limits(max_connections=None)


def shown(server: NatsServer, login: Login) -> dict[str, str]:
    address = ServerAddress(server.url, login.tenant, login.person, login=login)
    return {"Authorization": f"Bearer {bearer_of(address)}"}


@asynccontextmanager
async def streams_of(url: str, callers: list[dict[str, str]]) -> AsyncIterator[list[int]]:
    """Streams that stay open, one for each caller; what each was answered."""
    async with AsyncExitStack() as stack:
        http = await stack.enter_async_context(httpx.AsyncClient(base_url=url, timeout=60, limits=UNBOUNDED))
        opening = [stack.enter_async_context(http.stream("GET", "/events", headers=one)) for one in callers]
        yield [answer.status_code for answer in await asyncio.gather(*opening)]


async def statuses(url: str, callers: list[dict[str, str]], path: str = "/kinds") -> list[int]:
    """What callers are answered who ask at the same time."""
    async with httpx.AsyncClient(base_url=url, timeout=60, limits=UNBOUNDED) as http:

        async def status(caller: dict[str, str]) -> int:
            async with http.stream("GET", path, headers=caller) as answer:
                return answer.status_code

        return await asyncio.gather(*map(status, callers))


@pytest.fixture(scope="module")
def greedy(server: NatsServer) -> Login:
    """A person who takes what is given."""
    return admit(server, "gerd", Role.READER)


@pytest.fixture(scope="module")
def colleague(server: NatsServer) -> Login:
    """Another person of the same tenant."""
    return admit(server, "mia", Role.READER)


@pytest.fixture
def others(server: NatsServer, colleague: Login, token: Callable[..., str]) -> list[dict[str, str]]:
    """A colleague, and a program of another tenant."""
    return [shown(server, colleague), {"Authorization": f"Bearer {token('garden')}"}]


async def test_a_person_is_one_caller_whatever_the_token_says_of_the_role(
    gateway: Any, server: NatsServer, greedy: Login, others: list[dict[str, str]]
) -> None:
    labels = [shown(server, replace(greedy, role=f"role-{number}")) for number in range(MANY)]
    async with gateway(streams_at_once=2, max_sessions=5) as url, streams_of(url, labels) as answers:
        assert sorted(answers) == [200] * 2 + [429] * (MANY - 2)
        assert await statuses(url, others, "/events") == [200, 200]
    async with gateway(requests_at_once=2, requests_per_s=0.001) as url:
        assert sorted(await statuses(url, labels[:3])) == [200, 200, 429]


async def test_a_person_is_nobody_under_another_name_or_in_another_tenant(
    gateway: Any, server: NatsServer, greedy: Login, colleague: Login
) -> None:
    async with gateway() as url:
        names = ({"person": colleague.person}, {"person": "x"}, {"tenant": "garden"})
        assert await statuses(url, [shown(server, replace(greedy, **name)) for name in names]) == [401] * 3


async def test_a_person_with_many_second_keys_has_few_sessions_and_others_get_in(
    gateway: Any, server: NatsServer, greedy: Login, others: list[dict[str, str]]
) -> None:
    keys = [shown(server, replace(greedy, asking_seed=new_seed())) for _ in range(MANY)]
    async with gateway(max_sessions=MANY) as url, streams_of(url, keys) as answers:
        assert set(answers) == {200, 429}
        assert answers.count(200) == 8
        assert await statuses(url, others) == [200, 200]


MANY, AT_ONCE = 30, 4
IDLE_S = 0.02


class Callers:
    """Those who come to sessions, each by a key of its own; ``found`` is who was asked for, in order."""

    def __init__(self, address: ServerAddress, sessions: Sessions) -> None:
        self._address = address
        self.sessions = sessions
        self.found: list[str] = []

    async def _find(self, key: str) -> ServerAddress:
        self.found.append(key)
        return self._address

    async def call(self, key: str) -> Session:
        async with self.sessions.session(partial(self._find, key), key) as session:
            return session


@pytest.fixture
def callers(server: NatsServer, token: Callable[..., str]) -> Callable[[Sessions], Callers]:
    return partial(Callers, address_of(token(), server.url, {}))


@pytest.mark.req("H1", "S5")
async def test_those_who_come_at_once_share_one_session_where_room_has_to_be_made(
    callers: Callable[[Sessions], Callers],
) -> None:
    come = callers(Sessions(1, 60.0))
    async with come.sessions.swept():
        await come.call("first")
        sessions = await asyncio.gather(*(come.call("second") for _ in range(MANY)))
        left = [key for key in ("first", "second") if key in come.sessions]
    assert {id(session) for session in sessions} == {id(sessions[0])}
    assert (come.found, left) == (["first", "second"], ["second"])


@pytest.mark.req("H1", "S5")
async def test_idle_sessions_are_closed_after_others_of_them_were_closed_to_make_room(
    callers: Callable[[Sessions], Callers],
) -> None:
    come = callers(Sessions(2 * AT_ONCE, IDLE_S))
    names = [[f"caller-{number}-{each}" for each in range(AT_ONCE)] for number in range(MANY)]
    async with come.sessions.swept(), asyncio.timeout(20):
        for some in names:
            await asyncio.gather(*map(come.call, some))
        while any(name in come.sessions for some in names for name in some):
            await asyncio.sleep(IDLE_S)
