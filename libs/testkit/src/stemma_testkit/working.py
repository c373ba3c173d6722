"""Services as tasks of a test."""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager
from typing import Any

from stemma_messaging.cancellation import end
from stemma_messaging.same_kind import SameKind
from stemma_provisioning import NatsServer


async def _told_of_no_kind(_: str) -> str | None:
    return None


ANY_KIND = SameKind({}, _told_of_no_kind)
"""That of a worker whose jobs name no data of their document kind."""


def access(server: NatsServer, user: str) -> dict[str, Any]:
    return {"nats_url": server.url, "nats_user": user, "nats_password": server.passwords[user]}


@asynccontextmanager
async def at_work(*services: Coroutine[Any, Any, None]) -> AsyncIterator[Sequence[asyncio.Task[None]]]:
    """Services that run in the block, each given as what its ``run`` returns; none may end before the block does."""
    tasks = [asyncio.create_task(service) for service in services]
    try:
        yield tasks
        assert_at_work(tasks)
    finally:
        await end(tasks)


def assert_at_work(tasks: Sequence[asyncio.Task[None]]) -> None:
    ended = [task.exception() for task in tasks if task.done()]
    assert not ended, ended
