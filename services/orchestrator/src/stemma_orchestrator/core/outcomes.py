"""What the outcome of a job means. Only the open job counts; a late one is recorded and changes nothing."""

from __future__ import annotations

from typing import Any

from stemma_contracts import registry
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.values import ArtifactRef, Evaluation, ReviewMode, SectionStatus, ValidationSummary

from .decisions import settled_status
from .state import (
    Document,
    Export,
    Generating,
    Resuming,
    Revising,
    Section,
    Validating,
    Working,
    activity_of,
    open_job_id,
)

_FAILURES: dict[type[o.Outcome], type[e.SectionFailure]] = {
    o.ModelUnavailable: e.SectionModelUnavailable,
    o.AnswerMalformed: e.SectionAnswerMalformed,
    o.JobDead: e.SectionJobDead,
}


class UnfittingOutcome(TypeError):
    """A worker answered an open job with an outcome of another job's kind: a bug, not a business case."""


def decide_outcome(outcome: o.Outcome, document: Document) -> list[e.AnyEvent]:
    """The events of an outcome; none for one that was recorded before."""
    if outcome.job_id in document.settled_jobs:
        return []
    for section in document.sections.values():
        if open_job_id(section.phase) == outcome.job_id:
            return [_of_section(outcome, section)]
    for export_id, export in document.exports.items():
        if export.job_id == outcome.job_id:
            return [_of_export(outcome, export_id, export)]
    return [_superseded(outcome)]


def _superseded(outcome: o.Outcome) -> e.OutcomeSuperseded:
    wire_name = registry.entry_of(outcome).ce_type
    return e.OutcomeSuperseded(job_id=outcome.job_id, outcome=wire_name, usage=outcome.usage)


def _unfitting(outcome: o.Outcome) -> UnfittingOutcome:
    return UnfittingOutcome(f"{registry.entry_of(outcome).ce_type} does not fit the job {outcome.job_id}")


def _of_section(outcome: o.Outcome, section: Section) -> e.AnyEvent:
    common: dict[str, Any] = {"section_id": section.plan.section_id, "job_id": outcome.job_id}
    paid = {**common, "usage": outcome.usage}
    match outcome, section.phase:
        case o.SectionGenerated(), Generating() | Resuming() as phase:
            return _drafted(outcome, section, phase, paid)
        case o.GraphPaused(), Generating() | Resuming():
            return e.SectionNeedRaised(**paid, thread_id=outcome.thread_id, need=outcome.need)
        case o.DraftRevised(), Revising():
            return _revised(outcome, section, paid)
        case o.InstructionRefused(), Revising():
            return e.SectionRevisionRefused(**paid, version=section.current_number, reason=outcome.reason)
        case o.DraftValidated(), Validating() as phase:
            return _validated(outcome.validation, section, phase, common)
        case (
            (o.ModelUnavailable() | o.AnswerMalformed() | o.JobDead()),
            (Generating() | Resuming() | Revising() | Validating()) as working,
        ):
            return _failed(outcome, section, working, paid)
        case _:
            raise _unfitting(outcome)


def _drafted(
    outcome: o.SectionGenerated, section: Section, phase: Generating | Resuming, paid: dict[str, Any]
) -> e.SectionDrafted:
    return e.SectionDrafted(
        **paid,
        version=_next_version(section, outcome.draft),
        draft=outcome.draft,
        upstream=phase.upstream if isinstance(phase, Generating) else phase.generating.upstream,
        evaluation=outcome.evaluation,
        provenance=outcome.provenance,
    )


def _revised(outcome: o.DraftRevised, section: Section, paid: dict[str, Any]) -> e.SectionRevised:
    return e.SectionRevised(
        **paid,
        version=_next_version(section, outcome.draft),
        draft=outcome.draft,
        summary=outcome.summary,
        provenance=outcome.provenance,
    )


def _next_version(section: Section, draft: ArtifactRef) -> int:
    """One more, but only if the text is another."""
    current = section.current
    if current is None:
        return 1
    return current.number if current.draft.digest == draft.digest else current.number + 1


def _validated(
    validation: ValidationSummary, section: Section, phase: Validating, common: dict[str, Any]
) -> e.AnyEvent:
    version = section.current_number
    if not phase.revised and not validation.passed and phase.round < section.plan.max_lint_rounds:
        return e.SectionLintFailed(**common, version=version, validation=validation, round=phase.round + 1)
    if not phase.revised and validation.passed and _settled_by_policy(section):
        return e.SectionApproved(**common, version=version, validation=validation, by_policy=True)
    return e.SectionReviewRequested(**common, version=version, validation=validation)


def _settled_by_policy(section: Section) -> bool:
    """A failed evaluation always goes to a person."""
    evaluation: Evaluation | None = section.current.evaluation if section.current else None
    policy = section.plan.review
    if evaluation is None or not evaluation.passed or policy.mode is ReviewMode.HUMAN:
        return False
    return policy.mode is ReviewMode.NONE or evaluation.score >= policy.min_score


def _failed(
    outcome: o.ModelUnavailable | o.AnswerMalformed | o.JobDead, section: Section, phase: Working, paid: dict[str, Any]
) -> e.AnyEvent:
    status = settled_status(section) if isinstance(phase, Revising) else SectionStatus.FAILED
    failure = _FAILURES[type(outcome)]
    event: Any = failure(**paid, activity=activity_of(phase), status=status, detail=outcome.detail)
    return event  # type: ignore[no-any-return]


def _of_export(outcome: o.Outcome, export_id: str, export: Export) -> e.AnyEvent:
    common: dict[str, Any] = {"export_id": export_id, "format": export.format, "job_id": outcome.job_id}
    match outcome:
        case o.DocumentConverted():
            return e.DocumentExported(**common, artifact=outcome.artifact, warnings=outcome.warnings)
        case o.ConversionFailed():
            return e.ExportFailed(**common, detail=outcome.detail)
        case o.JobDead():
            return e.ExportJobDead(**common, detail=outcome.detail)
        case _:
            raise _unfitting(outcome)
