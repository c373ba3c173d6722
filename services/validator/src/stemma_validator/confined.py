"""Checks of texts from outside: a small one runs here, a large one in a process of its own that can be ended."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel, TypeAdapter
from stemma_confinement import Crashed, Limits, OutOfMemory, OutOfTime, Prepared

from . import check_process
from .errors import EngineCrashed, ValidationOutOfMemory, ValidationTimeout

QUICK_CHARACTERS = 512
"""Up to here a check takes a few milliseconds, the worst input 25: a thread costs more."""
SAFE_CHARACTERS = 16 * 1024
"""Up to here the worst input takes half a second, in a thread; beyond, a process of its own can be ended."""

# One for all checks of this process; it starts with the first large one.
_prepared = Prepared(check_process.prepare)

T = TypeVar("T")


class Check(BaseModel, ABC, Generic[T]):
    """A check that holds all it needs, so that a process can be given it; ``answer`` writes and reads what it finds."""

    name: ClassVar[str]
    answer: ClassVar[TypeAdapter[Any]]

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
    with TemporaryDirectory(prefix="stemma-check-") as folder:
        found: T = await _found(check, Path(folder), limits)
        return found


async def _found(check: Check[T], folder: Path, limits: Limits) -> T:
    await asyncio.to_thread(check_process.order, check, folder)
    try:
        await _prepared.run(check_process.run, folder, limits)
    except OutOfTime:
        raise ValidationTimeout(limits.seconds) from None
    except OutOfMemory:
        raise ValidationOutOfMemory(limits.memory_mb) from None
    except Crashed as crash:
        raise EngineCrashed(check.name, crash.status, crash.raised.encode()) from None
    data = await asyncio.to_thread((folder / check_process.FOUND).read_bytes)
    found: T = check.answer.validate_json(data)
    return found
