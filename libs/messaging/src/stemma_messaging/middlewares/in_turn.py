"""A handler begins when it is its message's turn; meanwhile the message is held, with signs of life."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from faststream import BaseMiddleware
from faststream.message import StreamMessage

from stemma_messaging.held import held_of


class InTurn(BaseMiddleware[Any, Any]):
    """Waits for the turn that a driver has given a message, if it has."""

    async def consume_scope(self, call_next: Callable[[Any], Awaitable[Any]], msg: StreamMessage[Any]) -> Any:
        """Begin at once where no turns are given."""
        held = held_of(msg)
        if held.turn is None:
            return await call_next(msg)
        async with held.turn(held.delivery):
            return await call_next(msg)
