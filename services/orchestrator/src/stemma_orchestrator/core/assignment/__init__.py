"""Who is asked to see to a section, and by when. It locks nothing: whoever has the right decides."""

from stemma_orchestrator.core.hooks import Feature

from .decide import Assign, AssignmentCommand, Unassign, command_of, decide
from .reminding import Elapsed, Reminder, Timer, timers

FEATURE = Feature[AssignmentCommand](commands=(Assign, Unassign, Elapsed), decide=decide)

__all__ = [
    "FEATURE",
    "Assign",
    "AssignmentCommand",
    "Elapsed",
    "Reminder",
    "Timer",
    "Unassign",
    "command_of",
    "timers",
]
