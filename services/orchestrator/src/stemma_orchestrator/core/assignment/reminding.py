"""Reminders of what is due: one before the time and one when it is past. What an event settles is not due any more.

The timers follow from the state, as open jobs do. One that elapses twice, or too late, gives nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from stemma_contracts.v1 import events as e
from stemma_document.assignment_state import Assignment
from stemma_document.state import Document, Lifecycle

from stemma_orchestrator.core.commands import Command


class Reminder(StrEnum):
    """Of what somebody is reminded."""

    DUE_SOON = "due-soon"
    OVERDUE = "overdue"


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


@dataclass(frozen=True)
class Elapsed(Command):
    """A timer of an assignment elapsed, at ``time``."""

    section_id: str
    reminder: Reminder
    assignment: int
    time: datetime


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
