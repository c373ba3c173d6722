"""Who is asked to see to a section, and by when; and reminders: one before that time, and one when it is past.

An assignment locks nothing: whoever has the right decides. What an event settles is not due any more. The timers follow
from the state, as open jobs do; one that elapses twice, or too late, gives nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import assert_never

from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.views import AssignmentView

from stemma_domain.commands import Asked, Command, refused_section
from stemma_domain.hooks import Feature
from stemma_domain.state import NOBODY, Document, Lifecycle, Person, person_of


class Reminder(StrEnum):
    """Of what somebody is reminded."""

    DUE_SOON = "due-soon"
    OVERDUE = "overdue"


@dataclass(frozen=True)
class Elapsed(Command):
    """A timer of an assignment elapsed, at ``time``."""

    section_id: str
    reminder: Reminder
    assignment: int
    time: datetime


AssignmentRequest = r.AssignSection | r.UnassignSection


@dataclass(frozen=True)
class Assignment:
    """A person who is asked to see to a section, by the event with this ``number``.

    ``due`` is None where no time was named, and once the section was settled. ``due_soon`` and ``overdue`` are the
    reminders that were given.
    """

    number: int
    assignee: str
    due: datetime | None = None
    by: Person = NOBODY
    at: datetime | None = None
    due_soon: bool = False
    overdue: bool = False


_SETTLING = (e.SectionApproved, e.SectionEdited, e.SectionRestored, e.SectionKept)


def assignment_after(
    assignment: Assignment | None, event: e.AnyAssignmentEvent, number: int, at: datetime | None
) -> Assignment | None:
    """The assignment of a section after the event of this number and time."""
    match event:
        case e.SectionAssigned():
            return Assignment(number, event.assignee, event.due, person_of(event), at)
        case e.SectionUnassigned():
            return None
        case e.SectionDueSoon():
            return replace(assignment, due_soon=True) if assignment else None
        case e.SectionOverdue():
            return replace(assignment, overdue=True) if assignment else None
        case _:
            assert_never(event)


def assignment_kept(assignment: Assignment | None, event: e.AnySectionEvent) -> Assignment | None:
    """The assignment after an event about the text of its section: what is settled is not due any more."""
    if assignment is None or assignment.due is None or not isinstance(event, _SETTLING):
        return assignment
    return replace(assignment, due=None)


def decide(command: Asked[AssignmentRequest], document: Document) -> Sequence[e.AnyEvent]:
    """The event of a request about who sees to a section, or its refusal."""
    now = document.sections[command.request.section_id].assignment
    match command.request:
        case r.AssignSection() as request:
            return [_assigned(command, request, now)]
        case r.UnassignSection():
            return [_unassigned(command, now)]
        case _:
            assert_never(command.request)


def _assigned(command: Asked[AssignmentRequest], request: r.AssignSection, now: Assignment | None) -> e.AnyEvent:
    if request.due is not None and request.due <= command.time:
        return refused_section(command, Problem.of("due_past", "due", due=request.due.isoformat()))
    if now is not None and (now.assignee, now.due) == (request.assignee, request.due):
        return refused_section(command, Problem.of("assigned_already", "assignee", assignee=request.assignee))
    return e.SectionAssigned(**command.asked, section_id=request.section_id, assignee=request.assignee, due=request.due)


def _unassigned(command: Asked[AssignmentRequest], now: Assignment | None) -> e.AnyEvent:
    if now is None:
        return refused_section(command, Problem.of("not_assigned", "section_id"))
    return e.SectionUnassigned(**command.asked, section_id=command.request.section_id, assignee=now.assignee)


@dataclass(frozen=True)
class Timer:
    """A time at which to remind somebody of an assignment, which has the number of its event."""

    section_id: str
    reminder: Reminder
    assignment: int
    at: datetime

    @property
    def id(self) -> str:
        """The same for the same time, whoever sets it."""
        return f"{self.section_id}.{self.reminder}.{self.assignment}.{self.at.timestamp():.0f}"


def timers(document: Document, before: timedelta) -> Iterator[Timer]:
    """The timers of a document that lie behind its last event; the first one of each is ``before`` the time itself."""
    if document.lifecycle is Lifecycle.CANCELLED:
        return
    for name, section in document.sections.items():
        for timer in _timers(name, section.assignment, before) if section.assignment else ():
            if document.time is None or timer.at > document.time:
                yield timer


def _timers(section_id: str, assignment: Assignment, before: timedelta) -> Iterator[Timer]:
    if assignment.due is None:
        return
    if before:
        yield Timer(section_id, Reminder.DUE_SOON, assignment.number, assignment.due - before)
    yield Timer(section_id, Reminder.OVERDUE, assignment.number, assignment.due)


def remind(command: Elapsed, document: Document) -> Sequence[e.AnyEvent]:
    """The reminder of a timer that elapsed, unless it was given before, or the time does not count any more."""
    section = document.sections.get(command.section_id)
    assignment = section.assignment if section else None
    if section is None or assignment is None or assignment.number != command.assignment or assignment.due is None:
        return []
    if _was_given(command, assignment) or document.lifecycle is Lifecycle.CANCELLED:
        return []
    event = e.SectionDueSoon if command.reminder is Reminder.DUE_SOON else e.SectionOverdue
    return [event(section_id=command.section_id, assignee=assignment.assignee, due=assignment.due)]


def _was_given(command: Elapsed, assignment: Assignment) -> bool:
    """Whether the reminder was given; that it is due soon is told of nothing that is overdue."""
    if command.reminder is Reminder.OVERDUE:
        return assignment.overdue
    return assignment.due_soon or assignment.overdue or (assignment.due is not None and assignment.due <= command.time)


def assignment_view(assignment: Assignment) -> AssignmentView:
    """The view of an assignment."""
    by = assignment.by
    return AssignmentView(
        assignee=assignment.assignee, due=assignment.due, by=by.name, at=assignment.at, verified=by.verified
    )


FEATURE = Feature[Asked[AssignmentRequest]](requests=(r.AssignSection, r.UnassignSection), decide=decide)
