"""Where a validated draft goes: back to its graph, on by its policy, or to a person."""

from __future__ import annotations

from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.evaluation import COMPLETE, Evaluation
from stemma_contracts.v1.review import ReviewMode
from stemma_contracts.v1.section import SectionPlan
from stemma_contracts.v1.validation import NOT_CHECKED, ValidationSummary
from stemma_document.state import Generating, Section

from stemma_orchestrator.core.outcomes import settled


def validated(
    outcome: o.DraftValidated, section: Section, generating: Generating | None, *, in_cycles: bool
) -> e.SectionLintFailed | e.SectionApproved | e.SectionReviewRequested:
    """The event of a validation; a draft that no graph is writing has its reviewer.

    What could not be checked in full goes to a person under every policy: to write it again would mend nothing.
    """
    common, version, validation = settled(outcome, section), section.current_number, outcome.validation
    if generating and validation.complete and not validation.passed and generating.round < section.plan.max_lint_rounds:
        return e.SectionLintFailed(**common, version=version, validation=validation, round=generating.round + 1)
    if generating and _settled_by_policy(section, in_cycles) and _is_sound(validation, section.plan):
        return e.SectionApproved(**common, version=version, validation=validation, by_policy=True)
    return e.SectionReviewRequested(**common, version=version, validation=validation)


def never_validated(outcome: o.JobDead, section: Section) -> e.SectionReviewRequested:
    """The event of a check that was given up after its tries: a person has the draft, and is told."""
    why = outcome.detail or "the check was given up"
    unchecked = ValidationSummary(
        passed=False, issue_count=1, rules={NOT_CHECKED: 1}, engine="", engine_version="", not_checked=why
    )
    return e.SectionReviewRequested(**settled(outcome, section), version=section.current_number, validation=unchecked)


def _is_sound(validation: ValidationSummary, plan: SectionPlan) -> bool:
    """Nothing was found: for an amount or a date that nothing supports, and for what is lost, a person has to stand.

    Where nobody could find out what of the inputs is lost, some of it may be: there is no coverage, or a part of the
    inputs is in another language than the text.
    """
    coverage = validation.coverage
    lost = plan.covers_inputs if coverage is None else coverage.missing_blocks + coverage.not_comparable > 0
    return validation.passed and not lost and not validation.unsupported.keys() & {"amount", "date"}


def _settled_by_policy(section: Section, in_cycles: bool) -> bool:
    """A failed evaluation always goes to a person; a text without a judgement goes on where nobody has to judge.

    Where a review judges the sections in cycles, an evaluation is shown and stops none of them.
    """
    evaluation: Evaluation | None = section.current.evaluation if section.current else None
    policy = section.plan.review
    if evaluation is None or policy.mode is ReviewMode.HUMAN:
        return False
    if in_cycles and policy.mode is ReviewMode.NONE:
        return True
    if not evaluation.judged:
        complete = all(check.passed for check in evaluation.checks if check.check == COMPLETE)
        return policy.mode is ReviewMode.NONE and complete
    if not evaluation.passed:
        return False
    return policy.mode is ReviewMode.NONE or evaluation.score >= policy.min_score
