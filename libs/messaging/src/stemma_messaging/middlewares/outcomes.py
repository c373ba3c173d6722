"""What the handler of a job returns is stored before the job is acknowledged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from faststream.message import StreamMessage
from stemma_contracts import registry, subjects

from stemma_messaging.held import held_of
from stemma_messaging.publisher import Publisher

from .chain import CallNext


class Outcomes:
    """Publishes outcomes under an id made of the job's message, so that a job that runs twice has one outcome.

    Not by `@router.publisher`: FastStream publishes after its middlewares, when the job would be settled already.
    """

    def __init__(self, service: str, publisher: Callable[[], Publisher]) -> None:
        self._service = service
        self._publisher = publisher

    async def consume_scope(self, call_next: CallNext, msg: StreamMessage[Any]) -> Any:
        """Publish what comes back, if anything does."""
        outcome, envelope = await call_next(msg), held_of(msg).delivery.envelope
        if outcome is not None and envelope is not None:
            await self._publisher().publish(
                subjects.outcome(self._service, registry.entry_of(outcome).token),
                outcome,
                id=f"{envelope.id}.outcome",
                about=envelope.subject,
                causation=envelope.id,
                correlation=envelope.correlation_id,
            )
        return outcome
