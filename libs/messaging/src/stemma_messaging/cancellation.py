"""Cancellation that is not lost: `asyncio.wait_for` swallows one that meets its result, before Python 3.12."""

import asyncio
from collections.abc import Iterable
from typing import Any

ASK_AGAIN_S = 0.5


def is_cancelled() -> bool:
    """Whether the current task was asked to end, also where a library's ``wait_for`` swallowed that."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def raise_if_cancelled() -> None:
    """End the current task here, if it was asked to end; raises `asyncio.CancelledError`."""
    if is_cancelled():
        raise asyncio.CancelledError


async def end(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancel tasks and wait for them; who swallowed it is asked again."""
    left = {task for task in tasks if not task.done()}
    while left:
        for task in left:
            task.cancel()
        _, left = await asyncio.wait(left, timeout=ASK_AGAIN_S)
