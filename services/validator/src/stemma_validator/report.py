"""Reports, and what of them goes into an outcome."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.validation import ValidationIssue, ValidationReport, ValidationSummary

from .claims import ClaimFindings
from .engines import LintEngine
from .errors import ValidationImpossible
from .rules import SAME_FAULT, Rule

MAX_ISSUES = 500
"""A report holds the first issues only; the counts of the summary are of all."""


@dataclass(frozen=True)
class Findings:
    """All issues of a draft, in line order, and who found them."""

    issues: tuple[ValidationIssue, ...]
    engine: str
    engine_version: str
    not_checked: str = ""

    def with_claims(self, claims: ClaimFindings) -> Findings:
        """The same, and the claims that nothing supports."""
        issues = sorted([*self.issues, *claims.issues()], key=lambda issue: (issue.line_number, issue.rule))
        return replace(self, issues=tuple(issues))

    def without(self, rules: Collection[str]) -> Findings:
        return replace(self, issues=tuple(issue for issue in self.issues if issue.rule not in rules))

    def unfinished(self, causes: Iterable[ValidationImpossible]) -> Findings:
        """The same, and before them an issue that names why there may be others."""
        if not (named := "; ".join(dict.fromkeys(map(str, causes)))):
            return self
        issue = Rule.NOT_CHECKED.issue(0, named)
        return replace(self, issues=(issue, *self.issues), not_checked=issue.message)

    def report(self) -> ValidationReport:
        return ValidationReport(
            validation_passed=not self.issues,
            issues=self.issues[:MAX_ISSUES],
            engine=self.engine,
            engine_version=self.engine_version,
        )

    def summary(self, report: ArtifactRef | None, blocks: ArtifactRef | None) -> ValidationSummary:
        """What the outcome tells; both artifacts are of this draft."""
        return ValidationSummary(
            passed=not self.issues,
            issue_count=len(self.issues),
            rules=dict(Counter(issue.rule for issue in self.issues)),
            engine=self.engine,
            engine_version=self.engine_version,
            report=report,
            blocks=blocks,
            not_checked=self.not_checked,
        )


def found(engine: LintEngine, lint: Iterable[ValidationIssue], structure: Iterable[ValidationIssue]) -> Findings:
    """The issues of both, a fault that both report on one line told once."""
    linted = list(lint)
    told = {(issue.rule, issue.line_number) for issue in linted}
    beyond = [issue for issue in structure if (SAME_FAULT[issue.rule], issue.line_number) not in told]
    issues = sorted([*linted, *beyond], key=lambda issue: (issue.line_number, issue.rule))
    return Findings(tuple(issues), engine.name, engine.version)


def nothing_found(engine: LintEngine) -> Findings:
    return Findings((), engine.name, engine.version)
