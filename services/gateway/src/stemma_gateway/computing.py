"""Work on the texts of callers, which ends when its caller has left."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar

from starlette.requests import Request
from stemma_client.computing import Compute
from stemma_client.errors import InvalidInputError
from stemma_confinement import ConfinementError, Limits, Prepared, Stalled
from stemma_confinement import computing as confined
from stemma_messaging.cancellation import end

_MODULES = (
    "stemma_client.differences",
    "stemma_client.single_changes",
    "stemma_gateway.texts",
    "stemma_markdown",
)


def prepare() -> None:
    """Import what calls need."""
    for name in _MODULES:
        import_module(name)
    # The first sentences take longer than all others.
    import_module("stemma_client.differences").differences("A word. Another.", "A word. Other.")


# One for all calls of this process; it starts with the first long text.
_prepared = Prepared(prepare)

T = TypeVar("T")


class Computing:
    """The calls of a gateway."""

    def __init__(self, limits: Limits = confined.LIMITS, at_once: int = confined.AT_ONCE) -> None:
        self._calls = confined.Computing(_prepared, limits, at_once)

    def called_by(self, request: Request) -> Compute:
        """For one request: what it asked for ends when its caller has left."""

        async def compute(function: Callable[..., T], *given: Any) -> T:
            if confined.is_short(given):
                return await self.compute(function, *given)
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
        try:
            return await self._calls.compute(function, *given)
        except (ConfinementError, Stalled) as error:
            raise InvalidInputError.of("text_not_computed", "text", reason=str(error)) from error


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        """The body, or its end."""
