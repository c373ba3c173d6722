"""How a confined call can end without coming to its end."""

from __future__ import annotations


class ConfinementError(Exception):
    """A call did not come to its end; the words hold nothing of what it read."""


class OutOfTime(ConfinementError):
    """The call used more CPU time than it may: so it will the next time."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"more than {seconds:g} s of CPU time")


class Stalled(Exception):
    """A call did not end by the clock, though it had CPU time left: the machine had too little for it, or it hung.

    That says nothing of what it read, so it is no `ConfinementError`: the message behind it is tried again later.
    """

    def __init__(self, wall_seconds: float) -> None:
        super().__init__(f"no end within {wall_seconds:g} s")


class OutOfMemory(ConfinementError):
    """The call wanted more memory than it may have."""

    def __init__(self, memory_mb: int) -> None:
        super().__init__(f"more than {memory_mb} MB of memory")


class Crashed(ConfinementError):
    """The call raised, or its process was killed.

    ``status`` is the exit status, negative for a signal, None if nobody saw its end; ``raised`` is the kind of the
    exception and the line that it comes from.
    """

    def __init__(self, status: int | None, raised: str = "") -> None:
        super().__init__(raised or f"status {status}")
        self.status = status
        self.raised = raised
