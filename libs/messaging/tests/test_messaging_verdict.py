import asyncio
from datetime import UTC, datetime
from typing import Any
from unittest.mock import AsyncMock

import pytest
from stemma_messaging import Delivery
from stemma_messaging.delivery import Held, Incoming
from stemma_messaging.errors import ForAnotherWorker, GivenUp, InvalidMessage, PutOff, TakenOver
from stemma_messaging.middlewares import Settlement
from stemma_messaging.outages import Patience
from stemma_messaging.verdict import Ack, DeadLetter, Leave, PutBack, RetryLater, Verdict, verdict_for

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
        (PutOff(90), 1, RetryLater(90)),
        (PutOff(90), 8, RetryLater(90)),
        (GivenUp(), 1, DeadLetter("exhausted")),
        (TakenOver(), 1, Leave()),
        (TakenOver(), 8, Leave()),
        (ForAnotherWorker(), 1, RetryLater(5)),
        (ForAnotherWorker(), 2, PutBack()),
        (ForAnotherWorker(), 8, PutBack()),
    ],
)
def test_decides_by_error_and_number_of_deliveries(error: BaseException, deliveries: int, verdict: Verdict) -> None:
    assert verdict_for(error, deliveries, max_deliver=8, retry_base_s=5) == verdict


def test_what_was_put_back_often_waits_longer_for_another_worker_and_half_a_minute_at_most() -> None:
    delays = [verdict_for(ForAnotherWorker(), 1, 8, 5, put_back) for put_back in (0, 1, 2, 3, 1_000)]
    assert delays == [RetryLater(delay_s) for delay_s in (5, 10, 20, 30, 30)]


def test_waits_five_minutes_at_most_and_without_a_bound_nothing_is_given_up() -> None:
    for deliveries in (7, 50, 10_000):
        assert verdict_for(BUG, deliveries, max_deliver=100_000, retry_base_s=5) == RetryLater(300)
    assert isinstance(verdict_for(BUG, 1000, max_deliver=-1, retry_base_s=5), RetryLater)


@pytest.mark.req("E2", "F1")
@pytest.mark.parametrize(("error", "deliveries"), [(InvalidMessage(), 1), (GivenUp(), 1), (ForAnotherWorker(), 2)])
async def test_what_cannot_be_put_aside_is_left_to_the_server(error: Exception, deliveries: int) -> None:
    """Acknowledged, it would be lost."""
    message, publisher = AsyncMock(), AsyncMock()
    publisher.store.side_effect = RuntimeError("refused")
    delivery = Delivery("stemma.job.v1.x.y", {}, b"{}", "S", "c", 1, deliveries, datetime.now(UTC))
    held = Held(message, delivery)

    async def handler(_: Any) -> None:
        raise error

    await Settlement("x", lambda: publisher, Patience(0.001))(handler, Incoming(held, raw_message=None, body=b""))
    assert isinstance(held.hindrance, RuntimeError)
    assert message.mock_calls == []
