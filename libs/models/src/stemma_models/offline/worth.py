"""How good a piece of material is for a section, once it belongs to it."""

from __future__ import annotations

import math
import re
from collections import Counter
from functools import lru_cache

from .allocation import owner
from .material import Unit
from .request import Request
from .words import stems_of

# Contract clauses and rules of procurement stand in many inputs; a document is not made of them.
_CLAUSE = re.compile(
    r"\b(?:indemnif\w+|herein|hereby|thereof|pursuant|subpart|C\.?F\.?R|AS \d+\.\d+|covenants?|arbitration|liabilit\w+|"
    r"notwithstanding|superior court|reserves the right|provisions of|statut\w+|termination|claims?|bargaining|"
    r"subcontractors?|non-responsive|evaluation points|taxes|resulting contract|terms and conditions)\b",
    re.I,
)
_SECOND_PERSON = re.compile(r"\b(?:you|your|yours)\b", re.I)
_RELEVANCE = 1.3
_MOST_FIT = 2.0
_ATTACHED = re.compile(r"\b(?:attachment|appendix|annex|licen[cs]e)\b", re.I)
_SHORT = 12
_QUOTE_MARKS = '"“'


def worth(unit: Unit, request: Request) -> float:
    """Rises with what the unit has to do with its section and with the brief, falls for clauses and scraps."""
    return (
        min(owner(unit, request.outline)[1], _MOST_FIT)
        - 0.5 * bool(_ATTACHED.search(unit.source))
        + relevance(unit, request)
        + 0.4 * (unit.kind == "table")
        - 0.9 * unit.quoted
        - 0.7 * min(2, len(_CLAUSE.findall(unit.text)))
        - 0.4 * (unit.kind == "paragraph" and len(unit.text.split()) < _SHORT)
        - 0.6 * (unit.text[0] not in _QUOTE_MARKS and bool(_SECOND_PERSON.search(unit.text)))
    )


def relevance(unit: Unit, request: Request) -> float:
    """How much of the brief a unit takes up; rare words count more than those that stand everywhere."""
    rarity = _rarity(request.units)
    brief = stems_of(request.brief)
    shared = sum(rarity.get(word, 1.0) for word in unit.stems if word in brief)
    return _RELEVANCE * shared / math.sqrt(len(unit.stems) + 8)


@lru_cache(maxsize=16)
def _rarity(units: tuple[Unit, ...]) -> dict[str, float]:
    """From 0 for words of every unit to 1 for words of a single one."""
    counts = Counter(word for unit in units for word in unit.stems)
    return {word: 1 - math.log(count) / math.log(len(units) + 2) for word, count in counts.items()}
