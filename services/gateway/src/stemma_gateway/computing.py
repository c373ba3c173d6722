"""Work on the texts of callers: short ones in a thread, long ones in a process of its own, ended with its caller.

A thread cannot be ended, and holds up the event loop while it has the interpreter.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from starlette.requests import Request
from stemma_client.computing import Compute
from stemma_client.errors import InvalidInputError
from stemma_confinement import ConfinementError, Limits, Prepared, Stalled
from stemma_messaging.cancellation import end

from . import computing_call

SHORT = 16 * 1024
"""Characters: the worst texts of this length take a third of a second."""
LIMITS = Limits(seconds=30, memory_mb=384, output_mb=64, wall_seconds=60)
AT_ONCE = 2

# One for all calls of this process; it starts with the first long text.
_prepared = Prepared(computing_call.prepare)

T = TypeVar("T")


class Computing:
    """The calls of a gateway, so many at a time; others wait for their turn."""

    def __init__(self, limits: Limits = LIMITS, at_once: int = AT_ONCE) -> None:
        self._limits = limits
        self._turns = asyncio.Semaphore(at_once)

    def called_by(self, request: Request) -> Compute:
        """For one request: what it asked for ends when its caller has left."""

        async def compute(function: Callable[..., T], *given: Any) -> T:
            if _characters(given) <= SHORT:
                return await asyncio.to_thread(function, *given)
            computing = asyncio.create_task(self.compute(function, *given))
            leaving = asyncio.create_task(_left(request))
            try:
                await asyncio.wait([computing, leaving], return_when=asyncio.FIRST_COMPLETED)
                if not computing.done():
                    raise InvalidInputError("the caller has left")
                return computing.result()
            finally:
                await end([computing, leaving])

        return compute

    async def compute(self, function: Callable[..., T], *given: Any) -> T:
        """What the function returns; raises `InvalidInputError` past the limits."""
        if _characters(given) <= SHORT:
            return await asyncio.to_thread(function, *given)
        async with self._turns:
            with TemporaryDirectory(prefix="stemma-texts-") as folder:
                return await self._confined(function, given, Path(folder))

    async def _confined(self, function: Callable[..., T], given: tuple[Any, ...], folder: Path) -> T:
        await asyncio.to_thread(computing_call.order, function, given, folder)
        try:
            await _prepared.run(computing_call.run, folder, self._limits)
        except (ConfinementError, Stalled) as error:
            raise InvalidInputError.of("text_not_computed", "text", reason=str(error)) from error
        found: T = await asyncio.to_thread(computing_call.returned, function, folder)
        return found


def _characters(given: Any) -> int:
    """The characters of the texts among what is given, in lists as well."""
    if isinstance(given, str):
        return len(given)
    return sum(map(_characters, given)) if isinstance(given, tuple | list) else 0


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        """The body, or its end."""
