"""The stretches of a text that an expression with a digit can match in: most prose has few."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import starmap

from .spans import merged

REACH = 64
"""No expression that is looked for here has more characters before its first digit or after its last one."""

_DIGITS = re.compile(r"[0-9]+")
_EACH_DIGIT = "0123456789"


class NearDigits:
    """Finds expressions of which each match has a digit."""

    def __init__(self, text: str) -> None:
        self._text = text
        # To look for ten digits takes a tenth of what the expression takes, and much prose has none.
        self._runs = [m.span() for m in _DIGITS.finditer(text)] if any(map(text.__contains__, _EACH_DIGIT)) else []
        self._stretches = tuple(merged(starmap(_around, self._runs)))

    def matches(self, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        """The matches of an expression, as in the whole text."""
        for start, end in self._stretches:
            yield from pattern.finditer(self._text, start, end)

    def beginning(self, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        """The same of an expression that begins with a digit behind none: it is tried there, and nowhere else."""
        after = 0
        for start, _ in self._runs:
            if start >= after and (match := pattern.match(self._text, start)):
                after = match.end()
                yield match

    def before(self, width: int) -> Iterator[str]:
        """What stands right before the digits, so many characters of it."""
        return (self._text[max(0, start - width) : start] for start, _ in self._runs)


def _around(start: int, end: int) -> tuple[int, int]:
    return max(0, start - REACH), end + REACH
