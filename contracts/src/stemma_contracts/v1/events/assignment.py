"""Events about who is asked to see to a section; none of them changes its text or its status."""

from __future__ import annotations

from pydantic import Field

from stemma_contracts.registry import Family, registry
from stemma_contracts.v1.assignment import Due
from stemma_contracts.v1.requests import Actor

from .base import SectionEvent


@registry.contract("stemma.section.assigned.v1", Family.EVENT)
class SectionAssigned(SectionEvent):
    """Somebody asked a person to see to the section; it takes the place of what was asked before."""

    assignee: Actor
    due: Due | None = Field(default=None, description="it counts until the section is settled")


@registry.contract("stemma.section.unassigned.v1", Family.EVENT)
class SectionUnassigned(SectionEvent):
    """Nobody in particular is asked any more."""

    assignee: Actor = Field(description="who was")


class DueEvent(SectionEvent):
    """A reminder, at most one of a kind for each assignment; there is none once the section is settled."""

    assignee: Actor
    due: Due


@registry.contract("stemma.section.due.soon.v1", Family.EVENT)
class SectionDueSoon(DueEvent):
    """The section is due soon, and not settled yet."""


@registry.contract("stemma.section.overdue.v1", Family.EVENT)
class SectionOverdue(DueEvent):
    """The section was due, and is not settled yet."""
