"""Event log on JetStream with compare and set, and the one load-fold-decide-append loop."""

from .batches import Batch, ReadRefused, read_batch
from .decider import Cause, Decider, EventStore, Folded, FoldFailed, Handled, TooManyConflicts
from .jetstream import JetStreamEventLog, LogFull, LogRefused
from .log import AppendUnknown, Conflict, EventLog, NewEvent, Recorded, StreamId, Unreadable
from .memory import MemoryEventLog
