"""Outages: which errors are nobody's fault, and what is waited for right now."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

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

LONGEST_PAUSE_S = 30.0
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
    return str(error) or type(error).__name__ if is_outage(error) else ""


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
