"""Whether the bus can be reached, asked without a user: a NATS server speaks first."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from urllib.parse import urlsplit

from stemma_contracts.servers import servers_in
from stemma_messaging.outages import measure

REACHED_WITHIN_S = 2.0
DEFAULT_PORT = 4222


def missing(url: str) -> Callable[[], Awaitable[list[str]]]:
    """Asks the servers of an address, and tells what is missing: nothing, or the bus."""

    async def ask() -> list[str]:
        away = not any(await asyncio.gather(*map(_answers, servers_in(url))))
        measure(away=away)
        return ["no NATS server can be reached"] if away else []

    return ask


async def observed(missing: Callable[[], Awaitable[list[str]]], every_s: float) -> None:
    """Measure whether the bus can be reached, every so many seconds, until cancelled."""
    while True:
        await missing()
        await asyncio.sleep(every_s)


async def _answers(server: str) -> bool:
    address = urlsplit(server if "://" in server else f"nats://{server}")
    with suppress(OSError, TimeoutError):
        async with asyncio.timeout(REACHED_WITHIN_S):
            _, writer = await asyncio.open_connection(address.hostname, address.port or DEFAULT_PORT)
            writer.close()
            return True
    return False
