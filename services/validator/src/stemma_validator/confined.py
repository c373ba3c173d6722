"""Checks of texts from outside: a small one runs here, a large one in a process of its own that can be ended."""

from __future__ import annotations

import asyncio
import sys
from abc import ABC, abstractmethod
from pathlib import Path
from tempfile import gettempdir
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel, TypeAdapter

from .errors import EngineCrashed
from .processes import Limits, run_limited

QUICK_CHARACTERS = 2 * 1024
"""Up to here a check takes a few milliseconds, the worst input a tenth of a second: a thread costs more."""
SAFE_CHARACTERS = 64 * 1024
"""Up to here the worst input takes a second or two, in a thread; beyond, a process of its own can be ended."""

T = TypeVar("T")


class Check(BaseModel, ABC, Generic[T]):
    """A check that holds all it needs, so that a process can be given it; ``answer`` writes and reads what it finds."""

    name: ClassVar[str]
    answer: ClassVar[TypeAdapter[Any]]

    @property
    @abstractmethod
    def characters(self) -> int:
        """How much there is to read."""

    @abstractmethod
    def run(self) -> T:
        """What the check finds."""


async def checked(check: Check[T], limits: Limits) -> T:
    """What a check of any size finds; raises `ValidationImpossible` past the limits."""
    characters = check.characters
    if characters > SAFE_CHARACTERS:
        return await _in_a_process(check, limits)
    return await asyncio.to_thread(check.run) if characters > QUICK_CHARACTERS else check.run()


async def _in_a_process(check: Check[T], limits: Limits) -> T:
    kind = type(check)
    argv = [sys.executable, "-I", "-m", "stemma_validator.check_process", kind.__module__, kind.__name__]
    stdin = check.model_dump_json().encode()
    finished = await run_limited(check.name, argv, folder=Path(gettempdir()), limits=limits, stdin=stdin)
    if finished.status != 0:
        # What it wrote may quote the text, and the cause goes to a log as well.
        raise EngineCrashed(check.name, finished.status, b"")
    found: T = check.answer.validate_json(finished.stdout)
    return found
