"""One short message each way between a service, its prepared process and the keeper of a call; and how calls end."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

LONGEST = 16 * 1024
"""Bytes of a message: names and numbers; texts lie in the folder of the call."""
PATIENCE, LEAST_PATIENCE_S = 10, 600
"""How many times its CPU time a call may take by the clock while the machine has too little for all, at the least."""


@dataclass(frozen=True)
class Limits:
    """CPU seconds of a call with all that it starts, and memory and size of each file of each process in it.

    Memory is what a process takes beyond what it was copied with. ``wall_seconds`` end a call that waits without
    computing; 0 stands for many times what it may compute.
    """

    seconds: float = 30
    memory_mb: int = 1024
    output_mb: int = 256
    wall_seconds: float = 0

    @property
    def by_the_clock(self) -> float:
        """The seconds after which a call has stalled."""
        return self.wall_seconds or max(LEAST_PATIENCE_S, self.seconds * PATIENCE)

    @property
    def cpu_seconds(self) -> tuple[int, int]:
        """The CPU time of a process as the system counts it, the soft and the hard limit."""
        return math.ceil(self.seconds), math.ceil(self.seconds) + 1


@dataclass(frozen=True)
class Call:
    """A function of a module, which is given the folder where its input lies and its output is to lie."""

    module: str
    function: str
    folder: str
    limits: Limits = field(default_factory=Limits)

    @classmethod
    def of(cls, function: Callable[[Path], None], folder: Path, limits: Limits) -> Call:
        """The call of a function that stands at the top of its module."""
        return cls(function.__module__, function.__qualname__, str(folder), limits)

    @classmethod
    def read(cls, message: bytes) -> Call:
        """The call that a message tells."""
        told = json.loads(message)
        return cls(**{**told, "limits": Limits(**told["limits"])})

    def written(self) -> bytes:
        """The message that tells it."""
        return json.dumps(asdict(self)).encode()


@dataclass(frozen=True)
class Ended:
    """How a call ended; ``status`` is None for one whose time was up, by the clock if it ``stalled``."""

    status: int | None
    raised: str = ""
    stalled: bool = False

    @classmethod
    def read(cls, message: bytes) -> Ended:
        """The end that a message tells."""
        return cls(**json.loads(message))

    def written(self) -> bytes:
        """The message that tells it."""
        return json.dumps(asdict(self)).encode()


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
