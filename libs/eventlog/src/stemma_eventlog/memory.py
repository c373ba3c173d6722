"""The event log in memory, with the behaviour of the real one."""

from collections import defaultdict
from collections.abc import Sequence

from .log import Conflict, NewEvent, Recorded, StreamId, Unreadable


class MemoryEventLog:
    """An `EventLog` for programs that need no server; one conformance suite holds both to the same."""

    def __init__(self) -> None:
        self._last = 0
        self._streams: dict[StreamId, list[Recorded | Unreadable]] = defaultdict(list)

    async def read(self, stream: StreamId, after: int = 0) -> list[Recorded | Unreadable]:
        """See `EventLog.read`."""
        return [recorded for recorded in self._streams[stream] if recorded.sequence > after]

    async def append(self, stream: StreamId, expected: int, events: Sequence[NewEvent]) -> int:
        """See `EventLog.append`."""
        recorded = self._streams[stream]
        last = recorded[-1].sequence if recorded else 0
        if last != expected:
            raise Conflict(f"expected {expected}, the log is at {last}")
        for new in events:
            self._last += 1
            recorded.append(Recorded(new.envelope, new.event, self._last))
        return self._last
