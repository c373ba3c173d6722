"""Which rule may try now: a receiver that is slow or down takes no slots from the others."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from stemma_messaging import PutOff

AT_A_TIME = 4
BUSY_S = 2.0


@dataclass
class _Lane:
    inside: int = 0
    failures: int = 0
    rests_until: float = 0.0


class Lanes:
    """For each rule, how many of its notices are on their way, and until when its receiver is left alone.

    Of one whose receiver failed, one notice at a time is tried, after a rest that doubles with each failure.
    """

    def __init__(self, rest_s: float, longest_rest_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rest_s = rest_s
        self._longest_s = longest_rest_s
        self._clock = clock
        self._lanes: dict[str, _Lane] = {}

    @contextmanager
    def enter(self, rule: str) -> Iterator[None]:
        """Try a notice in this block; raises `PutOff` where it has to wait."""
        if rests := self.rests(rule):
            raise PutOff(rests, "its receiver failed and is left alone")
        lane = self._lanes.setdefault(rule, _Lane())
        if lane.inside >= (1 if lane.failures else AT_A_TIME):
            raise PutOff(BUSY_S, "others of its rule are on their way")
        lane.inside += 1
        try:
            yield
        finally:
            lane.inside -= 1
            if not lane.inside and not lane.failures:
                del self._lanes[rule]

    def rests(self, rule: str) -> float:
        """For how many seconds more the receiver is left alone."""
        lane = self._lanes.get(rule)
        return max(0.0, lane.rests_until - self._clock()) if lane else 0.0

    def succeeded(self, rule: str) -> None:
        """The receiver is well: what failed before counts no more."""
        lane = self._lanes[rule]
        lane.failures, lane.rests_until = 0, 0.0

    def failed(self, rule: str) -> float:
        """The receiver failed; returns for how many seconds it is left alone."""
        lane = self._lanes[rule]
        rest_s = min(self._longest_s, self._rest_s * 2.0 ** min(lane.failures, 20))
        lane.failures += 1
        lane.rests_until = self._clock() + rest_s
        return rest_s
