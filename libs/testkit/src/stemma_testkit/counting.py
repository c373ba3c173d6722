"""Work counted in calls: a measure that no other load on the machine changes."""

from __future__ import annotations

import sys
from collections.abc import Callable


def calls(work: Callable[[], object]) -> int:
    """How many calls and returns a piece of work takes, those of built-in functions too."""
    count = 0

    def counted(frame: object, event: str, arg: object) -> None:
        nonlocal count
        count += 1

    sys.setprofile(counted)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count
