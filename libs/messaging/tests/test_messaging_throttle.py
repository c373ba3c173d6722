"""A tenant of whom many messages wait is slowed down while others are at work."""

import asyncio
from datetime import UTC, datetime

import pytest
from stemma_messaging import Delivery, Turns, turns
from stemma_messaging.cancellation import end
from stemma_messaging.turns import CROWD, RESTS, Throttle
from stemma_testkit.servers import eventually

pytestmark = pytest.mark.req("S5")
AT_A_TIME = 3
MANY = 3 * CROWD


class Hall:
    """Tenants that want a turn; each keeps it until it is told to go."""

    def __init__(self) -> None:
        self._throttle = Throttle(Turns(AT_A_TIME))
        self._gone: dict[str, asyncio.Event] = {}
        self.has: list[str] = []
        self.tasks: list[asyncio.Task[None]] = []

    async def wants(self, *names: str, waiting: int = 0) -> None:
        for name in names:
            self._gone[name] = asyncio.Event()
            self.tasks.append(asyncio.create_task(self._turn(name, waiting), name=name))
        for _ in range(4 * len(names)):
            await asyncio.sleep(0)

    async def _turn(self, name: str, waiting: int) -> None:
        subject = f"stemma.request.v1.{name[0]}.x"
        async with self._throttle.of(Delivery(subject, {}, b"", "S", "c", 1, 1, datetime.now(UTC), waiting)):
            self.has.append(name)
            try:
                await self._gone[name].wait()
            finally:
                self.has.remove(name)

    async def goes(self, name: str) -> None:
        await eventually(lambda: _holds(name in self.has))
        self._gone[name].set()
        await eventually(lambda: _holds(name not in self.has))

    async def has_now(self, *names: str) -> None:
        await eventually(lambda: _holds(self.has == list(names)))


def crowd(tenant: str = "a") -> list[str]:
    return [f"{tenant}{number:02}" for number in range(MANY)]


async def _holds(condition: bool) -> bool:
    return condition


async def crowded() -> Hall:
    """One of b is at work, and the first of a that is of a crowd."""
    hall = Hall()
    await hall.wants("b0", *crowd())
    for name in crowd()[:CROWD]:
        await hall.goes(name)
    await hall.has_now("b0", crowd()[CROWD])
    return hall


async def test_a_crowd_that_waits_at_the_server_is_seen_by_each_of_several_processes() -> None:
    hall = Hall()
    await hall.wants("b0", "a00", "a01", waiting=CROWD)
    await hall.has_now("b0", "a00")
    await end(hall.tasks)


async def test_how_long_one_of_a_crowd_waited_for_its_turn_is_no_reason_to_rest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """If the wait counted, the next would not come within the time that the test has."""
    monkeypatch.setattr(turns, "RESTS", 1e9)
    monkeypatch.setattr(turns, "MOST_REST_S", 1e9)
    hall = Hall()
    await hall.wants("b0", "b1", "b2")
    await hall.wants("a00", "a01", waiting=CROWD)
    assert hall.has == ["b0", "b1", "b2"]
    hall.tasks[3].cancel()
    await hall.goes("b0")
    await hall.has_now("b1", "b2", "a01")
    await end(hall.tasks)


async def test_a_tenant_that_is_alone_is_not_slowed_down() -> None:
    hall = Hall()
    await hall.wants(*crowd())
    for names in zip(*(crowd()[place:] for place in range(AT_A_TIME)), strict=False):
        await hall.has_now(*names)
        await hall.goes(names[0])
    await end(hall.tasks)


async def test_a_crowd_comes_one_at_a_time_while_another_tenant_is_at_work_until_few_wait() -> None:
    hall = await crowded()
    *alone, last = crowd()[CROWD : MANY - CROWD]
    for name in (*alone, last):
        await hall.has_now("b0", name)
        await hall.goes(name)
    await hall.has_now("b0", *crowd()[MANY - CROWD : MANY - CROWD + AT_A_TIME - 1])
    await end(hall.tasks)


async def test_who_comes_meanwhile_of_another_tenant_is_not_held_up() -> None:
    hall = await crowded()
    await hall.wants("b1")
    assert hall.has == ["b0", crowd()[CROWD], "b1"]
    await end(hall.tasks)


async def test_the_next_of_a_crowd_comes_after_a_rest() -> None:
    """A rest cannot be shorter than it is meant to be, however slow the machine."""
    hall = await crowded()
    loop = asyncio.get_running_loop()
    had_its_turn = loop.time()
    while loop.time() - had_its_turn < 0.01:
        await asyncio.sleep(0)
    let_go = loop.time()
    await hall.goes(crowd()[CROWD])
    await hall.has_now("b0", crowd()[CROWD + 1])
    assert loop.time() - let_go >= RESTS * (let_go - had_its_turn)
    await end(hall.tasks)


@pytest.mark.parametrize("gone", [CROWD, CROWD + 1])
async def test_who_is_cancelled_gives_its_turn_on(gone: int) -> None:
    hall = await crowded()
    for task in hall.tasks:
        if task.get_name() in (crowd()[gone], crowd()[CROWD]):
            task.cancel()
    await hall.has_now("b0", crowd()[gone + 1])
    await end(hall.tasks)
