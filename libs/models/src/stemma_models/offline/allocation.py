"""Which section a piece of material belongs to.

Sections that are written at the same time do not see each other. So that no sentence stands in two of
them, every piece belongs to exactly one section of the outline, and which one follows from the piece and
the outline alone.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import sha256

from .material import Unit
from .vocabulary import nature, vocabulary
from .words import content_stems

_MONEY = re.compile(r"[$€£¥]\s?\d|\d\s?(?:€|EUR|USD|GBP|CHF|euros?|dollars?|pounds?)\b")
_DATE = re.compile(
    r"\b(?:\d{1,2} )?(?:January|February|March|April|May|June|July|August|September|October|November|December)"
    r"(?: \d|,|\b(?= \d{4}))|\b(?:week|month|day)s? \d|\b\d+ (?:weeks|months)\b|\b\d{4}-\d{2}-\d{2}\b"
)
_SHARE = re.compile(r"\d\s?%|\bper ?cent\b|\bin (?:ten|five|four|three)\b")
_NEGATIVE = re.compile(
    r"\b(?:no longer|cannot|can't|may not|unable|too (?:far|heavy|few|slow|late|small)|fell|fallen|has no|hardly|"
    r"by hand|limitations?|inconsistent|outages?|latency|disruptions?|struggled?)\b",
    re.I,
)
_DECISION = re.compile(r"\b(?:asked to|decisions?|approve[ds]?|recommends?)\b", re.I)
_RISK = re.compile(r"\brisks?\b", re.I)
_DUTY = re.compile(r"\b(?:must|shall|required to)\b")
_DESCRIBED = re.compile(
    r"\b(?:is|are) (?:an?|the) [\w, /-]{0,60}(?:systems?|solutions?|services?|database|application)\b"
)
_OURS = re.compile(r"\bwe will\b", re.I)
_QUOTED = re.compile(r"^[\"“‘'].*[\"”’']|[“\"].{20,}[”\"]")

# What tells by its form where a text belongs: pattern, and how much it speaks for which kind of section.
_SIGNALS = (
    (_MONEY, {"budget": 1.3}),
    (_SHARE, {"research": 0.6}),
    (_OURS, {"solution": 0.5, "approach": 0.5, "research": -0.8, "problem_statement": -0.8, "conclusion": -0.3}),
    (_DESCRIBED, {"research": 0.6}),
    (_QUOTED, {"research": 0.4}),
    (_NEGATIVE, {"problem_statement": 1.0}),
    (_DUTY, {"solution": 0.3, "approach": 0.25}),
    (_DECISION, {"conclusion": 0.85}),
    (_RISK, {"approach": 0.5, "risks": 1.2}),
)


_HEADING_WEIGHT = 0.9
_MOST_OF_HEADING = 1.2
_NAME_WEIGHT = 0.25
_DATES_WEIGHT = 1.3
_WORDS_PER_DATE = 12
_CALENDAR = re.compile(r"\b(?:dates?|due|when|deadlines?|milestones?)\b", re.I)
_CALENDAR_WEIGHT = 1.3


@dataclass(frozen=True)
class Entry:
    """One section of the outline."""

    id: str
    title: str
    kind: str = ""
    purpose: str = ""

    @cached_property
    def vocabulary(self) -> dict[str, float]:
        return vocabulary(self.kind, self.title, self.purpose)

    @cached_property
    def nature(self) -> str:
        return nature(self.kind, self.title)


Outline = tuple[Entry, ...]


@dataclass(frozen=True, eq=False)
class _Traits:
    """What of a piece of material counts, whatever the section."""

    text: str
    stems: tuple[str, ...]
    heading_stems: tuple[str, ...] = ()
    source_stems: tuple[str, ...] = ()
    head: str = ""


def _signals(text: str, head: str) -> dict[str, float]:
    """What the form of a text speaks for, by kind of section."""
    found: dict[str, float] = {}
    for pattern, kinds in _SIGNALS:
        if pattern.search(text):
            found.update({kind: found.get(kind, 0.0) + bonus for kind, bonus in kinds.items()})
    dates = max(0.0, len(_DATE.findall(text)) - 0.6)
    found["timeline"] = _DATES_WEIGHT * min(1.0, dates * _WORDS_PER_DATE / (len(text.split()) + 20))
    if _CALENDAR.search(head):
        found["timeline"] += _CALENDAR_WEIGHT
    return found


@lru_cache(maxsize=16)
def _index(outline: Outline) -> dict[str, list[tuple[int, float]]]:
    """For every stem of the sections' vocabularies, in which sections it weighs how much."""
    index: dict[str, list[tuple[int, float]]] = {}
    for place, entry in enumerate(outline):
        for word, weight in entry.vocabulary.items():
            index.setdefault(word, []).append((place, weight))
    return index


def _sums(stems: tuple[str, ...], outline: Outline) -> list[float]:
    totals = [0.0] * len(outline)
    index = _index(outline)
    for word in stems:
        for place, weight in index.get(word, ()):
            totals[place] += weight
    return totals


def _affinities(traits: _Traits, outline: Outline) -> list[float]:
    """How much a piece belongs to each section by its words, its heading and the name of its file."""
    own = _sums(traits.stems, outline)
    head = _sums(traits.heading_stems, outline)
    named = _sums(traits.source_stems, outline)
    signals = _signals(traits.text, traits.head)
    own_scale = math.sqrt(len(traits.stems) + 6)
    head_scale = math.sqrt(len(traits.heading_stems) + 1)
    return [
        round(
            own[place] / own_scale
            + _HEADING_WEIGHT * min(head[place] / head_scale, _MOST_OF_HEADING)
            + _NAME_WEIGHT * min(named[place], 2.0)
            + signals.get(entry.nature, 0.0),
            6,
        )
        for place, entry in enumerate(outline)
    ]


@lru_cache(maxsize=16384)
def affinities(unit: Unit, outline: Outline) -> list[float]:
    """How much a unit belongs to each section of the outline; about 0 to 4."""
    head = " ".join(unit.table.header) if unit.table else ""
    return _affinities(_Traits(unit.text, unit.stems, unit.heading_stems, unit.source_stems, head), outline)


def owner(unit: Unit, outline: Outline) -> tuple[str, float]:
    """The section that a unit belongs to, and how much it does."""
    return _best(affinities(unit, outline), unit.text, outline)


def affinities_of_words(text: str, outline: Outline) -> list[float]:
    """How much some words belong to each section of the outline."""
    return _affinities(_Traits(text, tuple(dict.fromkeys(content_stems(text)))), outline)


def _best(scores: list[float], text: str, outline: Outline) -> tuple[str, float]:
    best = max(scores)
    tied = [entry.id for entry, score in zip(outline, scores, strict=True) if score == best]
    return (tied[0] if len(tied) == 1 else tied[_number(text) % len(tied)]), best


def _number(text: str) -> int:
    return int.from_bytes(sha256(text.encode()).digest()[:4], "big")


@lru_cache(maxsize=16)
def heading_owners(units: tuple[Unit, ...], outline: Outline) -> dict[tuple[str, str], str]:
    """For every heading of a document, the section that most of what stands under it belongs to."""
    found: dict[tuple[str, str], Counter[str]] = {}
    for unit in units:
        found.setdefault((unit.source, unit.heading), Counter())[owner(unit, outline)[0]] += 1
    return {heading: counts.most_common(1)[0][0] for heading, counts in found.items()}


def share_out(
    units: tuple[Unit, ...], outline: Outline, settled: Mapping[int, str] | None = None
) -> dict[str, list[Unit]]:
    """The units by section; of units with the same words only the first counts.

    ``settled`` names the section of units, by `id`, for which it is decided already.
    """
    settled = settled or {}
    shares: dict[str, list[Unit]] = {entry.id: [] for entry in outline}
    seen: set[str] = set()
    for unit in units:
        if unit.text not in seen:
            seen.add(unit.text)
            shares[settled.get(id(unit)) or owner(unit, outline)[0]].append(unit)
    return shares
