"""What model calls cost."""

from __future__ import annotations

from pydantic import Field

from stemma_contracts.base import Contract


class Usage(Contract):
    """What model calls cost; tokens as the provider counted them, ``cost`` in US dollars."""

    calls: int = Field(default=0, ge=0, description="calls made for it, each counted once however often its job ran")
    input_tokens: int = Field(default=0, ge=0)
    output_tokens: int = Field(default=0, ge=0)
    cost: float = Field(default=0.0, ge=0)
