"""Events about who is asked to see to a section, and those that settle it, folded into its assignment."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import assert_never

from stemma_contracts.v1 import events as e

from .assignment_state import Assignment
from .persons import person_of

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
