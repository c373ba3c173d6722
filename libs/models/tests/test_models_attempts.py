"""How long is waited before the next attempt."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from stemma_models import ModelSettings
from stemma_models.attempts import LONGEST_WAIT_S, Wait
from tenacity import AsyncRetrying, RetryCallState


class BusyError(Exception):
    def __init__(self, retry_after: str) -> None:
        self.status_code = 429
        self.litellm_response_headers = {"retry-after": retry_after}


def wait_after(error: Exception, attempt: int = 1) -> float:
    state = RetryCallState(AsyncRetrying(), None, (), {})
    state.attempt_number = attempt
    state.set_exception((type(error), error, None))
    return Wait(ModelSettings(backoff=1.0))(state)


def in_seconds(seconds: float) -> str:
    return format_datetime(datetime.now(UTC) + timedelta(seconds=seconds), usegmt=True)


@pytest.mark.parametrize(("told", "wait"), [("7", 7.0), ("0.5", 0.5), ("0", 0.0), ("3600", LONGEST_WAIT_S)])
def test_waits_as_long_as_the_provider_says_up_to_a_bound(told: str, wait: float) -> None:
    assert wait_after(BusyError(told)) == wait


def test_understands_a_date() -> None:
    assert 1 < wait_after(BusyError(in_seconds(50))) <= 50
    assert wait_after(BusyError(in_seconds(3600))) == LONGEST_WAIT_S
    assert wait_after(BusyError(in_seconds(-50))) == 0


@pytest.mark.parametrize("told", ["", "soon", "-1", "1e9", "Sun, 99 Nov 2026 02:52:52 GMT"])
def test_doubles_its_own_wait_if_nothing_is_said_that_it_understands(told: str) -> None:
    assert [wait_after(BusyError(told), attempt) for attempt in (1, 2, 3, 30)] == [1, 2, 4, LONGEST_WAIT_S]
