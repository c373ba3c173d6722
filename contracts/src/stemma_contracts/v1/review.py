"""How a draft is reviewed, and by whom."""

from enum import StrEnum
from typing import Literal

from pydantic import Field, model_validator

from stemma_contracts.base import Contract, invalid_field


class ReviewMode(StrEnum):
    """Who settles a draft: a person, a score, or nobody (it is approved when its checks pass)."""

    HUMAN = "human"
    AUTO = "auto"
    NONE = "none"


class ReviewPolicy(Contract):
    """How a section is reviewed. ``min_score`` counts under ``auto`` only, the rest under ``human``.

    A version with ``approvals`` of so many people is settled; where one is not enough, the server must know each.
    ``delegate`` is asked to see to it once a version has waited for ``within_hours``.
    """

    mode: ReviewMode = ReviewMode.HUMAN
    min_score: float = Field(default=0.8, ge=0, le=1, description="weighted score, 0 to 1")
    approvals: int = Field(default=1, ge=1, le=5, description="people who have to approve a version")
    within_hours: int | None = Field(default=None, ge=1, le=8760, description="a version may wait")
    delegate: str = Field(default="", pattern=r"^[A-Za-z0-9_.@-]{0,64}$", description="a person")

    @model_validator(mode="after")
    def _is_of_people(self) -> "ReviewPolicy":
        if self.mode is not ReviewMode.HUMAN and self.approvals > 1:
            raise invalid_field("several people approve only what people review", "approvals")
        if (self.within_hours is None) == bool(self.delegate):
            raise invalid_field("a time and a delegate go together", "delegate")
        return self


ReviewEdits = Literal["human", "none"]
"""Whether a person accepts what the editor agent made of a settled section before it counts."""
