"""How a draft is reviewed, and by whom."""

from enum import StrEnum
from typing import Literal

from pydantic import Field

from stemma_contracts.base import Contract


class ReviewMode(StrEnum):
    """Who settles a draft: a person, a score, or nobody (it is approved when its checks pass)."""

    HUMAN = "human"
    AUTO = "auto"
    NONE = "none"


class ReviewPolicy(Contract):
    """How a section is reviewed. ``min_score`` counts under ``auto`` only."""

    mode: ReviewMode = ReviewMode.HUMAN
    min_score: float = Field(default=0.8, ge=0, le=1, description="weighted score, 0 to 1")


ReviewEdits = Literal["human", "none"]
"""Whether a person accepts what the editor agent made of a settled section before it counts."""
