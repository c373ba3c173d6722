"""Pushed, for short handlers: the server delivers, as many at a time as its consumer may have pending."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.js.api import ConsumerConfig

from .base import Handle, InFlight, Link, LookUp, Stop, any_consumer, drain_subscription, lookups
from .turns import OneByOne, in_turn


class PushLoop:
    """Handles the messages of a push consumer, each in a task of its own, so that none waits without a heartbeat.

    Without ``durables`` it is for all consumers of the stream that deliver where that of ``config`` does.
    """

    def __init__(
        self,
        nats: Client,
        stream: str,
        durables: tuple[str, ...],
        config: ConsumerConfig,
        handle: Callable[[Msg], Coroutine[Any, Any, None]],
    ) -> None:
        self._nats = nats
        self._stream = stream
        self._durables = durables
        self._config = config
        self._handle = handle
        self._in_flight = InFlight()
        self._subscription: Subscription | None = None

    async def start(self) -> None:
        """Subscribe where its consumers deliver, each message to one of those who have their group."""
        where, group = self._config.deliver_subject or "", self._config.deliver_group or ""
        self._subscription = await self._nats.subscribe(where, queue=group, cb=self._receive)

    async def _receive(self, message: Msg) -> None:
        """What another consumer was made to deliver here is none of ours and is left alone."""
        meta = message.metadata
        if meta.stream == self._stream and (not self._durables or meta.consumer in self._durables):
            self._in_flight.begin(self._handle(message))

    async def stop(self, grace_s: float) -> None:
        """Take no more messages; those that were taken may end within ``grace_s`` seconds."""
        if self._subscription is not None:
            await drain_subscription(self._subscription)
        await self._in_flight.drain(grace_s)


@dataclass(frozen=True)
class PushDriver:
    """For short handlers: the server delivers up to each consumer's ``max_ack_pending`` messages at a time.

    Without ``durables`` each tenant has a consumer of its own, also those of tenants that come later; all deliver to
    one subject, and are otherwise alike. With ``turns`` they are taken from tenants in turn.
    """

    stream: str
    durables: tuple[str, ...] = ()
    turns: OneByOne | None = None

    def bound(self) -> Mapping[str, LookUp]:
        """The consumers that deliver to it."""
        return lookups(self.stream, self.durables) if self.durables else any_consumer(self.stream)

    async def begin(self, link: Link, config: ConsumerConfig, handle: Handle) -> Stop:
        """Subscribe once for all of them."""
        worker = PushLoop(link.nats, self.stream, self.durables, config, in_turn(handle, self.turns))
        await worker.start()
        return worker.stop
