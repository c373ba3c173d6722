"""Counting what model calls cost."""

from __future__ import annotations

from langchain_core.messages import AIMessage
from stemma_contracts.v1.usage import Usage


class Meter:
    """Adds up what one job spends, also when a call fails in the end."""

    def __init__(self, parent: Meter | None = None) -> None:
        self._calls = self._input_tokens = self._output_tokens = 0
        self._cost = 0.0
        self._parent = parent

    @property
    def total(self) -> Usage:
        """What was spent so far. It is made when it is asked for: three meters count each call."""
        return Usage(
            calls=self._calls, input_tokens=self._input_tokens, output_tokens=self._output_tokens, cost=self._cost
        )

    def count(self, usage: Usage) -> None:
        """Add a usage here and in every meter that this one is part of."""
        self._calls += usage.calls
        self._input_tokens += usage.input_tokens
        self._output_tokens += usage.output_tokens
        self._cost += usage.cost
        if self._parent is not None:
            self._parent.count(usage)


def usage_of(message: AIMessage) -> Usage:
    """What an answer cost, by the tokens and the price that its model states; the call itself is not counted."""
    tokens = message.usage_metadata
    sent, received = (tokens["input_tokens"], tokens["output_tokens"]) if tokens else (0, 0)
    cost = float(message.response_metadata.get("response_cost") or 0.0)
    return Usage(input_tokens=sent, output_tokens=received, cost=cost)
