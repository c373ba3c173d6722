"""Sessions of one process: made once for whoever comes at once, and closed when nobody uses them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

import pytest
from stemma_client.bearer import address_of
from stemma_client.settings import ServerAddress
from stemma_gateway.sessions import Session, Sessions
from stemma_provisioning import NatsServer

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
