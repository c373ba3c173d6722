"""Shares of a process: nobody takes so much that others find nothing."""

from __future__ import annotations

import pytest
from stemma_gateway.limits import Owner, RateLimit, Shares
from stemma_gateway.problems import Busy, Limited, TooMany

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
