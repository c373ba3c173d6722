"""A handler begins when it is its message's turn; meanwhile the message is held, with signs of life."""

from __future__ import annotations

from typing import Any

from faststream.message import StreamMessage

from stemma_messaging.held import held_of

from .chain import CallNext


class InTurn:
    """Waits for the turn that a driver has given a message, if it has."""

    async def consume_scope(self, call_next: CallNext, msg: StreamMessage[Any]) -> Any:
        """Begin at once where no turns are given."""
        held = held_of(msg)
        if held.turn is None:
            return await call_next(msg)
        async with held.turn(held.delivery):
            return await call_next(msg)
