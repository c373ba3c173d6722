"""Shares of a process: nobody takes so much that others find nothing."""

import asyncio
from contextlib import AsyncExitStack, suppress

import pytest
from stemma_contracts.v1.answers import Problem
from stemma_gateway.followed import Keeper
from stemma_gateway.limits import MOST_WAITING, Attempts, Owner, RateLimit, Shares
from stemma_gateway.problems import Busy, Limited, TooMany, Unauthenticated

pytestmark = pytest.mark.req("H1", "S5")
MOST = 100


def taken(shares: Shares, owner: Owner) -> int:
    """How many places an owner gets who takes all that are given."""
    for number in range(MOST + 1):
        try:
            shares.take(owner)
        except Limited:
            return number
    raise AssertionError("there are no more")


def test_who_takes_all_that_is_given_leaves_places_to_colleagues_and_to_other_tenants() -> None:
    shares = Shares("places", "most", MOST)
    greedy = [taken(shares, Owner("a", f"person-{number}")) for number in range(5)]
    assert greedy[0] > 40
    assert all(greedy)
    assert sum(greedy) <= 80
    others = [taken(shares, Owner(tenant, "person")) for tenant in ("b", "c", "d")]
    assert min(others) >= 2
    assert shares.total < MOST


def test_a_place_that_is_given_back_is_free_and_the_bound_of_one_caller_holds_in_any_case() -> None:
    shares, ada = Shares("places", "most", 4, 2), Owner("a", "ada")
    for _ in range(3):
        with shares.more(ada), shares.more(ada):
            assert isinstance(shares.refusal(ada), TooMany)
    with pytest.raises(RuntimeError), shares.more(ada):
        raise RuntimeError
    assert shares.total == 0


def test_only_what_is_full_is_busy() -> None:
    shares = Shares("places", "most", 1)
    shares.take(Owner("a", "ada"))
    assert isinstance(shares.refusal(Owner("b", "ben")), Busy)


def test_a_delay_grows_with_what_was_tried_before_up_to_a_longest_one() -> None:
    now = 0.0
    limit = RateLimit("refusals", per_s=1, at_once=2, clock=lambda: now)
    assert [limit.wait_s("x", 3.0) for _ in range(9)] == [0, 0, 1, 2, 3, 3, 3, 3, 3]
    assert limit.wait_s("y", 3.0) == 0
    now = 100.0
    limit.take_back("x")
    assert [limit.wait_s("x", 3.0) for _ in range(3)] == [0, 0, 1]


CROWD = 100


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


class Kept(Keeper):
    """Runs until it is ended, and says when it was."""

    lingers_s = 0

    def __init__(self) -> None:
        super().__init__()
        self.begun = 0
        self.ended = asyncio.Event()

    async def _keep(self) -> None:
        self.begun += 1
        try:
            await asyncio.Event().wait()
        finally:
            self.ended.set()


@pytest.mark.req("H3", "E4")
async def test_what_one_follower_leaves_goes_on_for_the_other_and_ends_after_the_last() -> None:
    kept = Kept()
    async with AsyncExitStack() as other:
        await other.enter_async_context(kept.followed())
        async with kept.followed():
            await asyncio.sleep(0)
        for _ in range(5):  # the end that the first one left behind comes round
            await asyncio.sleep(0)
        assert (kept.begun, kept.ended.is_set()) == (1, False)
    await asyncio.wait_for(kept.ended.wait(), 20)
    assert kept.begun == 1
