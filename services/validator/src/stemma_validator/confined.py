"""Checks of texts from outside: a small one runs here, a large one in a process of its own that can be ended."""

import asyncio
from abc import ABC, abstractmethod
from importlib import import_module
from typing import ClassVar, Generic, TypeVar

from pydantic import BaseModel
from stemma_confinement import Crashed, Limits, OutOfMemory, OutOfTime, Prepared
from stemma_confinement.computing import confined

from .errors import EngineCrashed, ValidationOutOfMemory, ValidationTimeout

QUICK_CHARACTERS = 512
"""Up to here a check takes a few milliseconds, the worst input 25: a thread costs more."""
SAFE_CHARACTERS = 16 * 1024
"""Up to here the worst input takes half a second, in a thread; beyond, a process of its own can be ended."""

# By name, because they import this module.
CHECKS = (
    "answers",
    "citing",
    "claims",
    "covering",
    "engines.rumdl",
    "extracting",
    "given",
    "identification",
    "resting",
    "structure",
    "sums",
)


def prepare() -> None:
    modules = {name: import_module(f"{__package__}.{name}") for name in CHECKS}
    modules["claims"].ClaimsCheck(text="Ada pays EUR 5.", language="en", sources=()).run()


# One for all checks of this process; it starts with the first large one.
_prepared = Prepared(prepare)

T = TypeVar("T")


class Check(BaseModel, ABC, Generic[T]):
    """A check that holds all it needs, so that a process can be given it."""

    name: ClassVar[str]

    @property
    @abstractmethod
    def characters(self) -> int:
        """How much there is to read."""

    @property
    def unknown(self) -> int:
        """How much of it was never read: what was, takes time in step with its length, and a thread will do."""
        return self.characters

    @abstractmethod
    def run(self) -> T:
        """What the check finds."""


async def checked(check: Check[T], limits: Limits) -> T:
    """What a check of any size finds; raises `ValidationImpossible` past the limits."""
    if check.unknown > SAFE_CHARACTERS:
        return await _in_a_process(check, limits)
    is_quick = check.unknown <= QUICK_CHARACTERS and check.characters <= SAFE_CHARACTERS
    return check.run() if is_quick else await asyncio.to_thread(check.run)


async def _in_a_process(check: Check[T], limits: Limits) -> T:
    try:
        return await confined(_prepared, limits, type(check).run, check)
    except OutOfTime:
        raise ValidationTimeout(limits.seconds) from None
    except OutOfMemory:
        raise ValidationOutOfMemory(limits.memory_mb) from None
    except Crashed as crash:
        raise EngineCrashed(check.name, crash.status, crash.raised.encode()) from None
