"""Line numbers of positions."""

from __future__ import annotations

from bisect import bisect_right


class Lines:
    """The lines of a text; the first is 1."""

    def __init__(self, text: str) -> None:
        self._starts = [0]
        position = text.find("\n")
        while position >= 0:
            self._starts.append(position + 1)
            position = text.find("\n", position + 1)

    def at(self, position: int) -> int:
        """The line that a position is on."""
        return bisect_right(self._starts, position)
