"""What models and programs find of a draft: scores are judgements, checks are none."""

from pydantic import Field

from stemma_contracts.base import Contract
from stemma_contracts.tokens import Token

from .coded import Coded
from .references import ArtifactRef

COMPLETE = "complete"
"""The check that fails for a text in which something is missing; a person looks at it whatever the policy says."""


class ProgramCheck(Coded):
    """Something about a draft that code can see: whether it holds, and by how much; never words of the draft."""

    check: Token = Field(description="what was looked at, for example required_headings")
    passed: bool
    detail: str = Field(default="", max_length=300, description="counts and names of files or headings")


class Evaluation(Contract):
    """Scores of a draft by criterion (0 to 1), the weighted score, and whether it passed.

    ``passed`` is computed in code from the weighted score and the critical failures. The feedback in
    words lies in the artifact ``feedback``: `EvaluationResult` as JSON. Where no model judged the draft
    (``judged`` is false) ``scores`` is empty, and ``passed`` (false) and ``score`` (0) mean nothing.
    """

    scores: dict[str, float]
    score: float = Field(ge=0, le=1)
    passed: bool
    critical_failures: tuple[str, ...] = ()
    feedback: ArtifactRef | None = None
    judged: bool = Field(default=True, description="whether a model scored the draft")
    checks: tuple[ProgramCheck, ...] = Field(default=(), description="what code found, beside any judgement")
    failed_criteria: tuple[str, ...] = Field(default=(), description="criteria that are scored below their thresholds")
    not_judged_reason: str = Field(
        default="", max_length=300, description="why the model that was asked gave no scores"
    )


class EvaluationResult(Contract):
    """The body of a feedback artifact: scores by criterion, feedback in words, and the verdict."""

    scores: dict[str, float]
    feedback: str
    passed: bool
