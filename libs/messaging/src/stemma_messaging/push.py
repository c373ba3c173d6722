"""Push subscriptions for short handlers, through FastStream."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from faststream import AckPolicy, BaseMiddleware, ContextRepo
from faststream.message import StreamMessage
from faststream.nats import JStream, NatsBroker, NatsMessage
from faststream.security import SASLPlaintext
from nats.aio.msg import Msg

from .delivery import Delivery
from .handling import Handler, Handling


@dataclass(frozen=True)
class Binding:
    """One provisioned push consumer; ``workers`` is its ``max_ack_pending``.

    With as many workers as messages can be under way, none waits in this process without a heartbeat.
    """

    stream: str
    durable: str
    subject: str
    workers: int
    handling: Handling
    handler: Handler


class Settlement(BaseMiddleware[Any, Any]):
    """Handles every message as `Handling` says; nothing of the framework's own acknowledgement is left."""

    def __init__(self, message: Msg, /, *, context: ContextRepo, bindings: dict[tuple[str, str], Binding]) -> None:
        super().__init__(message, context=context)
        self._bindings = bindings

    async def consume_scope(
        self, call_next: Callable[[StreamMessage[Any]], Awaitable[Any]], msg: StreamMessage[Any]
    ) -> None:
        """Wrap the handler. What another consumer was made to deliver here is none of ours and is left alone."""
        raw: Msg = msg.raw_message
        binding = self._bindings.get((raw.metadata.stream, raw.metadata.consumer))
        if binding is None:
            return

        async def handler(_: Delivery) -> None:
            await call_next(msg)

        await binding.handling.handle(raw, handler)


class PushSubscriptions:
    """The push subscriptions of one service; they have a connection of their own."""

    def __init__(self, options: dict[str, Any], grace_s: float) -> None:
        self._bindings: dict[tuple[str, str], Binding] = {}
        user, password = options.pop("user", None), options.pop("password", None)
        self._broker = NatsBroker(
            **options,
            security=SASLPlaintext(user, password) if user else None,
            middlewares=[self._middleware],
            graceful_timeout=grace_s,
            apply_types=False,
            logger=None,
        )

    def _middleware(self, message: Any, /, *, context: ContextRepo) -> Settlement:
        return Settlement(message, context=context, bindings=self._bindings)

    async def start(self, binding: Binding) -> None:
        """Subscribe to a consumer, connecting first if need be; replies that a message asks for are never sent."""
        self._bindings[binding.stream, binding.durable] = binding
        await self._broker.connect()
        subscriber = self._broker.subscriber(
            binding.subject,
            queue=binding.durable,
            stream=JStream(binding.stream, declare=False),
            ack_policy=AckPolicy.MANUAL,
            max_workers=binding.workers,
            decoder=_as_delivery,
            no_reply=True,
        )

        async def receive(delivery: Delivery) -> None:
            """A plain function of one argument: the framework counts those of a partial wrongly."""
            await binding.handler(delivery)

        subscriber(receive)
        await subscriber.start()

    async def stop(self) -> None:
        """Take no more messages, let handlers end within the grace period, close the connection."""
        await self._broker.stop()


async def _as_delivery(message: NatsMessage) -> Delivery:
    return Delivery.of(message.raw_message)
