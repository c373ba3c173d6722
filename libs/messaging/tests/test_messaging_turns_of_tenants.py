"""Who may convert when."""

from __future__ import annotations

import asyncio

import pytest
from stemma_messaging import Turns

pytestmark = pytest.mark.req("S5")


class Hall:
    """Tenants that want a turn, and who has one in which order."""

    def __init__(self, at_a_time: int, per_tenant: int) -> None:
        self._turns = Turns(at_a_time, per_tenant)
        self.has: list[str] = []
        self.tasks: dict[str, asyncio.Task[None]] = {}

    async def wants(self, *names: str) -> None:
        for name in names:
            self.tasks[name] = asyncio.create_task(self._turn(name))
            await asyncio.sleep(0)

    async def _turn(self, name: str) -> None:
        async with self._turns.turn(name[0]):
            self.has.append(name)
            await asyncio.get_running_loop().create_future()

    async def ends(self, name: str) -> None:
        self.tasks[name].cancel()
        await asyncio.wait({self.tasks[name]})
        self.has = [one for one in self.has if one != name]
        for _ in self.tasks:
            await asyncio.sleep(0)


async def test_a_tenant_with_many_leaves_a_turn_to_the_others() -> None:
    hall = Hall(3, 2)
    await hall.wants("a1", "a2", "a3", "a4", "b1")
    assert hall.has == ["a1", "a2", "b1"]


async def test_those_who_wait_come_round_robin() -> None:
    hall = Hall(1, 1)
    await hall.wants("a1", "a2", "a3", "b1", "b2", "c1")
    order = []
    while hall.has:
        [name] = hall.has
        order.append(name)
        await hall.ends(name)
    assert order == ["a1", "a2", "b1", "c1", "a3", "b2"]


async def test_who_does_not_wait_any_more_takes_no_turn() -> None:
    hall = Hall(1, 1)
    await hall.wants("a1", "b1", "c1")
    for gone in ("b1", "a1"):
        hall.tasks[gone].cancel()
    await asyncio.wait({hall.tasks["a1"], hall.tasks["b1"]})
    await asyncio.sleep(0)
    assert hall.has[-1] == "c1"
    await hall.ends("c1")
    await hall.wants("d1")
    assert hall.has[-1] == "d1"
