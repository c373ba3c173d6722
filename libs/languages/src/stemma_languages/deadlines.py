"""The words by which a request says when something is due, as data: ``data/deadlines/<tag>.json``.

Every entry is a regular expression for whole words, matched whatever the case. What the fields mean is said at each of
them; what follows from a match is the caller's rule.
"""

import re
from collections.abc import Mapping
from functools import cached_property, lru_cache

from babel import Locale

from .languages import DEFAULT, primary
from .wordlists import NOTHING, CueInAnyCase, WordList, read_lists


class DeadlineCues(WordList):
    """The expressions of a language, each for any of the words of its list in the data file.

    ``due`` stands near a date by or until which something has to happen, ``by_then`` right behind one; ``named`` calls
    the date itself a deadline.
    ``scheduled`` is in headings, columns and announcements of dates; ``past`` stands before a date that is only told,
    such as that of a law. ``moved`` says that a date is another one than before, ``instead`` stands between the old
    date and the new one, and ``replaced`` before the old one where the new one stands first. ``joins`` stands between
    clauses.

    What is due: ``questions``, ``answers`` to them, ``meeting`` (a visit, a conference), ``presentation``, ``opening``,
    ``validity`` of offers, ``award``, ``submission`` of offers, ``start`` and ``end`` of the contract, ``delivery``.

    A time that is counted from an event: ``numbers`` (in words), ``units`` of time, ``relations`` to it, ``events``;
    none if it comes ``again`` and again. ``at_most`` stands before the number, and behind the unit in a language that
    names the ``event_first``. ``zones`` are local times in words, and
    ``noon`` is 12:00. ``weekdays`` are numbers from 0 for Monday by their names.
    """

    due: CueInAnyCase = NOTHING
    by_then: CueInAnyCase = NOTHING
    named: CueInAnyCase = NOTHING
    scheduled: CueInAnyCase = NOTHING
    past: CueInAnyCase = NOTHING
    moved: CueInAnyCase = NOTHING
    instead: CueInAnyCase = NOTHING
    replaced: CueInAnyCase = NOTHING
    joins: CueInAnyCase = NOTHING
    questions: CueInAnyCase = NOTHING
    answers: CueInAnyCase = NOTHING
    meeting: CueInAnyCase = NOTHING
    presentation: CueInAnyCase = NOTHING
    opening: CueInAnyCase = NOTHING
    validity: CueInAnyCase = NOTHING
    award: CueInAnyCase = NOTHING
    submission: CueInAnyCase = NOTHING
    start: CueInAnyCase = NOTHING
    end: CueInAnyCase = NOTHING
    delivery: CueInAnyCase = NOTHING
    event_first: bool = False
    at_most: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    again: CueInAnyCase = NOTHING
    zones: CueInAnyCase = NOTHING
    noon: CueInAnyCase = NOTHING
    weekdays: Mapping[str, int] = {}

    @cached_property
    def counted(self) -> re.Pattern[str]:
        """ "no later than 30 (thirty) calendar days after the award": every part has a bound, so that time is linear.

        The group ``event`` is what the time is counted from, from the relation on.
        """
        at_most, numbers, units, relations, events = (
            "|".join(one) for one in (self.at_most, self.numbers, self.units, self.relations, self.events)
        )
        number = rf"(?:[0-9]{{1,3}}|{numbers})"
        if self.event_first:
            return re.compile(
                rf"(?P<event>(?:{events})[^。；;:：|]{{0,30}}?(?:{relations}))[^。；;:：|0-9]{{0,10}}?"
                rf"(?<![0-9.]){number} ?(?:{units})[^。；;:：|]{{0,4}}?(?:{at_most})"
            )
        return re.compile(
            rf"(?<![\w.,])(?:(?:{at_most}) )?{number}(?: \([\w-]{{1,20}}\))?(?: (?:to|bis|à|-|–) {number})?[ -]{{0,3}}"
            rf"(?:{units})(?!\w)[^.;:|]{{0,30}}?"
            rf"(?P<event>(?<!\w)(?:{relations}) [^.;:|]{{0,80}}?(?<!\w)(?:{events})(?!\w))",
            re.IGNORECASE,
        )

    @cached_property
    def kinds(self) -> Mapping[str, re.Pattern[str]]:
        """The expressions by what is due."""
        return {name: getattr(self, name) for name in _KINDS}


_KINDS = (
    "questions", "answers", "meeting", "presentation", "opening", "validity", "award", "submission", "start", "end",
    "delivery",
)  # fmt: skip


@lru_cache(maxsize=32)
def deadline_cues(language: str) -> DeadlineCues:
    """The expressions of a language, a BCP 47 tag; those of English for a language without a data file."""
    tag = primary(language) or DEFAULT
    found = read_lists(DeadlineCues, "deadlines", tag)
    if found.due is NOTHING:
        tag, found = DEFAULT, read_lists(DeadlineCues, "deadlines", DEFAULT)
    return found.model_copy(update={"weekdays": _weekdays(tag)})


def _weekdays(tag: str) -> dict[str, int]:
    named = Locale.parse(tag).days["format"]
    return {str(named[width][day]).rstrip(".").casefold(): day for width in ("abbreviated", "wide") for day in range(7)}
