"""What the model calls of a document cost so far."""

from __future__ import annotations

from stemma_contracts.v1 import events as e
from stemma_contracts.v1.usage import Usage

NOTHING = Usage()


def with_usage(so_far: Usage, event: e.AnyEvent) -> Usage:
    """The usage after an event, which may tell that of a job."""
    return so_far.plus(event.usage) if isinstance(event, e.PaidEvent) and event.usage != NOTHING else so_far


def with_usage_before(event: e.AnyEvent, so_far: Usage) -> e.AnyEvent:
    """An event that adds to the usage with what it was before: whoever sees this event alone knows both."""
    if not isinstance(event, e.PaidEvent) or event.usage == NOTHING:
        return event
    return event.model_copy(update={"usage_before": so_far})
