"""Why a draft is as it is judged: what a model scored low, what programs found, where, and what to know of its making.

A judgement is a model's, a check a program's; they have names of their own in everything that people read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from pydantic import ValidationError
from stemma_artifacts.store import ArtifactMissing
from stemma_client.client import Client
from stemma_contracts.v1.evaluation import Evaluation
from stemma_contracts.v1.validation import ValidationReport, ValidationSummary
from stemma_document.views import DocumentView, SectionView, VersionView

from stemma_cli.coverage import coverage_lines
from stemma_cli.output import clean_line
from stemma_cli.wording import GROUNDING, NOT_JUDGED, failed_criteria, rule_words, validation_words

_AT_MOST = 8


@dataclass(frozen=True)
class Finding:
    """One thing that a person should know of a draft; ``line`` 0 is the whole text."""

    kind: Literal["judgement", "critical", "check", "lint", "grounding", "warning"]
    name: str
    message: str
    score: float | None = None
    line: int = 0
    count: int = 1

    @property
    def words(self) -> str:
        """The finding on a line."""
        where = f"line {self.line} " if self.line else ""
        match self.kind:
            case "critical":
                return f"critical criterion {self.name} failed: {_scored(self.score)}"
            case "judgement":
                name = "none" if self.name == NOT_JUDGED else f"{self.name} {_scored(self.score)}".strip()
                return f"judgement: {name}, {self.message}"
            case "check":
                return f"check failed: {self.name}{f' ({self.message})' if self.message else ''}"
            case "lint":
                return f"{where}{self.name}: {self.message}"
            case "grounding":
                return f"{where}unsupported {rule_words(self.name)}: {self.message}"
            case "warning":
                return f"warning: {self.name} {self.count}{f' ({self.message})' if self.message else ''}"


async def findings_of(client: Client, view: DocumentView, section: SectionView) -> tuple[Finding, ...]:
    """All findings of the current version, the gravest first."""
    current = section.current
    if current is None:
        return ()
    return (*_evaluated(current.evaluation), *await _validated(client, view, current.validation), *_warned(current))


def lines_of(findings: Sequence[Finding], at_most: int | None = _AT_MOST) -> Iterator[str]:
    """A line for each, of many the first ones, if not all are wanted."""
    for finding in findings[:at_most]:
        yield clean_line(finding.words)
    if at_most is not None and len(findings) > at_most:
        yield f"and {len(findings) - at_most} more: `stemma show DOC SECTION` tells all"


async def lines_about(
    client: Client, view: DocumentView, section: SectionView, at_most: int | None = _AT_MOST
) -> list[str]:
    """All that a person should know of the current version before a decision about it."""
    coverage = coverage_lines(section.validation, section.covers_inputs)
    return [*lines_of(await findings_of(client, view, section), at_most), *coverage]


async def lines_about_edit(
    client: Client, view: DocumentView, section: SectionView, at_most: int | None = _AT_MOST
) -> list[str]:
    """What programs found of a proposed text before anybody accepts it, or that they did not look at it."""
    proposal = section.proposal
    if proposal is None or proposal.draft is None:
        return []
    if proposal.validation is None:
        known = "is being checked" if proposal.checking else "was not checked"
        return [f"could not be checked: {proposal.unchecked}" if proposal.unchecked else known]
    findings = await _validated(client, view, proposal.validation)
    coverage = coverage_lines(proposal.validation, section.covers_inputs)
    return [validation_words(proposal.validation), *lines_of(findings, at_most), *coverage]


def as_json(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """The findings for programs."""
    return [asdict(finding) for finding in findings]


def _evaluated(evaluation: Evaluation | None) -> Iterator[Finding]:
    if evaluation is None:
        return
    if not evaluation.judged:
        yield Finding("judgement", NOT_JUDGED, "no model scored this draft")
    for name in evaluation.critical_failures:
        yield Finding("critical", name, "failed", evaluation.scores.get(name))
    for name in failed_criteria(evaluation):
        yield Finding("judgement", name, "below its threshold", evaluation.scores.get(name))
    if evaluation.judged and not evaluation.passed:
        yield Finding("judgement", "score", "not passed", evaluation.score)
    for check in evaluation.checks:
        if not check.passed:
            yield Finding("check", check.check, check.detail)


async def _validated(client: Client, view: DocumentView, validation: ValidationSummary | None) -> list[Finding]:
    if validation is None or validation.report is None:
        return []
    try:
        report = ValidationReport.model_validate_json(await client.artifact(view.document_id, validation.report))
    except (ArtifactMissing, ValidationError):
        rules = validation.rules.items()
        return [Finding(_kind(rule), rule, "where is not stored any more", count=count) for rule, count in rules]
    return [Finding(_kind(issue.rule), issue.rule, issue.message, line=issue.line_number) for issue in report.issues]


def _kind(rule: str) -> Literal["lint", "grounding"]:
    return "grounding" if rule.startswith(GROUNDING) else "lint"


def _warned(version: VersionView) -> Iterator[Finding]:
    for warning in version.warnings:
        yield Finding("warning", warning.code.replace("_", " "), warning.detail, count=warning.count)
    if unread := version.validation.unread if version.validation else ():
        yield Finding("warning", "not read", f"claims were not looked up in {', '.join(unread)}", count=len(unread))


def _scored(score: float | None) -> str:
    return "" if score is None else f"{score:.2f}"
