"""Limits that forms state in words: "max. 250 words", "höchstens 1.000 Zeichen", "200 mots maximum"."""

from __future__ import annotations

import re
from functools import cache

from .field import Limit, Unit
from .words import normal, terms

# What is read of a text: a limit stands with its question, not pages away.
_READ = 4000
_NUMBER = r"(?<![\d.,])(\d{1,3}(?:[.,'’\u00a0\u202f ]\d{3})+|\d{1,6})"
_BEFORE = 24
_DIGIT = re.compile(r"\d")


def stated_limit(*texts: str) -> Limit | None:
    """The first limit that one of the texts states; a least length is none."""
    for text in texts:
        if _DIGIT.search(text, 0, _READ) and (limit := _limit(text[:_READ])):
            return limit
    return None


def _limit(text: str) -> Limit | None:
    for unit in Unit:
        for found in _pattern(unit).finditer(text):
            if not _is_least(text[max(0, found.start() - _BEFORE) : found.start()], text[found.end() :][:_BEFORE]):
                number = re.sub(r"\D", "", found[1] or found[2])
                return Limit(int(number), unit) if int(number) else None
    return None


@cache
def _pattern(unit: Unit) -> re.Pattern[str]:
    names = "|".join(map(re.escape, sorted(terms(unit.value), key=len, reverse=True)))
    counted = rf"{_NUMBER}[\s-]*(?:{names})\b"
    named = rf"\b(?:{names})\s*(?:limit|count)\s*[:=]?\s*(?:max(?:imum)?\.?)?\s*{_NUMBER}"
    return re.compile(f"{counted}|{named}", re.IGNORECASE)


def _is_least(before: str, after: str) -> bool:
    ahead = re.sub(r" (?:of|de|von)$", "", normal(before))
    behind = normal(after)
    return any(f" {ahead}".endswith(f" {term}") or f"{behind} ".startswith(f"{term} ") for term in terms("least"))
