"""Sentences with places for names and numbers, found again in what was said, and told in another language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

_PLACE = re.compile(r"\\{(\w+)\\}")
Phrases = tuple[tuple[re.Pattern[str], str], ...]


def phrases(said: Mapping[str, str]) -> Phrases:
    """Sentences with those of another language; what stands in braces is any text."""
    return tuple((_pattern(sentence), other) for sentence, other in said.items())


def in_other_words(text: str, known: Iterable[tuple[re.Pattern[str], str]]) -> str:
    """A text in the other language; empty if no sentence that is known fits it."""
    for pattern, other in known:
        if found := pattern.fullmatch(text):
            return other.format_map(found.groupdict())
    return ""


def _pattern(sentence: str) -> re.Pattern[str]:
    return re.compile(_PLACE.sub(r"(?P<\1>.+?)", re.escape(sentence)), re.DOTALL)
