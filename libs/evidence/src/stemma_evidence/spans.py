"""Which places of a text are already part of a claim."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


class Taken:
    """The places of a text of ``length`` characters, free at first."""

    def __init__(self, length: int) -> None:
        self._places = bytearray(length)

    def take(self, start: int, end: int) -> bool:
        """Take a span; False if a part of it was taken before, and then nothing is."""
        if not self.free(start, end):
            return False
        self._places[start:end] = b"\x01" * (end - start)
        return True

    def free(self, start: int, end: int) -> bool:
        """Whether no part of a span is taken."""
        return self._places.find(1, start, end) < 0


def merged(stretches: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Stretches that come in order, those that touch as one."""
    start, end = 0, -1
    for begin, finish in stretches:
        if begin > end:
            if end >= 0:
                yield start, end
            start = begin
        end = finish
    if end >= 0:
        yield start, end
