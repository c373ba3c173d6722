"""Compacting, for read models, which need the latest message of each key only."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.js import JetStreamContext
from nats.js.api import ConsumerConfig
from stemma_telemetry import get_logger, names

from stemma_messaging.cancellation import end, is_cancelled
from stemma_messaging.outages import reason_of

from .base import API_TIMEOUT_S, Handle, Link, LookUp, Stop, lookups
from .turns import Turns, in_turn

PULL_TIMEOUT_S = 3.0
"""How long a fetch waits; after a restart of the server this bounds how long the lost one is waited for."""
PAUSE_S = 1.0
BATCH = 256
COLLECT_S = 0.02
"""How long messages are collected that come together."""
RESTS = 9.0
"""How many times as long as a round took the rest after it is at least: read models have a tenth of the time."""
MOST_REST_S = 1.0


class CompactingLoop:
    """Handles, of the messages that wait, the last of each key; those before it are acknowledged with it.

    A round is what comes within ``collect_s`` seconds, at most ``batch`` messages. After each it rests for
    ``rest_s`` seconds or longer, in which more messages of one key gather.
    """

    def __init__(
        self,
        jetstream: JetStreamContext,
        stream: str,
        durable: str,
        key: Callable[[Msg], Hashable],
        rest_s: float,
        handle: Callable[[Msg], Awaitable[None]],
        *,
        batch: int = BATCH,
        collect_s: float = COLLECT_S,
    ) -> None:
        self._js = jetstream
        self._stream = stream
        self._durable = durable
        self._key = key
        self._rest_s = rest_s
        self._handle = handle
        self._batch = batch
        self._collect_s = collect_s

    async def run(self) -> None:
        """Fetch and handle until cancelled."""
        subscription = await self._js.pull_subscribe_bind(self._durable, stream=self._stream)
        try:
            while not is_cancelled():
                if messages := await self._waiting(subscription):
                    began = asyncio.get_running_loop().time()
                    await self._round(messages)
                    await asyncio.sleep(rest_after(asyncio.get_running_loop().time() - began, self._rest_s))
        finally:
            with suppress(NatsError):
                await subscription.unsubscribe()

    async def _waiting(self, subscription: JetStreamContext.PullSubscription) -> list[Msg]:
        first = await _fetched(subscription, 1, PULL_TIMEOUT_S, self._stream, self._durable)
        if not first:
            return []
        return first + await _fetched(subscription, self._batch - 1, self._collect_s, self._stream, self._durable)

    async def _round(self, messages: list[Msg]) -> None:
        in_order = sorted(messages, key=lambda message: message.metadata.sequence.stream)  # some may come again
        latest = {self._key(message): message for message in in_order}
        await asyncio.gather(*(self._handle(message) for message in latest.values()))
        for message in messages:
            if latest[self._key(message)] is not message:
                await message.ack()


def rest_after(took_s: float, rest_s: float) -> float:
    """How long to rest after a round: the more there is to do, the longer, so that more is written at once."""
    return max(rest_s, min(MOST_REST_S, RESTS * took_s))


async def _fetched(
    subscription: JetStreamContext.PullSubscription, most: int, timeout_s: float, stream: str, durable: str
) -> list[Msg]:
    try:
        return await subscription.fetch(most, timeout=timeout_s)
    except TimeoutError:  # of nats-py, or the bare one that it lets through under load
        return []
    except NatsError as error:
        reason = reason_of(error)
        get_logger().warning(names.Log.PULL_FAILED, stream=stream, consumer=durable, error=error, reason=reason)
        await asyncio.sleep(PAUSE_S)
        return []


@dataclass(frozen=True)
class CompactingDriver:
    """For read models: of the messages that wait, the last of each ``key`` of a subject; it stands for the others.

    Rounds are ``rest_s`` seconds apart. With ``turns`` they are taken from tenants in turn.
    """

    stream: str
    durable: str
    key: Callable[[str], Hashable]
    rest_s: float
    turns: Turns | None = None

    def bound(self) -> Mapping[str, LookUp]:
        """The consumer that it pulls from."""
        return lookups(self.stream, (self.durable,))

    async def begin(self, link: Link, config: ConsumerConfig, handle: Handle) -> Stop:
        """Pull in a loop; a round under way is given back at the end."""
        jetstream = link.nats.jetstream(timeout=API_TIMEOUT_S)
        handle_in_turn, rest_s = in_turn(handle, self.turns), self.rest_s
        worker = CompactingLoop(jetstream, self.stream, self.durable, self._key, rest_s, handle_in_turn)
        loop = link.loop(worker.run())

        async def stop(grace_s: float) -> None:
            await end([loop])

        return stop

    def _key(self, message: Msg) -> Hashable:
        return self.key(message.subject)
