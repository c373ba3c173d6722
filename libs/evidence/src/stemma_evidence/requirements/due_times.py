"""When a sentence says that something is: days, times of day with their zones, and spans counted from an event."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import islice

from stemma_contracts.v1.deadlines import MOST_WRITTEN, DeadlineDoubt, DueTime
from stemma_languages import DeadlineCues, deadline_cues

from stemma_evidence.dates import Day, dates

TIME_NEAR = 45
"""Characters between a day and its time."""
ZONE_NEAR = 45
MOST_IN_SENTENCE = 200
"""Times of one sentence that are looked at: one with more tells no deadlines."""
MONTH_FIRST = "en"
"""The language in which the month may stand first: in no other one that is known here does it."""

_DAY = re.compile(r"(?:[0-9]{4}|-)-[0-9]{2}-[0-9]{2}|[0-9]{4}-[0-9]{2}")
_NUMERIC = re.compile(r"(?<![\d./-])([0-9]{1,2})([/-])([0-9]{1,2})\2(?:[0-9]{4}|[0-9]{2})(?![\d/-]|\.\d)")
_NUMBER = re.compile(r"[0-9]+")
_BETWEEN = re.compile(r"\s*(?:[-–—]|to|through|until|bis(?: zum)?|au|à)\s*", re.IGNORECASE)
_WEEKDAY = re.compile(r"(?<!\w)([^\W\d_]{2,12})([.,]{0,2})\s{1,3}(?:the |den |der |le )?$", re.IGNORECASE)
_HALF_OF_DAY = re.compile(r"[ap]\.m\.$", re.IGNORECASE)
_SHORT = 3
_ZONES = (
    r"(?:UTC|GMT)(?:\s?[+-]\s?[0-9]{1,2}(?::[0-9]{2})?)?|CES?T|MES?Z|WES?T|EES?T|[ECMP][SD]?T|AK[SD]T|HS?T|BST|IST|SGT|JST"
    r"|AE[SD]T|AC[SD]T|AWST|NZ[SD]T"
)
_ZONE = re.compile(rf"[\s,]{{0,3}}(\(?)({_ZONES})(?!\w)\)?")


@dataclass(frozen=True)
class When:
    """A time at ``text[start:end]`` of a sentence; ``counted`` from an event, or days."""

    start: int
    end: int
    due: DueTime
    counted: bool = False


@dataclass(frozen=True)
class _Days:
    """Days at a place, before their time is known."""

    start: int
    end: int
    values: tuple[str, ...]
    until: str = ""


class DueTimes:
    """The reading of one source: which of two numbers is the day, the source itself decides where it can.

    A date such as 13/04/2027 in it says that days stand first, 04/13/2027 that months do; both say nothing. Where
    nothing is said, the day stands first in every language but English, in which both readings are kept.
    """

    def __init__(self, text: str, language: str) -> None:
        self._language = language
        self._cues = deadline_cues(language)
        self._day_first = _day_first(text, language)

    def of(self, text: str, *, moved: bool) -> list[When]:
        """The times of a sentence in their order; where a date ``moved``, from one day to another are two."""
        found = [*dates(text, self._language)] if any(map(str.isdigit, text)) else []
        days = _days(found) if moved else _joined(_days(found), text)
        times = [one for one in found if one.values[0].startswith("T")]
        whens = [self._when(text, day, times, *_room(days, number, len(text))) for number, day in enumerate(days)]
        counted = [one for one in _counted(text, self._cues) if not any(_overlap(one, when) for when in whens)]
        return sorted((*whens, *counted), key=lambda one: one.start)

    def _when(self, text: str, day: _Days, times: Sequence[Day], begin: int, end: int) -> When:
        weekday, start = self._weekday(text, day.start)
        time = _time_of(day, times, begin, end)
        noon = None if time else self._cues.noon.search(text, day.end, min(end, day.end + TIME_NEAR))
        edges = [(start, day.end)]
        if time is not None:
            edges.append((time.start, time.end))
        elif noon is not None:
            edges.append(noon.span())
        zone = self._zone(text, [max(edge for _, edge in edges), *(edge for _, edge in edges)])
        start, stop = min(edge for edge, _ in edges), max(edge for _, edge in (*edges, zone[1:]))
        said = time.values[0][1:] if time else "12:00" if noon else ""
        values, doubts = self._decided(text, day, weekday)
        stop -= text[stop - 1] == "." and not _HALF_OF_DAY.search(text, max(0, stop - 4), stop)
        written = " ".join(text[start:stop].split())[:MOST_WRITTEN]
        due = DueTime(written=written, days=values, until=day.until, time=said, zone=zone[0], doubts=doubts)
        return When(start, stop, due)

    def _decided(self, text: str, day: _Days, weekday: int | None) -> tuple[tuple[str, ...], tuple[DeadlineDoubt, ...]]:
        """The days that a date may be: what the day of the week or the source decides is not left open."""
        values = tuple(value for value in day.values if _exists(value))
        if not values:
            return (), ("day",)
        fitting = [value for value in values if weekday is not None and _weekday(value) == weekday]
        if len(values) > 1 and len(fitting) == 1:
            return tuple(fitting), ()
        if len(values) > 1 and self._day_first is not None:
            first = _NUMBER.search(text, day.start)
            values = tuple(v for v in values if first and (int(first[0]) == int(v[8:])) is self._day_first) or values
        return values, tuple(_doubts(values, weekday))

    def _weekday(self, text: str, start: int) -> tuple[int | None, int]:
        """The day of the week that stands before a date, and where what is written begins."""
        found = _WEEKDAY.search(text, max(0, start - 30), start)
        number = self._cues.weekdays.get(found[1].casefold()) if found else None
        if found is None or number is None or (len(found[1]) <= _SHORT and not found[2]):
            return None, start
        return number, found.start()

    def _zone(self, text: str, places: Sequence[int]) -> tuple[str, int, int]:
        """The time zone that stands behind one of these places, with where it begins and ends."""
        for place in places:
            if found := _ZONE.match(text, place, place + ZONE_NEAR):
                return found[2], found.start(2), found.end()
            begin = place + len(text[place : place + 3]) - len(text[place : place + 3].lstrip(" ,("))
            if found := self._cues.zones.match(text, begin, begin + ZONE_NEAR):
                closes = text[found.end() : found.end() + 1] == ")"
                return found[0], found.start(), found.end() + closes
        return "", places[0], places[0]


def _day_first(text: str, language: str) -> bool | None:
    """Whether numbers of days stand before those of months, as far as the text or its language decides."""
    days = months = False
    for match in _NUMERIC.finditer(text):
        first, second = int(match[1]), int(match[3])
        days |= 12 < first <= 31 and second <= 12
        months |= 12 < second <= 31 and first <= 12
    if days != months:
        return days
    return None if days or language == MONTH_FIRST else True


def _days(found: Sequence[Day]) -> list[_Days]:
    """The dates that name a day or a month, without those that overlap an exacter one."""
    kept: list[_Days] = []
    for one in found:
        values = tuple(value for value in one.values if _DAY.fullmatch(value))
        if values and not any(one.start < other.end and other.start < one.end for other in kept):
            kept.append(_Days(one.start, one.end, values))
        if len(kept) == MOST_IN_SENTENCE:
            break
    return sorted(kept, key=lambda one: one.start)


def _joined(days: Sequence[_Days], text: str) -> list[_Days]:
    """From one day to another is one time."""
    joined: list[_Days] = []
    for day in days:
        before = joined[-1] if joined else None
        if before and not before.until and _BETWEEN.fullmatch(text, before.end, day.start) and len(day.values) == 1:
            joined[-1] = replace(before, end=day.end, until=day.values[0] if _exists(day.values[0]) else "")
        else:
            joined.append(day)
    return joined


def _room(days: Sequence[_Days], number: int, length: int) -> tuple[int, int]:
    """The place that a day has among the others, where its time may stand."""
    before = days[number - 1].end if number else 0
    return before, days[number + 1].start if number + 1 < len(days) else length


def _time_of(day: _Days, times: Sequence[Day], begin: int, end: int) -> Day | None:
    """The nearest time of day; what stands between two days belongs to the first of them, if it is nearer to that."""
    near = [
        (max(one.start - day.end, day.start - one.end), one)
        for one in times
        if begin <= one.start and one.end <= end and not (one.start < day.end and day.start < one.end)
    ]
    gap, found = min(near, key=lambda pair: pair[0], default=(TIME_NEAR + 1, None))
    return found if gap <= TIME_NEAR else None


def _counted(text: str, cues: DeadlineCues) -> Iterator[When]:
    for match in islice(cues.counted.finditer(text), MOST_IN_SENTENCE):
        if not cues.again.search(match["event"]):
            written = match[0][:MOST_WRITTEN]
            yield When(match.start(), match.end(), DueTime(written=written), counted=True)


def _overlap(one: When, other: When) -> bool:
    return one.start < other.end and other.start < one.end


def _doubts(values: Sequence[str], weekday: int | None) -> Iterator[DeadlineDoubt]:
    if len(values) > 1:
        yield "order"
    if values[0].startswith("--"):
        yield "year"
    if weekday is not None and len(values) == 1 and _weekday(values[0]) not in (None, weekday):
        yield "weekday"


def _exists(value: str) -> bool:
    if value.startswith("--") or len(value) < 10:
        return True
    try:
        date.fromisoformat(value)
    except ValueError:
        return False
    return True


def _weekday(value: str) -> int | None:
    return None if value.startswith("--") or len(value) < 10 else date.fromisoformat(value).weekday()
