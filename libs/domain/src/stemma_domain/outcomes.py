"""What the outcomes of all kinds of jobs have in common: whose job it was, what it cost, and how it can fail."""

from __future__ import annotations

from typing import TypedDict, assert_never

from stemma_contracts import registry
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.section import Activity, SectionStatus
from stemma_contracts.v1.usage import Usage

from .state import Section

Failure = (
    o.ModelUnavailable
    | o.AnswerMalformed
    | o.ContextTooLong
    | o.InputsMissing
    | o.RoleAnalysisMissing
    | o.NoRoleLeft
    | o.ThreadLost
    | o.JobDead
)


class UnfittingOutcome(TypeError):
    """A worker answered an open job with an outcome of another job's kind: a bug, not a business case."""


class Settled(TypedDict):
    """Which job of which section an event closes."""

    section_id: str
    job_id: str


class Paid(Settled):
    """The same, with what the job cost."""

    usage: Usage


class _Details(Paid):
    activity: Activity
    status: SectionStatus
    detail: str
    proposal_id: str | None


def settled(outcome: o.Outcome, section: Section) -> Settled:
    """Which job of which section an outcome closes."""
    return Settled(section_id=section.plan.section_id, job_id=outcome.job_id)


def paid(outcome: o.Outcome, section: Section) -> Paid:
    """The same, with what it cost."""
    return Paid(section_id=section.plan.section_id, job_id=outcome.job_id, usage=outcome.usage)


def unfitting(outcome: o.Outcome) -> UnfittingOutcome:
    """The error of an outcome that the open job cannot have."""
    return UnfittingOutcome(f"{registry.entry_of(outcome).ce_type} does not fit the job {outcome.job_id}")


def failed(
    outcome: Failure, section: Section, activity: Activity, status: SectionStatus, proposal_id: str | None = None
) -> e.AnyFailure:
    """The event of a job that ended without a result, and the status that it leaves the section in."""
    details = _Details(
        **paid(outcome, section), activity=activity, status=status, detail=outcome.detail, proposal_id=proposal_id
    )
    match outcome:
        case o.ModelUnavailable():
            return e.SectionModelUnavailable(**details)
        case o.AnswerMalformed():
            return e.SectionAnswerMalformed(**details)
        case o.ContextTooLong():
            return e.SectionContextTooLong(
                **details, prompt_tokens=outcome.prompt_tokens, context_tokens=outcome.context_tokens
            )
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
