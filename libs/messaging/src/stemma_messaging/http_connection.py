"""HTTP connections of clients that may mean no good: who keeps us waiting is let go, and makes room for others.

The server library closes a connection only that is idle between two requests. One that never asks, or never takes its
answer, would be kept for ever.
"""

from __future__ import annotations

import asyncio
import socket
from dataclasses import dataclass
from typing import Any

import h11
from stemma_telemetry import get_logger
from uvicorn.protocols.http.h11_impl import H11Protocol

TCP_USER_TIMEOUT = getattr(socket, "TCP_USER_TIMEOUT", None)
"""The system gives up a client that takes nothing of what it was sent; some systems cannot."""


@dataclass(frozen=True)
class Patience:
    """Seconds within which a client sends the head of a request, and takes what it is sent.

    Of more than ``connections``, the one is let go that has been asking for the longest time.
    """

    asks_within_s: float = 20.0
    takes_within_s: float = 60.0
    connections: int = 2000


class HttpConnection(H11Protocol):
    """A connection; ``asking`` are those, in the order of their age, from which a request is still to come."""

    def __init__(self, patience: Patience, asking: dict[HttpConnection, None], **options: Any) -> None:
        super().__init__(**options)
        self._patience = patience
        self._asking = asking
        self._until_asked: asyncio.TimerHandle | None = None
        self._until_taken: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody connects."""
        super().connection_made(transport)
        transport.set_write_buffer_limits(high=0)
        if TCP_USER_TIMEOUT is not None:
            milliseconds = int(self._patience.takes_within_s * 1000)
            transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, TCP_USER_TIMEOUT, milliseconds)
        self._watch()
        if len(self.connections) > self._patience.connections and self._asking:
            next(iter(self._asking))._let_go("others come")

    def data_received(self, data: bytes) -> None:
        """Something of a request comes; that it comes byte by byte gives it no more time."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """A request is answered; the rest of it, or the next one, is to come."""
        super().on_response_complete()
        self._watch()

    def pause_writing(self) -> None:
        """The client does not take what it is sent."""
        super().pause_writing()
        self._until_taken = self.loop.call_later(self._patience.takes_within_s, self._let_go, "it takes nothing")

    def resume_writing(self) -> None:
        """The client took it."""
        super().resume_writing()
        _cancel(self._until_taken)

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection is over."""
        super().connection_lost(exc)
        _cancel(self._until_taken)
        self._stop_waiting()

    def _watch(self) -> None:
        is_answered = self.cycle is None or self.cycle.response_complete
        if not is_answered or self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._stop_waiting()
        elif self._until_asked is None:
            self._until_asked = self.loop.call_later(self._patience.asks_within_s, self._let_go, "it asks nothing")
            self._asking[self] = None

    def _stop_waiting(self) -> None:
        _cancel(self._until_asked)
        self._until_asked = None
        self._asking.pop(self, None)

    def _let_go(self, why: str) -> None:
        self._stop_waiting()
        get_logger().info("connection_let_go", reason=why)
        self.transport.abort()


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
