"""Who is asked to see to a section, and by when; and reminders: one before that time, and one when it is past.

An assignment locks nothing: whoever has the right decides. What an event settles is not due any more. The timers follow
from the state, as open jobs do; one that elapses twice, or too late, gives nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, assert_never, get_args

from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.views import AssignmentView

from stemma_domain.commands import Asked, Timer, refused_section
from stemma_domain.hooks import Feature
from stemma_domain.state import Document, Lifecycle, Section, person_of, with_section

DUE_SOON = "due-soon"
OVERDUE = "overdue"
AssignmentRequest = r.AssignSection | r.UnassignSection


def evolve(document: Document, event: e.AnyAssignmentEvent) -> Document:
    section = document.sections[event.section_id]
    return with_section(document, replace(section, assignment=_assignment_after(document, section.assignment, event)))


def _assignment_after(
    document: Document, assignment: AssignmentView | None, event: e.AnyAssignmentEvent
) -> AssignmentView | None:
    match event:
        case e.SectionAssigned(assignee=assignee, due=due):
            by, at, number = person_of(event), document.time, document.number
            return AssignmentView(assignee=assignee, due=due, by=by.name, verified=by.verified, at=at, number=number)
        case e.SectionUnassigned():
            return None
        case e.SectionDueSoon():
            return assignment.model_copy(update={"due_soon": True}) if assignment else None
        case e.SectionOverdue():
            return assignment.model_copy(update={"overdue": True}) if assignment else None
        case _:
            assert_never(event)


def after(document: Document, event: e.AnyEvent) -> Document:
    """What an event settles is not due any more."""
    section = document.sections.get(_settled_by(event))
    if section is None or section.assignment is None or section.assignment.due is None:
        return document
    return with_section(document, replace(section, assignment=section.assignment.model_copy(update={"due": None})))


def _settled_by(event: e.AnyEvent) -> str:
    match event:
        case e.SectionEdited(awaits_review=True) | e.SectionRestored(awaits_review=True):
            return ""
        case e.SectionApproved() | e.SectionEdited() | e.SectionRestored() | e.SectionKept():
            return event.section_id
        case _:
            return ""


def decide(command: Asked[AssignmentRequest], document: Document) -> Sequence[e.AnyEvent]:
    now = document.sections[command.request.section_id].assignment
    match command.request:
        case r.AssignSection() as request:
            return [_assigned(command, request, now)]
        case r.UnassignSection():
            return [_unassigned(command, now)]
        case _:
            assert_never(command.request)


def _assigned(command: Asked[AssignmentRequest], request: r.AssignSection, now: AssignmentView | None) -> e.AnyEvent:
    if request.due is not None and request.due <= command.time:
        return refused_section(command, Problem.of("due_past", "due", due=request.due.isoformat()))
    if now is not None and (now.assignee, now.due) == (request.assignee, request.due):
        return refused_section(command, Problem.of("assigned_already", "assignee", assignee=request.assignee))
    return e.SectionAssigned(**command.asked, section_id=request.section_id, assignee=request.assignee, due=request.due)


def _unassigned(command: Asked[AssignmentRequest], now: AssignmentView | None) -> e.AnyEvent:
    if now is None:
        return refused_section(command, Problem.of("not_assigned", "section_id"))
    return e.SectionUnassigned(**command.asked, section_id=command.request.section_id, assignee=now.assignee)


def timers(document: Document, before: timedelta) -> Iterator[Timer]:
    """The timers of a document that lie behind its last event; the first one of each is ``before`` the time itself."""
    if document.lifecycle is Lifecycle.CANCELLED:
        return
    for name, section in document.sections.items():
        for timer in _timers(name, section.assignment, before) if section.assignment else ():
            if document.time is None or timer.at > document.time:
                yield timer


def _timers(section_id: str, assignment: AssignmentView, before: timedelta) -> Iterator[Timer]:
    if assignment.due is None:
        return
    if before:
        yield Timer(section_id, DUE_SOON, assignment.number, assignment.due - before)
    yield Timer(section_id, OVERDUE, assignment.number, assignment.due)


def remind(timer: Timer, document: Document) -> Sequence[e.AnyEvent]:
    """The reminder of a timer that elapsed, unless it was given before, or the time does not count any more."""
    section = document.sections.get(timer.section_id)
    assignment = section.assignment if section else None
    if assignment is None or assignment.number != timer.number or assignment.due is None:
        return []
    if _was_given(timer, assignment) or document.lifecycle is Lifecycle.CANCELLED:
        return []
    event = e.SectionDueSoon if timer.name == DUE_SOON else e.SectionOverdue
    return [event(section_id=timer.section_id, assignee=assignment.assignee, due=assignment.due)]


def _was_given(timer: Timer, assignment: AssignmentView) -> bool:
    """Whether the reminder was given; that it is due soon is told of nothing that is overdue."""
    if timer.name == OVERDUE:
        return assignment.overdue
    return assignment.due_soon or assignment.overdue or (assignment.due is not None and assignment.due <= timer.at)


def view(section: Section) -> Mapping[str, Any]:
    return {"assignment": section.assignment}


FEATURE = Feature[Asked[AssignmentRequest]](
    requests=get_args(AssignmentRequest),
    decide=decide,
    events=get_args(e.AnyAssignmentEvent),
    evolve=evolve,
    after=after,
    timers=timers,
    elapsed={DUE_SOON: remind, OVERDUE: remind},
    view=view,
)
