"""What the model calls of a document cost so far."""

from __future__ import annotations

from stemma_contracts.v1 import events as e
from stemma_contracts.v1.usage import Usage


def with_usage(so_far: Usage, event: e.AnyEvent) -> Usage:
    """The usage after an event, which may tell that of a job."""
    usage = getattr(event, "usage", None)
    if not isinstance(usage, Usage) or usage == Usage():
        return so_far
    return Usage(
        calls=so_far.calls + usage.calls,
        input_tokens=so_far.input_tokens + usage.input_tokens,
        output_tokens=so_far.output_tokens + usage.output_tokens,
        cost=so_far.cost + usage.cost,
    )
