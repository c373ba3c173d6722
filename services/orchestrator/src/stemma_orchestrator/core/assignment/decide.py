"""Ask a person to see to a section, or nobody in particular any more. No text and no status changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import assert_never

from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests
from stemma_document.assignment_state import Assignment
from stemma_document.state import Document

from stemma_orchestrator.core.commands import RequestMeta, SectionCommand, refused

from .reminding import Elapsed, remind


@dataclass(frozen=True)
class Assign(SectionCommand):
    """Ask a person, and nobody else any more; ``time`` is that of the request."""

    request = requests.AssignSection
    assignee: str
    due: datetime | None
    time: datetime


@dataclass(frozen=True)
class Unassign(SectionCommand):
    request = requests.UnassignSection


AssignmentCommand = Assign | Unassign | Elapsed


def command_of(
    asked: RequestMeta, request: requests.AssignSection | requests.UnassignSection, time: datetime
) -> Assign | Unassign:
    """What a request of this time asks for."""
    match request:
        case requests.AssignSection():
            return Assign(asked, request.section_id, request.assignee, request.due, time)
        case requests.UnassignSection():
            return Unassign(asked, request.section_id)
        case _:
            assert_never(request)


def decide(command: AssignmentCommand, document: Document) -> Sequence[e.AnyEvent]:
    """The event of a request about who sees to a section, or its refusal; the reminder of a timer, if any."""
    match command:
        case Assign():
            return [_assigned(command, document.sections[command.section_id].assignment)]
        case Unassign():
            return [_unassigned(command, document.sections[command.section_id].assignment)]
        case Elapsed():
            return remind(command, document)
        case _:
            assert_never(command)


def _assigned(command: Assign, now: Assignment | None) -> e.AnyEvent:
    if command.due is not None and command.due <= command.time:
        return e.RefusedPastDue(**refused(command, command.section_id), due=command.due)
    if now is not None and (now.assignee, now.due) == (command.assignee, command.due):
        about = refused(command, command.section_id)
        return e.RefusedSameAssignment(**about, assignee=command.assignee, due=command.due)
    return e.SectionAssigned(**command.asked, section_id=command.section_id, assignee=command.assignee, due=command.due)


def _unassigned(command: Unassign, now: Assignment | None) -> e.AnyEvent:
    if now is None:
        return e.RefusedNotAssigned(**refused(command, command.section_id))
    return e.SectionUnassigned(**command.asked, section_id=command.section_id, assignee=now.assignee)
