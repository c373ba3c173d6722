"""Outages: which errors are one, waiting through them, and what a service misses, as a metric."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import TypeVar

from nats.errors import (
    ConnectionClosedError,
    ConnectionReconnectingError,
    NoRespondersError,
    OutboundBufferLimitError,
    StaleConnectionError,
)
from nats.errors import Error as NatsError
from nats.errors import TimeoutError as NatsTimeoutError
from nats.js.errors import APIError, NoStreamResponseError
from stemma_telemetry import get_logger, names
from stemma_telemetry.metrics import Gauges

from .errors import ForAnotherWorker

E = TypeVar("E", bound=BaseException)
LONGEST_PAUSE_S = 10.0
FIRST_PAUSE = 0.1
"""Of the pause before a message is tried again: three servers have a new leader within seconds."""
UNAVAILABLE = 503
NO_ROOM = frozenset({10023, 10028, 10047, 10077})
"""What the server says when it has no room: for the account, the store, or in a stream that refuses new messages."""
_AWAY = (
    NatsTimeoutError,
    NoRespondersError,
    NoStreamResponseError,
    ConnectionClosedError,
    ConnectionReconnectingError,
    StaleConnectionError,
    OutboundBufferLimitError,
)


def is_outage(error: BaseException | None) -> bool:
    """Whether a store does not answer or takes no more; the message that needs it is as good as ever."""
    if isinstance(error, APIError):
        return error.code == UNAVAILABLE or error.err_code in NO_ROOM
    return isinstance(error, _AWAY) or bool(getattr(error, "is_outage", False))


def reason_of(error: BaseException | None) -> str:
    """What the server or a store said, which holds nothing of a document; empty for errors of other kinds."""
    if isinstance(error, APIError):
        return f"{error.description or type(error).__name__} ({error.err_code or error.code})"
    if isinstance(error, NatsError):
        return str(error) or type(error).__name__
    may_be_told = isinstance(error, ForAnotherWorker) or is_outage(error)
    return str(error) or type(error).__name__ if may_be_told else ""


class Outages:
    """What the messages under way wait for."""

    def __init__(self) -> None:
        self._waiting: dict[object, str] = {}

    def told(self) -> list[str]:
        """The reasons, each once."""
        return sorted(set(self._waiting.values()))

    @contextmanager
    def waiting(self, reason: str) -> Iterator[None]:
        """Wait for the end of an outage in this block."""
        mark = object()
        self._waiting[mark] = reason
        try:
            yield
        finally:
            del self._waiting[mark]


@dataclass(frozen=True)
class Patience:
    """Waits through outages, with pauses that grow from a tenth of ``retry_base_s`` seconds."""

    retry_base_s: float
    outages: Outages = field(default_factory=Outages)

    async def through(self, work: Callable[[], Awaitable[E | None]]) -> E | asyncio.CancelledError | None:
        """Do it, again and again while a store is away: the message is kept, so that no delivery is used up by it.

        A shutdown gives it back; where its connection is closed already, the server delivers the message again.
        """
        for number in count():
            error = await work()
            if error is None or not is_outage(error) or isinstance(error, ConnectionClosedError):
                return error
            pause = min(LONGEST_PAUSE_S, self.retry_base_s * FIRST_PAUSE * 2 ** min(number, 20))
            get_logger().warning(names.Log.OUTAGE, reason=reason_of(error), seconds=pause, error=error)
            try:
                with self.outages.waiting(reason_of(error)):
                    await asyncio.sleep(pause)
            except asyncio.CancelledError as cancelled:
                return cancelled
        raise AssertionError("counting never ends")


SERVER, CONSUMER, WRITING = "server", "consumer", "writing"
"""What may be missing."""
_GAUGES = Gauges(names.Metric.MISSING)


def measure(*, away: bool, consumers: int = 0, writing: int = 0) -> None:
    """How many of each are missing. While the server is away, nobody knows what else is."""
    counts = {SERVER: int(away), CONSUMER: 0 if away else consumers, WRITING: 0 if away else writing}
    _GAUGES.see(names.Metric.MISSING, [(count, {names.Attr.MISSING: what}) for what, count in counts.items()])
