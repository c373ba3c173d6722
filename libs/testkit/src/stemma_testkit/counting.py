"""Work counted in calls: a measure that no other load on the machine changes."""

import sys
from collections.abc import Callable
from inspect import CO_GENERATOR
from types import FrameType


def calls(work: Callable[[], object]) -> int:
    """How many calls and returns a piece of work takes, those of built-in functions too."""
    return _counted(work, lambda frame, event: 1)


def characters(work: Callable[[], object]) -> int:
    """How many characters the functions that a piece of work calls are given: what is copied again and again counts.

    A function that is given a whole text to look at one place of it counts the whole.
    """
    begun: set[FrameType] = set()

    def given(frame: FrameType, event: str) -> int:
        if event != "call" or frame in begun:
            return 0
        if frame.f_code.co_flags & CO_GENERATOR:
            begun.add(frame)
        return sum(map(_length, frame.f_locals.values()))

    return _counted(work, given)


def _length(value: object) -> int:
    if isinstance(value, tuple):
        return sum(len(part) for part in value if isinstance(part, str))
    return len(value) if isinstance(value, str) else 0


def _counted(work: Callable[[], object], worth: Callable[[FrameType, str], int]) -> int:
    count = 0

    def profile(frame: FrameType, event: str, arg: object) -> None:
        nonlocal count
        count += worth(frame, event)

    sys.setprofile(profile)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count
