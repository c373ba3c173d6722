"""What model calls cost."""

from __future__ import annotations

from pydantic import Field

from stemma_contracts.base import Contract

MONTH_PATTERN = r"^[0-9]{4,}-[0-9]{2}$"


class Usage(Contract):
    """What model calls cost; tokens as the provider counted them, ``cost`` in US dollars."""

    calls: int = Field(default=0, ge=0, description="calls made for it, each counted once however often its job ran")
    input_tokens: int = Field(default=0, ge=0)
    cached_tokens: int = Field(default=0, ge=0, description="of those that went in, the ones of a provider's cache")
    output_tokens: int = Field(default=0, ge=0)
    cost: float = Field(default=0.0, ge=0)

    @property
    def tokens(self) -> int:
        """Those that went in and those that came out."""
        return self.input_tokens + self.output_tokens

    def plus(self, more: Usage) -> Usage:
        """Both together. Whoever adds up a log in its order gets the same cost to the last bit."""
        return Usage(
            calls=self.calls + more.calls,
            input_tokens=self.input_tokens + more.input_tokens,
            cached_tokens=self.cached_tokens + more.cached_tokens,
            output_tokens=self.output_tokens + more.output_tokens,
            cost=self.cost + more.cost,
        )


class MonthUsage(Contract):
    """What model calls cost in a month (UTC), by the times of the events that tell it."""

    month: str = Field(pattern=MONTH_PATTERN, description="such as 2026-11")
    usage: Usage
