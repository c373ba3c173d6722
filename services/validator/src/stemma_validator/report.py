"""Our own rules, and the report of what they and the linter found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from enum import Enum

from stemma_contracts import problems
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.validation import (
    LONG_ANSWER,
    NOT_CHECKED,
    OPEN_HEADING,
    UNACCEPTED_ANSWER,
    ValidationIssue,
    ValidationReport,
    ValidationSummary,
)

from .claims import ClaimFindings
from .engines import LintEngine
from .errors import ValidationImpossible

_MAX_DETAIL = 200
MAX_ISSUES = 500
"""A report holds the first issues only; the counts of the summary are of all."""


@dataclass(frozen=True)
class _Row:
    code: str
    description: str
    same_as: str = ""


class Rule(Enum):
    """Rules of ours. ``same_as`` is the linter rule that reports the same fault on the same line."""

    NOT_CHECKED = _Row(NOT_CHECKED, "The draft could not be checked, or not in full")
    EMPTY = _Row("STEMMA001", "The draft is empty")
    TITLE_FIRST = _Row("STEMMA002", "The draft must begin with its level 1 heading", same_as="MD041")
    ONE_TITLE = _Row("STEMMA003", "The draft must have one level 1 heading", same_as="MD025")
    REQUIRED_HEADING = _Row("STEMMA004", "A required heading is missing")
    MISSING_IMAGE = _Row("STEMMA005", "An image is not among the files of the document")
    REMOTE_IMAGE = _Row("STEMMA006", "An image on another host does not become part of the document")
    UNDEFINED_REFERENCE = _Row("STEMMA007", "A link reference has no definition", same_as="MD052")
    UNDEFINED_FOOTNOTE = _Row("STEMMA008", "A footnote has no definition")
    MISSING_ANCHOR = _Row("STEMMA009", "A link leads to a heading that the draft does not have", same_as="MD051")
    MISSING_FILE = _Row("STEMMA010", "A link leads to a file that is not part of the document")
    PLACEHOLDER = _Row("STEMMA011", "A placeholder was left in the text")
    NESTED_FOOTNOTE = _Row("STEMMA012", "A footnote must not refer to a footnote")
    OPEN_HEADING = _Row(OPEN_HEADING, "Nothing stands under a heading")
    LEFT_OVER = _Row("STEMMA014", "A tag of a prompt or a thought stands in the text")
    REPEATED = _Row("STEMMA015", "The text repeats itself")
    UNFINISHED = _Row("STEMMA016", "The text ends in the middle of a sentence")
    OTHER_LANGUAGE = _Row("STEMMA017", "A passage is in another language than the document")
    TOO_MANY_WORDS = _Row("limits/words", "The section is longer than its outline allows")
    SUM_DIFFERS = _Row("sums/differs", "The rows of a table do not come to its total")
    SUM_OVER = _Row("sums/over", "The prices come to more than the request allows")
    SUM_ELSEWHERE = _Row("sums/elsewhere", "Two totals of the same prices differ")
    LONG_ANSWER = _Row(LONG_ANSWER, "An answer is longer than the form allows")
    UNACCEPTED_ANSWER = _Row(UNACCEPTED_ANSWER, "An answer is not one that its field of the form accepts")

    @property
    def code(self) -> str:
        return self.value.code

    @property
    def same_as(self) -> str:
        return self.value.same_as

    def issue(self, line: int, detail: str = "") -> ValidationIssue:
        """The finding as an issue; ``line`` 0 is the whole text."""
        row = self.value
        return ValidationIssue(
            line_number=line,
            rule=row.code,
            rule_description=row.description,
            message=detail[:_MAX_DETAIL] or row.description,
            error_detail=detail[:_MAX_DETAIL] or None,
        )

    def coded(self, line: int, code: str, /, **params: problems.Param) -> ValidationIssue:
        params = problems.shortened(params)
        issue = self.issue(line, problems.message(code, params))
        return issue.model_copy(update={"code": code, "params": params})


SAME_FAULT = {rule.code: rule.same_as for rule in Rule}
OF_THE_WHOLE = frozenset(
    [
        "MD053",
        "grounding/citation",
        *(
            name
            for rule in (Rule.UNDEFINED_REFERENCE, Rule.UNDEFINED_FOOTNOTE, Rule.MISSING_ANCHOR)
            for name in (rule.code, rule.same_as)
        ),
    ]
)
"""What an excerpt cannot tell: whether elsewhere stands what it refers to, or what refers to it."""


@dataclass(frozen=True)
class Findings:
    issues: tuple[ValidationIssue, ...]
    engine: str
    engine_version: str
    not_checked: str = ""

    def with_claims(self, claims: ClaimFindings) -> Findings:
        return self.with_issues(claims.issues())

    def with_issues(self, more: Iterable[ValidationIssue]) -> Findings:
        return replace(self, issues=tuple(sorted([*self.issues, *more], key=lambda one: (one.line_number, one.rule))))

    def without(self, rules: Collection[str]) -> Findings:
        return replace(self, issues=tuple(issue for issue in self.issues if issue.rule not in rules))

    def unfinished(self, causes: Iterable[ValidationImpossible]) -> Findings:
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
    linted = list(lint)
    told = {(issue.rule, issue.line_number) for issue in linted}
    beyond = [issue for issue in structure if (SAME_FAULT[issue.rule], issue.line_number) not in told]
    issues = sorted([*linted, *beyond], key=lambda issue: (issue.line_number, issue.rule))
    return Findings(tuple(issues), engine.name, engine.version)


def nothing_found(engine: LintEngine) -> Findings:
    return Findings((), engine.name, engine.version)
