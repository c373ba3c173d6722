"""A service that is told to end does so, also when a library swallowed the word."""

import asyncio
from contextlib import suppress
from typing import Any

import pytest
from stemma_contracts import subjects
from stemma_messaging.cancellation import end, is_cancelled

from .conftest import service_of


async def _swallow(entered: asyncio.Event) -> None:
    """What `asyncio.wait_for` does before Python 3.12 when result and cancellation meet."""
    entered.set()
    with suppress(asyncio.CancelledError):
        await asyncio.get_running_loop().create_future()


@pytest.mark.req("E1")
async def test_a_stop_that_was_swallowed_at_the_start_ends_the_service(lab: Any) -> None:
    entered = asyncio.Event()

    service = service_of(subjects.VALIDATOR, lambda _: _swallow(entered))
    running = asyncio.create_task(service.run(lab.settings(subjects.VALIDATOR)))
    await asyncio.wait_for(entered.wait(), 20)
    running.cancel()
    await asyncio.wait({running}, timeout=20)
    assert running.cancelled()


async def test_who_swallowed_a_cancellation_knows_of_it_and_is_asked_again() -> None:
    entered, known = asyncio.Event(), asyncio.get_running_loop().create_future()

    async def stubborn() -> None:
        await _swallow(entered)
        known.set_result(is_cancelled())
        await asyncio.get_running_loop().create_future()

    task = asyncio.create_task(stubborn())
    await entered.wait()
    async with asyncio.timeout(20):
        await end([task])
    assert task.cancelled()
    assert known.result()
    assert not is_cancelled()
