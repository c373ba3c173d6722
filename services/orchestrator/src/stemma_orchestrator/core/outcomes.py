"""What the outcome of a job means. Only the open job counts; a late one is recorded and changes nothing."""

from __future__ import annotations

from typing import Any, assert_never

from stemma_contracts import registry
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.evaluation import COMPLETE, Evaluation
from stemma_contracts.v1.provenance import Origin
from stemma_contracts.v1.review import ReviewMode
from stemma_contracts.v1.section import Activity, SectionPlan, SectionStatus
from stemma_contracts.v1.validation import ValidationSummary
from stemma_document.proposal_state import Proposed, Proposing
from stemma_document.state import (
    Document,
    Export,
    Generating,
    NeedDispatched,
    Resuming,
    Revising,
    Section,
    Validating,
    Working,
    activity_of,
    open_job_id,
    status_of,
)
from stemma_document.versions import next_version

from .needs import need_met
from .proposals import proposal_made
from .senders import is_ahead


class UnfittingOutcome(TypeError):
    """A worker answered an open job with an outcome of another job's kind: a bug, not a business case."""


def decide_outcome(outcome: o.Outcome, document: Document) -> list[e.AnyEvent]:
    """The events of an outcome; none for one that was recorded before.

    An id of a job to come is made up: recorded, it would close that job before it is opened.
    """
    if outcome.job_id in document.settled_jobs or is_ahead(outcome.job_id, document):
        return []
    for section in document.sections.values():
        if open_job_id(section.phase) == outcome.job_id:
            return [_of_section(outcome, section, in_cycles=document.cycle is not None)]
        if isinstance(section.proposal, Proposing) and section.proposal.job_id == outcome.job_id:
            return [_of_proposal(outcome, section, section.proposal)]
        if isinstance(section.proposal, Proposed) and section.proposal.check == outcome.job_id:
            return [_of_proposed(outcome, section, section.proposal)]
        if outcome.job_id in section.checks:
            return [_of_check(outcome, section, section.checks[outcome.job_id])]
    for export_id, export in document.exports.items():
        if export.job_id == outcome.job_id:
            return [_of_export(outcome, export_id, export)]
    return [_superseded(outcome)]


def _superseded(outcome: o.Outcome) -> e.OutcomeSuperseded:
    wire_name = registry.entry_of(outcome).ce_type
    return e.OutcomeSuperseded(job_id=outcome.job_id, outcome=wire_name, usage=outcome.usage)


def _unfitting(outcome: o.Outcome) -> UnfittingOutcome:
    return UnfittingOutcome(f"{registry.entry_of(outcome).ce_type} does not fit the job {outcome.job_id}")


def _of_section(outcome: o.Outcome, section: Section, *, in_cycles: bool) -> e.AnyEvent:
    common: dict[str, Any] = {"section_id": section.plan.section_id, "job_id": outcome.job_id}
    paid = {**common, "usage": outcome.usage}
    match outcome, section.phase:
        case o.SectionGenerated(), Generating() | Resuming() as phase:
            return _drafted(outcome, section, phase, paid)
        case o.GraphPaused(), Generating() | Resuming():
            return e.SectionNeedRaised(**paid, thread_id=outcome.thread_id, need=outcome.need)
        case o.DraftRevised(), Revising() as phase:
            return _revised(outcome, section, phase, paid)
        case o.InstructionRefused(), Revising():
            return e.SectionRevisionRefused(**paid, version=section.current_number, reason=outcome.reason)
        case o.DraftValidated(), Validating() as phase:
            settled = _settled_by_policy(section, in_cycles)
            return _validated(outcome.validation, section, phase, settled, common)
        case (
            (
                o.ModelUnavailable()
                | o.AnswerMalformed()
                | o.ContextTooLong()
                | o.InputsMissing()
                | o.RoleAnalysisMissing()
                | o.NoRoleLeft()
                | o.ThreadLost()
                | o.JobDead()
            ),
            (Generating() | Resuming() | Revising() | Validating()) as working,
        ):
            return _failed(outcome, section, working, paid)
        case _, NeedDispatched() as phase:
            if (answered := need_met(outcome, section.plan.section_id, phase)) is None:
                raise _unfitting(outcome)
            return answered
        case _:
            raise _unfitting(outcome)


def _drafted(
    outcome: o.SectionGenerated, section: Section, phase: Generating | Resuming, paid: dict[str, Any]
) -> e.SectionDrafted:
    return e.SectionDrafted(
        **paid,
        version=next_version(section, outcome.draft),
        draft=outcome.draft,
        upstream=phase.upstream if isinstance(phase, Generating) else phase.generating.upstream,
        evaluation=outcome.evaluation,
        provenance=outcome.provenance,
        assets=outcome.assets,
        partial=outcome.partial,
        warnings=outcome.warnings,
        retrieved_context=outcome.retrieved_context,
        processing_metadata=outcome.processing_metadata,
        review=outcome.review,
        left_out=outcome.left_out,
    )


def _revised(
    outcome: o.DraftRevised, section: Section, phase: Revising, paid: dict[str, Any]
) -> e.SectionRevised | e.SectionEdited:
    """An edit is settled at once, a revision goes back to its reviewer."""
    result: dict[str, Any] = {
        **paid,
        "version": next_version(section, outcome.draft),
        "draft": outcome.draft,
        "summary": outcome.summary,
        "provenance": outcome.provenance,
    }
    if not phase.edit:
        return e.SectionRevised(**result)
    upstream = section.current.upstream if section.current else ()
    return e.SectionEdited(**result, origin=Origin.EDITED, upstream=upstream)


def _of_proposal(outcome: o.Outcome, section: Section, proposal: Proposing) -> e.AnyEvent:
    """What the editor made is proposed; when it made nothing, the section is as it was."""
    common: dict[str, Any] = {
        "section_id": section.plan.section_id,
        "job_id": outcome.job_id,
        "usage": outcome.usage,
        "proposal_id": proposal.proposal_id,
    }
    match outcome:
        case o.DraftRevised():
            return proposal_made(outcome, section, proposal)
        case o.InstructionRefused():
            return e.SectionRevisionRefused(**common, version=proposal.version, reason=outcome.reason)
        case o.ModelUnavailable() | o.AnswerMalformed() | o.ContextTooLong() | o.JobDead():
            return _failure(outcome, common, Activity.EDIT, status_of(section.phase))
        case _:
            raise _unfitting(outcome)


def _of_proposed(outcome: o.Outcome, section: Section, proposal: Proposed) -> e.SectionEditChecked:
    """What is found of a proposed text is shown; the proposal waits on, also when nothing could be found out."""
    found: dict[str, Any]
    match outcome:
        case o.DraftValidated():
            found = {"validation": outcome.validation}
        case o.JobDead():
            found = {"detail": outcome.detail}
        case _:
            raise _unfitting(outcome)
    return e.SectionEditChecked(
        section_id=section.plan.section_id,
        job_id=outcome.job_id,
        proposal_id=proposal.proposal_id,
        version=proposal.version,
        usage=outcome.usage,
        **found,
    )


def _of_check(outcome: o.Outcome, section: Section, activity: Activity) -> e.AnyEvent:
    """The result of a check is shown and changes no status, also when there is none."""
    common: dict[str, Any] = {"section_id": section.plan.section_id, "job_id": outcome.job_id, "usage": outcome.usage}
    match outcome, activity:
        case o.DraftValidated(), Activity.VALIDATE:
            return e.SectionChecked(**common, version=section.current_number, validation=outcome.validation)
        case o.DraftEvaluated(), Activity.EVALUATE:
            return e.SectionChecked(**common, version=section.current_number, evaluation=outcome.evaluation)
        case (
            o.ModelUnavailable() | o.AnswerMalformed() | o.ContextTooLong() | o.InputsMissing() | o.JobDead()
        ) as failure, _:
            return _failure(failure, common, activity, status_of(section.phase))
        case _:
            raise _unfitting(outcome)


def _validated(
    validation: ValidationSummary, section: Section, phase: Validating, settled: bool, common: dict[str, Any]
) -> e.AnyEvent:
    version, generating = section.current_number, phase.generating
    if generating and not validation.passed and generating.round < section.plan.max_lint_rounds:
        return e.SectionLintFailed(**common, version=version, validation=validation, round=generating.round + 1)
    if generating and settled and _is_sound(validation, section.plan):
        return e.SectionApproved(**common, version=version, validation=validation, by_policy=True)
    return e.SectionReviewRequested(**common, version=version, validation=validation)


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


_Failure = (
    o.ModelUnavailable
    | o.AnswerMalformed
    | o.ContextTooLong
    | o.InputsMissing
    | o.RoleAnalysisMissing
    | o.NoRoleLeft
    | o.ThreadLost
    | o.JobDead
)


def _failed(outcome: _Failure, section: Section, phase: Working, paid: dict[str, Any]) -> e.AnyEvent:
    """A failed edit leaves the section as it was before."""
    status = status_of(phase.before) if isinstance(phase, Revising) else SectionStatus.FAILED
    activity = activity_of(phase)
    assert activity is not None
    return _failure(outcome, paid, activity, status)


def _failure(outcome: _Failure, common: dict[str, Any], activity: Activity, status: SectionStatus) -> e.AnyFailure:
    details: dict[str, Any] = {**common, "activity": activity, "status": status, "detail": outcome.detail}
    match outcome:
        case o.ModelUnavailable():
            return e.SectionModelUnavailable(**details)
        case o.AnswerMalformed():
            return e.SectionAnswerMalformed(**details)
        case o.ContextTooLong():
            tokens = {"prompt_tokens": outcome.prompt_tokens, "context_tokens": outcome.context_tokens}
            return e.SectionContextTooLong(**details, **tokens)
        case o.InputsMissing():
            return e.SectionInputsMissing(**details, missing=outcome.missing)
        case o.RoleAnalysisMissing():
            return e.SectionRoleAnalysisMissing(**details, processing_metadata=outcome.processing_metadata)
        case o.NoRoleLeft():
            return e.SectionNoRoleLeft(**details, processing_metadata=outcome.processing_metadata)
        case o.ThreadLost():
            return e.SectionThreadLost(**details)
        case o.JobDead():
            return e.SectionJobDead(**details)
        case _:
            assert_never(outcome)


def _of_export(outcome: o.Outcome, export_id: str, export: Export) -> e.AnyEvent:
    common: dict[str, Any] = {"export_id": export_id, "format": export.format, "job_id": outcome.job_id}
    match outcome:
        case o.DocumentConverted():
            told: dict[str, Any] = {"warnings": outcome.warnings, "remarks": outcome.remarks}
            told |= {"too_long": outcome.too_long, "not_covered": outcome.not_covered}
            return e.DocumentExported(**common, artifact=outcome.artifact, **told)
        case o.ConversionFailed():
            return e.ExportFailed(**common, detail=outcome.detail)
        case o.JobDead():
            return e.ExportJobDead(**common, detail=outcome.detail)
        case _:
            raise _unfitting(outcome)
