"""What a driver is: it brings the messages of provisioned consumers of one stream to whoever handles them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.errors import Error as NatsError
from nats.js import JetStreamContext
from nats.js.api import ConsumerConfig, ConsumerInfo
from nats.js.errors import NotFoundError

from stemma_messaging.cancellation import end
from stemma_messaging.held import Turn

API_TIMEOUT_S = 10.0
LookUp = Callable[[JetStreamContext], Awaitable[ConsumerInfo]]
Stop = Callable[[float], Awaitable[None]]


class Handle(Protocol):
    """Handles a message and settles it, in its turn where it has to wait for one."""

    def __call__(self, message: Msg, turn: Turn | None = None) -> Coroutine[Any, Any, None]:
        """Raises `asyncio.CancelledError` alone."""


@dataclass(frozen=True)
class Link:
    """The connection, and how a driver says that it cannot go on."""

    nats: Client
    fail: Callable[[str], None]

    def loop(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run a loop; the process must end where it ends by itself."""
        task = asyncio.create_task(work)
        task.add_done_callback(self._on_end)
        return task

    def _on_end(self, loop: asyncio.Task[None]) -> None:
        if not loop.cancelled():
            self.fail(f"a pull loop ended: {type(loop.exception()).__name__}")


class Driver(Protocol):
    """Binds to consumers that were provisioned, and never makes one."""

    @property
    def stream(self) -> str:
        """The stream whose subscribers it feeds."""

    def bound(self) -> Mapping[str, LookUp]:
        """What must be there, by name, and how it is looked up; the consumers are otherwise alike."""

    async def begin(self, link: Link, config: ConsumerConfig, handle: Handle) -> Stop:
        """Take messages from now on; what it gives back takes no more of them and lets work under way end."""


def lookups(stream: str, durables: tuple[str, ...]) -> Mapping[str, LookUp]:
    """These consumers, by the names that operators read."""
    return {f"{stream}/{durable}": partial(_consumer, stream, durable) for durable in durables}


def any_consumer(stream: str) -> Mapping[str, LookUp]:
    """Whichever consumer a stream has."""
    return {stream: partial(_one_consumer, stream)}


async def _consumer(stream: str, durable: str, jetstream: JetStreamContext) -> ConsumerInfo:
    info: ConsumerInfo = await jetstream.consumer_info(stream, durable)
    return info


async def _one_consumer(stream: str, jetstream: JetStreamContext) -> ConsumerInfo:
    for info in await jetstream.consumers_info(stream):
        return info
    raise NotFoundError(description=f"{stream} has no consumer")


DRAIN_TIMEOUT_S = 2.0


async def drain_subscription(subscription: Subscription) -> None:
    """Receive nothing more but what the server has sent already."""
    with suppress(NatsError, TimeoutError):
        async with asyncio.timeout(DRAIN_TIMEOUT_S):
            await subscription.drain()  # type: ignore[no-untyped-call]


class InFlight:
    """Work that was begun and has not ended."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def begin(self, work: Coroutine[Any, Any, None], ended: Callable[[], object] | None = None) -> None:
        """Begin work; ``ended`` is called at its end, however it ends."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        if ended is not None:
            task.add_done_callback(lambda _: ended())

    async def drain(self, grace_s: float) -> None:
        """Let work end within ``grace_s`` seconds; what does not is cancelled, which gives it back."""
        if not self._tasks:
            return
        _, late = await asyncio.wait(self._tasks, timeout=grace_s)
        await end(late)
