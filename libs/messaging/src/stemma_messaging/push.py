"""The push worker, for short handlers: the server delivers, as many at a time as its consumer may have pending."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from nats.aio.msg import Msg
from nats.js import JetStreamContext
from nats.js.api import ConsumerConfig
from stemma_contracts import subjects

from .under_way import UnderWay, drain_subscription


class PushWorker:
    """Handles the messages of a push consumer, each in a task of its own, so that none waits without a heartbeat.

    Without ``durables`` it is for all consumers of the stream that deliver where that of ``config`` does.
    """

    def __init__(
        self,
        jetstream: JetStreamContext,
        stream: str,
        durables: tuple[str, ...],
        config: ConsumerConfig,
        handle: Callable[[Msg], Coroutine[Any, Any, None]],
    ) -> None:
        self._js = jetstream
        self._stream = stream
        self._durables = durables
        self._config = config
        self._handle = handle
        self._under_way = UnderWay()
        self._subscription: JetStreamContext.PushSubscription | None = None

    async def start(self) -> None:
        """Subscribe to what the consumer delivers."""
        self._subscription = await self._js.subscribe_bind(
            self._stream, self._config, next(iter(self._durables), subjects.ANY), cb=self._receive, manual_ack=True
        )

    async def _receive(self, message: Msg) -> None:
        """What another consumer was made to deliver here is none of ours and is left alone."""
        meta = message.metadata
        if meta.stream == self._stream and (not self._durables or meta.consumer in self._durables):
            self._under_way.begin(self._handle(message))

    async def stop(self, grace_s: float) -> None:
        """Take no more messages; those that were taken may end within ``grace_s`` seconds."""
        if self._subscription is not None:
            await drain_subscription(self._subscription)
        await self._under_way.drain(grace_s)
