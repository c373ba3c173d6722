"""How much may go on behind other work, by whether this process keeps up."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

TICK_S = 0.05
LATE_S = 0.01
"""A process that comes to its timers later than this has more to do than it can, or others have the processor."""


def paced(width: int, most: int, used: int, late_s: float) -> int:
    """The next width: half of it when late, one more when all of it is used (as congestion is avoided, RFC 5681)."""
    if late_s > LATE_S:
        return max(1, width // 2)
    return min(most, width + 1) if used >= width else width


class Pace:
    """The width of what goes on behind other work, from 1 to ``most``; it is looked at while any of it is used.

    ``wider`` is called when there is more room.
    """

    def __init__(self, most: int, wider: Callable[[], None]) -> None:
        self._most = max(1, most)
        self._wider = wider
        self._used = 0
        self._looks = False
        self.width = 1

    def use(self, change: int) -> None:
        """So much more is used, or less."""
        self._used += change
        if self._used and not self._looks:
            self._look_later()

    def _look_later(self) -> None:
        loop = asyncio.get_running_loop()
        due = loop.time() + TICK_S
        loop.call_at(due, self._look, due)
        self._looks = True

    def _look(self, due: float) -> None:
        self._looks = False
        if not self._used:
            self.width = 1
            return
        before, late_s = self.width, asyncio.get_running_loop().time() - due
        self.width = paced(before, self._most, self._used, late_s)
        self._look_later()
        if self.width > before:
            self._wider()
