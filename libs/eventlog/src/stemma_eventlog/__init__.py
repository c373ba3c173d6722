"""Event log on JetStream with compare and set, and the one load-fold-decide-append loop."""

from .decider import Cause, Decider, EventStore, Folded, Handled, TooManyConflicts
from .jetstream import JetStreamEventLog, LogFull, LogRefused
from .log import AppendUnknown, Conflict, EventLog, NewEvent, Recorded, StreamId, Unreadable
from .memory import MemoryEventLog

__all__ = [
    "AppendUnknown",
    "Cause",
    "Conflict",
    "Decider",
    "EventLog",
    "EventStore",
    "Folded",
    "Handled",
    "JetStreamEventLog",
    "LogFull",
    "LogRefused",
    "MemoryEventLog",
    "NewEvent",
    "Recorded",
    "StreamId",
    "TooManyConflicts",
    "Unreadable",
]
