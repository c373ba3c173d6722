"""What is told between a service, its prepared process and the keeper of a call: one short message each way."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

LONGEST = 16 * 1024
"""Bytes of a message: names and numbers; texts lie in the folder of the call."""


@dataclass(frozen=True)
class Limits:
    """Wall time of a call, and memory, CPU time and size of each file of each process in it.

    Memory is what a process takes beyond what it was copied with.
    """

    seconds: float = 30
    memory_mb: int = 1024
    output_mb: int = 256


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
    """How a call ended; ``status`` is None for one whose time was up."""

    status: int | None
    raised: str = ""

    @classmethod
    def read(cls, message: bytes) -> Ended:
        """The end that a message tells."""
        return cls(**json.loads(message))

    def written(self) -> bytes:
        """The message that tells it."""
        return json.dumps(asdict(self)).encode()
