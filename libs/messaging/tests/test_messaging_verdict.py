import asyncio

import pytest
from stemma_messaging.errors import InvalidMessage, TakenOver
from stemma_messaging.verdict import Ack, DeadLetter, Leave, RetryLater, Verdict, verdict_for

BUG = RuntimeError()


@pytest.mark.parametrize(
    ("error", "deliveries", "verdict"),
    [
        (None, 1, Ack()),
        (None, 8, Ack()),
        (InvalidMessage(), 1, DeadLetter("invalid")),
        (asyncio.CancelledError(), 7, RetryLater(0.5)),
        (BUG, 1, RetryLater(5)),
        (BUG, 2, RetryLater(10)),
        (BUG, 6, RetryLater(160)),
        (BUG, 7, DeadLetter("exhausted")),
        (BUG, 8, DeadLetter("exhausted")),
        (BUG, 9, DeadLetter("exhausted")),
        (TakenOver(), 1, Leave()),
        (TakenOver(), 8, Leave()),
    ],
)
def test_decides_by_error_and_number_of_deliveries(error: BaseException, deliveries: int, verdict: Verdict) -> None:
    assert verdict_for(error, deliveries, max_deliver=8, retry_base_s=5) == verdict


@pytest.mark.parametrize("deliveries", [7, 50, 10_000])
def test_waits_five_minutes_at_most(deliveries: int) -> None:
    assert verdict_for(BUG, deliveries, max_deliver=100_000, retry_base_s=5) == RetryLater(300)


def test_without_a_bound_nothing_is_given_up() -> None:
    assert isinstance(verdict_for(BUG, 1000, max_deliver=-1, retry_base_s=5), RetryLater)
