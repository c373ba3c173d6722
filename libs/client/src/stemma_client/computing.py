"""Where work on texts is done that takes long where they are long: never in the event loop."""

import asyncio
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

T = TypeVar("T")


class Compute(Protocol):
    """Calls a pure function that stands at the top of its module; texts and numbers go in."""

    async def __call__(self, function: Callable[..., T], *given: Any) -> T:
        """What the function returns."""


async def in_a_thread(function: Callable[..., T], *given: Any) -> T:
    """For a process that serves one person: there are no limits, and a thread that began goes on to its end."""
    return await asyncio.to_thread(function, *given)
