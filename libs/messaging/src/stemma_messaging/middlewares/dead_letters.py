"""What nobody can handle is put aside before it is acknowledged, and who waits for it is told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from faststream.message import StreamMessage

from stemma_messaging.dead import publish_dead_letter
from stemma_messaging.held import Held, held_of
from stemma_messaging.outages import Patience
from stemma_messaging.publisher import Publisher
from stemma_messaging.verdict import DeadLetter

from .chain import CallNext


class DeadLetters:
    """Buries a message that was found to be a dead letter; where that cannot be done, it stays unsettled."""

    def __init__(self, service: str, publisher: Callable[[], Publisher], patience: Patience) -> None:
        self._service = service
        self._publisher = publisher
        self._patience = patience

    async def consume_scope(self, call_next: CallNext, msg: StreamMessage[Any]) -> Any:
        """Bury by the verdict of the middlewares within; an outage is waited for."""
        result, held = await call_next(msg), held_of(msg)
        verdict = held.verdict
        if isinstance(verdict, DeadLetter):
            held.hindrance = await self._patience.through(lambda: self._hindrance(held, verdict))
        return result

    async def _hindrance(self, held: Held, verdict: DeadLetter) -> Exception | None:
        try:
            await publish_dead_letter(held.delivery, verdict, held.error, self._service, self._publisher())
        except Exception as hindrance:
            return hindrance
        return None
