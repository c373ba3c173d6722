"""Whether the bus can be reached, asked without a user: a NATS server speaks first."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from urllib.parse import urlsplit

from stemma_contracts.servers import servers_in

REACHED_WITHIN_S = 2.0
DEFAULT_PORT = 4222


def missing(url: str) -> Callable[[], Awaitable[list[str]]]:
    """Asks the servers of an address, and tells what is missing: nothing, or the bus."""

    async def ask() -> list[str]:
        answers = await asyncio.gather(*map(_answers, servers_in(url)))
        return [] if any(answers) else ["no NATS server can be reached"]

    return ask


async def _answers(server: str) -> bool:
    address = urlsplit(server if "://" in server else f"nats://{server}")
    with suppress(OSError, TimeoutError):
        async with asyncio.timeout(REACHED_WITHIN_S):
            _, writer = await asyncio.open_connection(address.hostname, address.port or DEFAULT_PORT)
            writer.close()
            return True
    return False
