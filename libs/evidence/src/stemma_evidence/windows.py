"""The stretches of a text that an expression with a digit can match in: most prose has few."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .spans import merged

REACH = 64
"""No expression that is looked for here has more characters before its first digit or after its last one."""

_DIGITS = re.compile(r"[0-9]+")


class NearDigits:
    """Finds expressions of which each match has a digit."""

    def __init__(self, text: str) -> None:
        self._text = text
        found = _DIGITS.finditer(text)
        self._stretches = tuple(merged((max(0, match.start() - REACH), match.end() + REACH) for match in found))

    def matches(self, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        """The matches of an expression, as in the whole text."""
        for start, end in self._stretches:
            yield from pattern.finditer(self._text, start, end)
