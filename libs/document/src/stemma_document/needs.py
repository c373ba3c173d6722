"""Fold a need of a paused graph into the phase of its section: a person answers a question, a service has a job."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from stemma_contracts.v1 import events as e

from .job_ids import RESUME
from .state import AwaitingAnswer, Generating, NeedDispatched, Phase, Resuming
from .tries import answered

_JOBS: dict[str, Literal["validate", "convert"]] = {"validation": "validate", "conversion": "convert"}

NewJob = Callable[[str], str]


def after_need_raised(phase: Phase, event: e.SectionNeedRaised, new_job: NewJob) -> Phase:
    """A section whose graph paused; ``new_job`` gives the id of a job by its name."""
    match phase:
        case Generating():
            generating = phase
        case Resuming():
            generating = phase.generating
        case _:
            return phase
    job = _JOBS.get(event.need.kind)
    if job is None or event.need.draft is None:
        return AwaitingAnswer(event.thread_id, event.need, generating)
    return NeedDispatched(new_job(job), event.thread_id, event.need, generating)


def after_need_answered(phase: Phase, event: e.SectionNeedAnswered, new_job: NewJob) -> Phase:
    """A section whose graph goes on, with what it needed or without."""
    if not isinstance(phase, AwaitingAnswer | NeedDispatched):
        return phase
    generating = phase.generating
    if event.answered_by == "person":
        generating = replace(generating, tries=answered(generating.tries, phase.need, event.answer))
    return Resuming(
        new_job(RESUME),
        phase.thread_id,
        phase.need.checkpoint_id,
        event.answer,
        generating,
        event.answered_by,
        event.failed,
        event.detail,
    )


def dispatched_again(phase: NeedDispatched, new_job: NewJob) -> NeedDispatched:
    """The same need under another job."""
    return replace(phase, job_id=new_job(_JOBS[phase.need.kind]))
