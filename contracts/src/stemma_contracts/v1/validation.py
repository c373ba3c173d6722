"""What the validator finds of a draft."""

from typing import Self

from pydantic import Field

from stemma_contracts.base import Contract

from .coded import Coded
from .coverage import CoverageSummary
from .grounding import ClaimKind
from .inputs import UsedInput
from .ledger import AnswersFound
from .references import ArtifactRef
from .staleness import UsedUpstream

NOT_CHECKED = "STEMMA000"
"""The rule of the issue that a draft could not be checked, or not in full."""
GROUNDING = "grounding/"
"""What the rules begin with that look claims and sentences up."""
LONG_ANSWER = "limits/answer"
"""The rule of the issue that an answer is longer than the form says."""
OPEN_HEADING = "STEMMA013"
"""The rule of the issue that nothing stands under a heading: no writer is to fill it, a person says what we have."""
INTERNAL_WORDS = "words/internal"
"""The rule of the issue that words of an internal input stand in the text."""
UNACCEPTED_ANSWER = "forms/answer"
"""The rule of the issue that an answer is not one that its field of the form accepts."""


class ValidationIssue(Coded):
    """One finding of the validator, the same shape whatever engine produced it."""

    line_number: int = Field(ge=0, description="1 is the first line; 0: the whole text")
    rule: str
    rule_description: str
    message: str
    error_detail: str | None = None


class ValidationReport(Contract):
    """The body of a report artifact: verdict, issues in line order, engine and its version.

    ``fixed`` is the draft with what the linter mends safely; the issues are then those of ``fixed``.
    """

    validation_passed: bool
    issues: tuple[ValidationIssue, ...] = ()
    engine: str
    engine_version: str
    fixed: ArtifactRef | None = Field(default=None, description="absent when nothing was mended")


class ValidationSummary(Contract):
    """What an event tells of a validation: counts only; the issues lie in the artifact ``report``."""

    passed: bool
    issue_count: int = Field(ge=0)
    rules: dict[str, int] = Field(default={}, description="issues by rule")
    engine: str
    engine_version: str
    report: ArtifactRef | None = Field(default=None, description="absent when there are no issues")
    coverage: CoverageSummary | None = Field(default=None, description="of a section that covers the inputs")
    grounding: ArtifactRef | None = Field(default=None, description="GroundingReport as JSON: where each claim stands")
    unsupported: dict[ClaimKind, int] = Field(default={}, description="claims that nothing supports, by kind")
    unread: tuple[str, ...] = Field(
        default=(), max_length=20, description="inputs that are no text or too large: claims were not looked up in them"
    )
    blocks: ArtifactRef | None = Field(default=None, description="BlockIndex as JSON: the blocks and their ids")
    used: tuple[UsedInput, ...] | None = Field(
        default=None, description="inputs that the text rests on; absent: not known, so that it may be all of them"
    )
    used_upstream: tuple[UsedUpstream, ...] | None = Field(
        default=None, description="upstream sections that the text rests on; one that is absent may count in full"
    )
    answers: AnswersFound | None = Field(default=None, description="absent: no requirements were looked for in it")
    not_checked: str = Field(default="", max_length=300, description="why the text, or a part of it, was not checked")

    @property
    def complete(self) -> bool:
        """Whether the text was checked in full; if not, what was found says nothing of its writer."""
        return not self.not_checked and NOT_CHECKED not in self.rules

    @classmethod
    def given_up(cls, why: str) -> Self:
        """What stands in place of a check that was given up after its tries."""
        return cls(
            passed=False,
            issue_count=1,
            rules={NOT_CHECKED: 1},
            engine="",
            engine_version="",
            not_checked=why or "the check was given up",
        )

    @property
    def without_support(self) -> int:
        """How many claims and sentences no source supports."""
        return sum(count for rule, count in self.rules.items() if rule.startswith(GROUNDING))

    @property
    def found(self) -> int:
        """How many issues the text has; that it was not checked is none of it."""
        return self.issue_count - self.rules.get(NOT_CHECKED, 0)
