"""Attempts to sign in: wrong ones delay others of their address, and refuse nobody."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest
from stemma_contracts.v1.answers import Problem
from stemma_gateway.limits import MOST_WAITING, Attempts
from stemma_gateway.problems import Busy, Unauthenticated

pytestmark = pytest.mark.req("H1", "S5")
CROWD = 1500


async def wrong(attempts: Attempts, address: str, name: str, bus: asyncio.Event) -> None:
    with suppress(Unauthenticated):
        async with attempts.attempt(address, name):
            await bus.wait()
            raise Unauthenticated(Problem.of("sign_in_wrong"))


async def right(attempts: Attempts, address: str) -> bool:
    async with attempts.attempt(address, "ada"):
        return True


async def crowd(attempts: Attempts, many: int, bus: asyncio.Event) -> list[asyncio.Task[None]]:
    """Wrong attempts of one address under many names, all of which wait."""
    tasks = [asyncio.create_task(wrong(attempts, "crowd", f"x{number}", bus)) for number in range(many)]
    await asyncio.sleep(0)
    return tasks


async def test_a_newcomer_waits_behind_a_crowd_of_wrong_attempts_and_is_let_in() -> None:
    attempts, bus = Attempts(per_s=1000, at_once=1), asyncio.Event()
    tasks = await crowd(attempts, CROWD, bus)
    newcomer = asyncio.create_task(right(attempts, "crowd"))
    await asyncio.sleep(0)
    assert not newcomer.done()
    bus.set()
    assert await newcomer
    assert await asyncio.gather(*tasks) == [None] * CROWD


async def test_one_address_takes_half_of_the_room_and_leaves_some_to_each_other_one() -> None:
    attempts, bus = Attempts(per_s=1000, at_once=MOST_WAITING), asyncio.Event()
    tasks = await crowd(attempts, MOST_WAITING // 2, bus)
    with pytest.raises(Busy):
        await right(attempts, "crowd")
    assert all([await right(attempts, address) for address in ("elsewhere", "nowhere")])
    bus.set()
    await asyncio.gather(*tasks)
    assert await right(attempts, "crowd")
