"""Why a draft is as it is judged: what a model scored low, what programs found, where, and what to know of its making.

A judgement is a model's, a check a program's; they have names of their own in everything that people read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from stemma_contracts import problems
from stemma_contracts.v1.evaluation import Evaluation
from stemma_contracts.v1.grounding import CitedText, GroundingReport
from stemma_contracts.v1.validation import GROUNDING, NOT_CHECKED, ValidationIssue, ValidationReport, ValidationSummary
from stemma_contracts.v1.views import VersionView

if TYPE_CHECKING:
    from stemma_languages import Language

    from .client import Client


NOT_JUDGED = "not judged"


@dataclass(frozen=True)
class Finding:
    """One thing that a person should know of a draft; ``line`` 0 is the whole text.

    ``code`` and ``params`` say the message as a problem does, where it has a code.
    """

    kind: Literal["judgement", "critical", "check", "lint", "grounding", "warning"]
    name: str
    message: str = ""
    score: float | None = None
    line: int = 0
    count: int = 1
    code: str = ""
    params: problems.Params = field(default_factory=dict)

    def coded(self, code: str, **params: problems.Param) -> Finding:
        """The same with the words of a problem code."""
        params = problems.shortened(params)
        return replace(self, message=problems.message(code, params), code=code, params=params)


async def findings_of(client: Client, document_id: str, version: VersionView | None) -> tuple[Finding, ...]:
    """All findings of a version, the gravest first."""
    if version is None:
        return ()
    validated = await findings_in(client, document_id, version.validation)
    return (*_evaluated(version.evaluation), *validated, *_warned(version))


async def findings_in(client: Client, document_id: str, validation: ValidationSummary | None) -> list[Finding]:
    """What the validator found."""
    if validation is None:
        return []
    if validation.report is None:
        why = validation.not_checked
        return [Finding("lint", NOT_CHECKED).coded("not_checked", reason=why)] if why else []
    report = await client.stored(document_id, validation.report, ValidationReport)
    if report is None:
        rules = validation.rules.items()
        return [Finding(_kind(rule), rule, count=count).coded("report_gone") for rule, count in rules]
    return [_of_issue(issue) for issue in report.issues]


def _of_issue(issue: ValidationIssue) -> Finding:
    rule, line = issue.rule, issue.line_number
    return Finding(_kind(rule), rule, issue.message, line=line, code=issue.code, params=issue.params)


def failed_criteria(evaluation: Evaluation) -> tuple[str, ...]:
    """The criteria below their thresholds that are not critical ones."""
    return tuple(name for name in evaluation.failed_criteria if name not in evaluation.critical_failures)


def _evaluated(evaluation: Evaluation | None) -> Iterator[Finding]:
    if evaluation is None:
        return
    if not evaluation.judged:
        unjudged = Finding("judgement", NOT_JUDGED, evaluation.not_judged_reason)
        yield unjudged if unjudged.message else unjudged.coded("not_judged")
    for name in evaluation.critical_failures:
        yield Finding("critical", name, score=evaluation.scores.get(name)).coded("criterion_failed")
    for name in failed_criteria(evaluation):
        yield Finding("judgement", name, score=evaluation.scores.get(name)).coded("criterion_below")
    if evaluation.judged and not evaluation.passed:
        yield Finding("judgement", "score", score=evaluation.score).coded("score_not_passed")
    for check in evaluation.checks:
        if not check.passed:
            yield Finding("check", check.check, check.detail, code=check.code, params=check.params)


def _kind(rule: str) -> Literal["lint", "grounding"]:
    return "grounding" if rule.startswith(GROUNDING) else "lint"


def _warned(version: VersionView) -> Iterator[Finding]:
    for warning in version.warnings:
        yield Finding("warning", warning.code.replace("_", " "), warning.detail, count=warning.count)
    if unread := version.validation.unread if version.validation else ():
        yield Finding("warning", "not read", count=len(unread)).coded("claims_unchecked", names=", ".join(unread))


def cited_text(text: str, report: GroundingReport, tag: str = "") -> str:
    """The text of a section with the citations of its report, in the words of a language."""
    # Few verbs cite, and what reads Markdown takes long to load.
    from stemma_markdown import Footnote, with_footnotes

    spoken = _language(tag)
    return with_footnotes(text, [Footnote(one.start, one.end, places_of(one, spoken)) for one in report.cited])


def places_of(cited: CitedText, spoken: Language) -> str:
    """The places that a sentence rests on, such as ``rfq.pdf, p. 3; prices.xlsx, Prices!A1:D20``."""
    return "; ".join(spoken.citation(place.name, place.kind, place.label) for place in cited.places)


def _language(tag: str) -> Language:
    from stemma_languages import DEFAULT, UnknownLanguage, language

    try:
        return language(tag or DEFAULT)
    except UnknownLanguage:
        return language(DEFAULT)
