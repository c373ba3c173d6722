"""Who is asked to see to a section, and until when."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from .persons import NOBODY, Person


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
