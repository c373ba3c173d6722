"""What every value that a model fills in is made of, and what it fills in for an evaluation."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationInfo, field_validator

Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300)]
Prose = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Text = Annotated[str, StringConstraints(strip_whitespace=True)]
# The largest number that is taken: up to here a float has its cents, and no sum of such numbers is too long to be told.
LARGEST = 10**13
Score = Annotated[float, Field(ge=0, le=1)]


class Filled(BaseModel):
    """A value that a model fills in; fields that it makes up are malformed."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Evaluation(Filled):
    """Scores by criterion and feedback; the verdict is computed in code."""

    scores: dict[str, Score] = Field(description="one score from 0 to 1 for each criterion, by its id")
    feedback: Prose = Field(description="two to four sentences: what to improve first, and how")

    @field_validator("scores")
    @classmethod
    def _every_criterion(cls, scores: dict[str, float], info: ValidationInfo) -> dict[str, float]:
        """Exactly the criteria of the section kind, which come as the validation context."""
        expected = set((info.context or {}).get("criteria", scores))
        missing, unknown = sorted(expected - set(scores)), sorted(set(scores) - expected)
        if missing or unknown:
            raise ValueError(f"missing criteria: {missing}; unknown criteria: {unknown}")
        return scores
