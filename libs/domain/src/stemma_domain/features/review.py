"""Review: people approve the draft of a section, take that back, or have the draft revised.

Each decision is bound to the version that the person saw. An approval counts for that version alone: another text has
none. Of a version that waits too long, the delegate of its policy is asked to see to it.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any, assert_never, get_args

from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.validation import LONG_ANSWER, UNACCEPTED_ANSWER

from stemma_domain.commands import Asked, Timer, of_status, old_version, refused_section
from stemma_domain.hooks import Feature
from stemma_domain.state import (
    Approved,
    AwaitingAnswer,
    AwaitingReview,
    Document,
    Generating,
    Lifecycle,
    NeedDispatched,
    Resuming,
    Section,
)

from .cycles import may_be_approved, revise_all

REVIEW_LATE = "review-late"
ReviewRequest = r.ApproveSection | r.ReviseSection | r.WithdrawApproval


def decide(command: Asked[ReviewRequest], document: Document) -> Sequence[e.AnyEvent]:
    """The event of a review, or the refusal that names the reason."""
    section = document.sections[command.request.section_id]
    return [_not_reviewable(command, section) or _reviewed(command, document, section)]


def _not_reviewable(command: Asked[ReviewRequest], section: Section) -> e.DecisionRefused | None:
    if refusal := old_version(command, section.current_number):
        return refusal
    is_open = isinstance(section.phase, AwaitingReview)
    if isinstance(command.request, r.WithdrawApproval):
        is_fitting = isinstance(section.phase, Approved) or (is_open and _has_approved(command, section))
    else:
        is_fitting = is_open
    return None if is_fitting else refused_section(command, of_status(section))


def _has_approved(command: Asked[ReviewRequest], section: Section) -> bool:
    approvals = section.current.approvals if section.current else ()
    return any(one.by == command.asked["actor"] for one in approvals)


def _reviewed(command: Asked[ReviewRequest], document: Document, section: Section) -> e.AnyEvent:
    match command.request:
        case r.ApproveSection():
            return _approve(command, document, section)
        case r.ReviseSection(cycle=True) as request:
            return _revise_all(command, request, document)
        case r.ReviseSection():
            return _revise(command, section)
        case r.WithdrawApproval():
            return _withdraw(command, document)
        case _:
            assert_never(command.request)


def _approve(command: Asked[ReviewRequest], document: Document, section: Section) -> e.AnyEvent:
    name, version = command.request.section_id, command.request.version
    if not may_be_approved(document, name):
        return refused_section(command, of_status(section))
    merge = section.current.merge if section.current else None
    if merge and merge.count:
        return refused_section(command, Problem.of("conflicts_open", "version", version=version, conflicts=merge.count))
    if long := _answers_found(section, LONG_ANSWER):
        return refused_section(command, Problem.of("answers_too_long", "section_id", answers=long))
    if unaccepted := _answers_found(section, UNACCEPTED_ANSWER):
        return refused_section(command, Problem.of("answers_not_accepted", "section_id", answers=unaccepted))
    return _refused_approval(command, section) or _approved(command, section)


def _refused_approval(command: Asked[ReviewRequest], section: Section) -> e.DecisionRefused | None:
    """Of several approvals each is of another person, whom the server knows."""
    if section.plan.review.approvals == 1:
        return None
    if not command.asked["actor_verified"]:
        return refused_section(command, Problem.of("approver_unknown", "actor"))
    if _has_approved(command, section):
        return refused_section(command, Problem.of("approved_already", "actor"))
    return None


def _approved(command: Asked[ReviewRequest], section: Section) -> e.AnyEvent:
    name, version = command.request.section_id, command.request.version
    needed, now = section.plan.review.approvals, 1 + len(section.current.approvals if section.current else ())
    if now < needed:
        given = partial(e.SectionApprovalGiven, **command.asked, section_id=name, version=version)
        return given(approvals=now, needed=needed)
    return e.SectionApproved(**command.asked, section_id=name, version=version)


def follow(document: Document, events: Sequence[e.AnyEvent]) -> Sequence[e.AnyEvent]:
    """The events, in which a text that one person gives waits for as many as its policy wants."""
    return [_awaiting(document, one) if isinstance(one, e.SectionEdited | e.SectionRestored) else one for one in events]


def _awaiting(document: Document, event: e.SectionEdited | e.SectionRestored) -> e.AnyEvent:
    wanted = document.sections[event.section_id].plan.review.approvals
    return event.model_copy(update={"awaits_review": True}) if wanted > 1 else event


def _answers_found(section: Section, rule: str) -> int:
    validation = section.current.validation if section.plan.form and section.current else None
    return validation.rules.get(rule, 0) if validation else 0


def _withdraw(command: Asked[ReviewRequest], document: Document) -> e.AnyEvent:
    name, version = command.request.section_id, command.request.version
    if not command.asked["actor_verified"] and _is_verified(document.sections[name]):
        return refused_section(command, Problem.of("approval_verified", "actor"))
    cycle = document.cycle
    if cycle and name in (cycle.plan.review_section, cycle.plan.final_section):
        return refused_section(command, Problem.of("approval_of_cycle", "section_id"))
    others = document.sections.items()
    stops = tuple(one for one, other in others if _is_begun(other) and _uses(other, name, version))
    if users := [one for one, other in others if one not in stops and _uses(other, name, version)]:
        names = ", ".join(users)
        return refused_section(command, Problem.of("approval_in_use", "section_id", version=version, sections=names))
    return e.SectionApprovalWithdrawn(**command.asked, section_id=name, version=version, stops=stops)


def _is_verified(section: Section) -> bool:
    """Whether the server knew somebody who approved it: whom a program names takes that back from nobody."""
    return any(one.verified for one in (section.current.approvals if section.current else ()))


def _is_begun(section: Section) -> bool:
    """Whether it is being written, and nothing of that is there yet."""
    return isinstance(section.phase, Generating) and section.phase.round == 0


def _uses(section: Section, upstream: str, version: int) -> bool:
    """Whether its text rests on a version of another section, or the text that is being made."""
    match section.phase:
        case Generating(upstream=versions):
            pass
        case AwaitingAnswer(generating=made) | NeedDispatched(generating=made) | Resuming(generating=made):
            versions = made.upstream
        case _:
            versions = ()
    rests_on = (*versions, *(section.current.rests_on if section.current else ()))
    return any((each.section_id, each.version) == (upstream, version) for each in rests_on)


def _revise(command: Asked[ReviewRequest], section: Section) -> e.AnyEvent:
    if section.revisions >= section.plan.max_revisions:
        limit = section.plan.max_revisions
        return refused_section(command, Problem.of("revision_limit", "section_id", max_revisions=limit))
    return e.SectionRevisionRequested(
        **command.asked,
        section_id=command.request.section_id,
        version=command.request.version,
        feedback=command.stored["feedback"],
    )


def _revise_all(command: Asked[ReviewRequest], request: r.ReviseSection, document: Document) -> e.AnyEvent:
    cycle = document.cycle
    if cycle is None or request.section_id != cycle.plan.final_section:
        return refused_section(command, Problem.of("no_review_cycle", "cycle"))
    feedback = command.stored["feedback"]
    return revise_all(command.asked, document, cycle, feedback, replace_edited=request.replace_edited)


def timers(document: Document, _: timedelta) -> Iterator[Timer]:
    """When the delegates of versions that wait are asked, as far as that lies behind the last event."""
    for name, section in document.sections.items():
        if (at := _late_at(section)) and (document.time is None or at > document.time):
            yield Timer(name, REVIEW_LATE, section.current_number, at)


def _late_at(section: Section) -> datetime | None:
    policy, since = section.plan.review, section.notes.waits_since
    if policy.within_hours is None or since is None or not isinstance(section.phase, AwaitingReview):
        return None
    return since + timedelta(hours=policy.within_hours)


def ask_delegate(timer: Timer, document: Document) -> Sequence[e.AnyEvent]:
    """Ask the delegate of a version that still waits, unless that person is asked already."""
    section = document.sections.get(timer.section_id)
    if section is None or _late_at(section) != timer.at or section.current_number != timer.number:
        return []
    delegate, asked = section.plan.review.delegate, section.assignment
    if document.lifecycle is Lifecycle.CANCELLED or (asked and asked.assignee == delegate):
        return []
    return [e.SectionAssigned(section_id=timer.section_id, assignee=delegate)]


def view(section: Section) -> Mapping[str, Any]:
    return {"approvals_needed": section.plan.review.approvals}


FEATURE = Feature[Asked[ReviewRequest]](
    requests=get_args(ReviewRequest),
    decide=decide,
    follow=follow,
    timers=timers,
    elapsed={REVIEW_LATE: ask_delegate},
    view=view,
)
