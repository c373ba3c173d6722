"""The words by which a request says when something is due, as data: ``data/deadlines/<tag>.json``.

Every entry is a regular expression for whole words, matched whatever the case. What the fields mean is said at each of
them; what follows from a match is the caller's rule.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from babel import Locale
from pydantic import BaseModel, ConfigDict

from .languages import DEFAULT, primary
from .wordlists import read_lists

_NOTHING = re.compile(r"(?!)")


class DeadlineWords(BaseModel):
    """A data file.

    ``due`` stands near a date by or until which something has to happen; ``named`` calls the date itself a deadline.
    ``scheduled`` is in headings, columns and announcements of dates; ``past`` stands before a date that is only told,
    such as that of a law. ``moved`` says that a date is another one than before, ``instead`` stands between the old
    date and the new one, and ``replaced`` before the old one where the new one stands first. ``joins`` stands between
    clauses.

    What is due: ``questions``, ``answers`` to them, ``meeting`` (a visit, a conference), ``presentation``, ``opening``,
    ``validity`` of offers, ``award``, ``submission`` of offers, ``start`` and ``end`` of the contract, ``delivery``.

    A time that is counted from an event: ``numbers`` (in words), ``units`` of time, ``relations`` to it, ``events``;
    none if it comes ``again`` and again. ``at_most`` stands before the number. ``zones`` are local times in words, and
    ``noon`` is 12:00.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    due: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    scheduled: tuple[str, ...] = ()
    past: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()
    instead: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    joins: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    meeting: tuple[str, ...] = ()
    presentation: tuple[str, ...] = ()
    opening: tuple[str, ...] = ()
    validity: tuple[str, ...] = ()
    award: tuple[str, ...] = ()
    submission: tuple[str, ...] = ()
    start: tuple[str, ...] = ()
    end: tuple[str, ...] = ()
    delivery: tuple[str, ...] = ()
    at_most: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    again: tuple[str, ...] = ()
    zones: tuple[str, ...] = ()
    noon: tuple[str, ...] = ()


@dataclass(frozen=True)
class DeadlineCues:
    """The expressions of a language; ``kinds`` by what is due, ``weekdays`` from 0 for Monday by their names.

    ``counted`` is a time from an event, with the group ``event`` from the relation on.
    """

    due: re.Pattern[str]
    named: re.Pattern[str]
    scheduled: re.Pattern[str]
    past: re.Pattern[str]
    moved: re.Pattern[str]
    instead: re.Pattern[str]
    replaced: re.Pattern[str]
    joins: re.Pattern[str]
    again: re.Pattern[str]
    zones: re.Pattern[str]
    noon: re.Pattern[str]
    counted: re.Pattern[str]
    kinds: Mapping[str, re.Pattern[str]]
    weekdays: Mapping[str, int]


_KINDS = (
    "questions", "answers", "meeting", "presentation", "opening", "validity", "award", "submission", "start", "end",
    "delivery",
)  # fmt: skip
_PLAIN = ("due", "named", "scheduled", "past", "moved", "instead", "replaced", "joins", "again", "zones", "noon")


@lru_cache(maxsize=32)
def deadline_cues(language: str) -> DeadlineCues:
    """The expressions of a language, a BCP 47 tag; those of English for a language without a data file."""
    tag = primary(language) or DEFAULT
    words = read_lists(DeadlineWords, "deadlines", tag)
    if not words.due:
        tag, words = DEFAULT, read_lists(DeadlineWords, "deadlines", DEFAULT)
    return DeadlineCues(
        **{name: _any_of(getattr(words, name)) for name in _PLAIN},
        counted=_counted(words),
        kinds=MappingProxyType({name: _any_of(getattr(words, name)) for name in _KINDS}),
        weekdays=MappingProxyType(_weekdays(tag)),
    )


def _any_of(words: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(words)})(?!\w)", re.IGNORECASE) if words else _NOTHING


def _counted(words: DeadlineWords) -> re.Pattern[str]:
    """ "no later than 30 (thirty) calendar days after the award": every part has a bound, so that time stays linear."""
    at_most, numbers, units, relations, events = (
        "|".join(one) for one in (words.at_most, words.numbers, words.units, words.relations, words.events)
    )
    number = rf"(?:[0-9]{{1,3}}|{numbers})"
    return re.compile(
        rf"(?<![\w.,])(?:(?:{at_most}) )?{number}(?: \([\w-]{{1,20}}\))?(?: (?:to|bis|à|-|–) {number})?[ -]{{0,3}}"
        rf"(?:{units})(?!\w)[^.;:|]{{0,30}}?"
        rf"(?P<event>(?<!\w)(?:{relations}) [^.;:|]{{0,80}}?(?<!\w)(?:{events})(?!\w))",
        re.IGNORECASE,
    )


def _weekdays(tag: str) -> dict[str, int]:
    named = Locale.parse(tag).days["format"]
    return {str(named[width][day]).rstrip(".").casefold(): day for width in ("abbreviated", "wide") for day in range(7)}
