"""Work on the texts of callers, which ends when its caller has left."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from starlette.requests import Request
from stemma_client.computing import Compute
from stemma_client.errors import BusyError, InvalidInputError
from stemma_confinement import ConfinementError, Limits, Prepared, Stalled
from stemma_confinement import computing as confined
from stemma_messaging import Turns
from stemma_messaging.cancellation import end

from .limits import Owner, Shares
from .problems import Limited
from .texts import prepare

# One for all calls of this process; it starts with the first long text.
_prepared = Prepared(prepare)

LONG_AT_ONCE, SHORT_AT_ONCE = 3, 8
"""Calls; each of a long text takes up to 384 MB."""

T = TypeVar("T")


class Computing:
    """The calls of a gateway. Tenants take turns, and so do the people of each, who have one at a time.

    ``texts`` are the characters of all long texts that are worked on or wait. Short texts do not wait for long ones.
    """

    def __init__(self, texts: Shares, limits: Limits = confined.LIMITS) -> None:
        self._texts = texts
        self._limits = limits
        self._long, self._short = _Turns(LONG_AT_ONCE), _Turns(SHORT_AT_ONCE)

    def called_by(self, request: Request, owner: Owner) -> Compute:
        """For one request: what it asked for ends when its caller has left."""

        async def compute(function: Callable[..., T], *given: Any) -> T:
            if confined.is_short(given):
                async with self._short.turn(owner):
                    return await asyncio.to_thread(function, *given)
            computing = asyncio.create_task(self._compute(owner, function, *given))
            leaving = asyncio.create_task(_left(request))
            try:
                await asyncio.wait([computing, leaving], return_when=asyncio.FIRST_COMPLETED)
                if not computing.done():
                    raise InvalidInputError("the caller has left")
                return computing.result()
            finally:
                await end([computing, leaving])

        return compute

    async def _compute(self, owner: Owner, function: Callable[..., T], *given: Any) -> T:
        try:
            with self._texts.more(owner, confined.characters(given)):
                async with self._long.turn(owner):
                    return await confined.confined(_prepared, self._limits, function, *given)
        except Limited as error:
            raise BusyError.of(error.problem.code, "text", **error.problem.params) from error
        except Stalled as error:
            raise BusyError.of("text_not_computed_now", "text") from error
        except ConfinementError as error:
            raise InvalidInputError.of("text_not_computed", "text", reason=str(error)) from error


class _Turns:
    def __init__(self, at_once: int) -> None:
        self._of_tenants = Turns(at_once, at_once - 1)
        self._of_people = defaultdict[str, Turns](lambda: Turns(at_once - 1, 1))

    @asynccontextmanager
    async def turn(self, owner: Owner) -> AsyncIterator[None]:
        async with self._of_people[owner.tenant].turn(owner.user), self._of_tenants.turn(owner.tenant):
            yield


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        """The body, or its end."""
