"""Reading where several servers have a stream: one that answers may not have yet what another has acknowledged."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from nats.js.api import RawStreamMsg
from nats.js.errors import NotFoundError

PAUSES_S = (0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32)
"""A server that is behind for longer answers no direct gets: it is catching up."""


async def get_stored(read: Callable[[], Awaitable[RawStreamMsg]]) -> RawStreamMsg | None:
    """What is read of something that was stored before anybody could ask for it; `None` if it is not there."""
    for pause in PAUSES_S:
        try:
            return await read()
        except NotFoundError:
            await asyncio.sleep(pause)
    return None
