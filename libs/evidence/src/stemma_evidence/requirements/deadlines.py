"""Which times in a request are deadlines, and of what: by the words around each of them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import islice
from typing import Literal

from stemma_contracts.v1.deadlines import MOST_WRITTEN, DeadlineDoubt, DeadlineKind, DueTime
from stemma_languages import DeadlineCues, deadline_cues
from stemma_markdown import document_of

from stemma_evidence.claims.dates import Day, dates

from .units import Unit, units

NEAR = 80
"""Characters around a time in which the words stand that make it a deadline."""
DUE_NEAR = 32
"""Characters before a time in which it is said that something is due by then."""
BESIDE = 12
"""Characters before a time in which a verb says what begins or ends then, whatever else is spoken of."""
LABEL = re.compile(r"(?<!\w)[A-Z][\w ]{0,40}:")
"""What begins another statement in a paragraph of such lines: "Reply By:"."""
_OWNER = re.compile(r"[^\s、，。はがをに]{1,12}の$")
"""What stands right before a term in Japanese and says of what it is."""

EVENTS: frozenset[str] = frozenset(
    ("answers", "meeting", "presentation", "opening", "validity", "award", "start", "end")
)
"""What has a date without any word for a deadline."""
ASKING = ("questions", "answers")
SPECIFIC = (*ASKING, "meeting", "presentation", "opening", "validity", "award")


@dataclass(frozen=True)
class FoundDeadline:
    """A deadline of a unit; ``moves``: it is another one than before, which was ``before``, if the unit says that."""

    unit: Unit
    kind: DeadlineKind
    when: When
    moves: bool = False
    before: DueTime | None = None

    @property
    def due(self) -> DueTime:
        """When it is."""
        return self.when.due


@dataclass(frozen=True)
class _Context:
    """The words around a time: up to the one before it, and to the one after it."""

    before: str
    after: str

    @property
    def is_labelled(self) -> bool:
        """Whether the time stands behind a label or in a cell of its own."""
        return self.before.rstrip().endswith((":", "：", "|", "–", "-", "—"))


def deadlines(text: str, language: str, demanded: Collection[tuple[int, str]] = ()) -> Iterator[FoundDeadline]:
    """The deadlines of a request in Markdown, in their order; ``language`` is a BCP 47 tag.

    ``demanded`` are the line and the words of each unit that is a demand: what has to be done by a date is a deadline
    there, whatever it is. Time grows with the length of the text, whatever it holds.
    """
    reading = _Reading(text, language, demanded)
    for unit in units(text, language):
        yield from reading.of(replace(unit, path=()) if unit.form == "heading" else unit)


def title_of(text: str) -> tuple[str, ...] | None:
    """The path of what stands under the title alone: the first heading, if no other one is of its level."""
    headings = [piece for piece in document_of(text).prose if piece.kind == "heading"]
    if not headings or any(one.level <= headings[0].level for one in headings[1:]):
        return None
    return (" ".join(headings[0].text.split()),)


class _Reading:
    """The reading of one request."""

    def __init__(self, text: str, language: str, demanded: Collection[tuple[int, str]]) -> None:
        self._cues = deadline_cues(language)
        self._times = DueTimes(text, language)
        self._demanded = demanded
        self._title = title_of(text)

    def of(self, unit: Unit) -> Iterator[FoundDeadline]:
        """The deadlines of a unit."""
        moved = self._cues.moved.search(unit.text) is not None
        whens = self._times.of(unit.text, moved=moved)
        pairs = dict(self._moves(unit.text, whens)) if moved else {}
        for number, when in enumerate(whens):
            if number in pairs.values():
                continue
            context = _context(unit.text, whens, min(number, pairs.get(number, number)), number)
            kind = self._kind(unit, context, when)
            if self._is_deadline(unit, context, when, kind, moved=moved):
                before = whens[pairs[number]].due if number in pairs else None
                yield FoundDeadline(unit, kind, when, moved, before)

    def _moves(self, text: str, whens: Sequence[When]) -> Iterator[tuple[int, int]]:
        """The number of each new time with that of the old one, which the words between the two tell."""
        for number in range(1, len(whens)):
            between = text[whens[number - 1].end : whens[number].start].strip(" ,.;:()\"'“”„")
            if self._cues.replaced.fullmatch(between):
                yield number - 1, number
            elif self._cues.instead.fullmatch(between):
                yield number, number - 1

    def _is_deadline(self, unit: Unit, context: _Context, when: When, kind: str, *, moved: bool) -> bool:
        cues, before, after = self._cues, context.before[-NEAR:], context.after[: NEAR // 2]
        due = max(0, _last(cues.due, before)) if self._is_due(context) else -1
        if (_last(cues.past, before) > due and not moved) or _is_aside(context, when):
            return False
        named = cues.named.search(before) is not None or cues.named.search(after) is not None
        if self._is_demand(unit) or named or moved:
            return kind != "other" or when.counted or due >= 0 or named
        if when.counted:
            return kind != "other"
        if self._is_scheduled(unit) or kind in EVENTS:
            return True
        return kind != "other" and (due >= 0 or context.is_labelled or moved)

    def _is_due(self, context: _Context) -> bool:
        cues = self._cues
        is_until = cues.by_then.search(context.after[:BESIDE]) is not None
        return is_until or cues.due.search(context.before[-DUE_NEAR:]) is not None

    def _is_demand(self, unit: Unit) -> bool:
        return (unit.line, unit.text) in self._demanded

    def _is_scheduled(self, unit: Unit) -> bool:
        cues = self._cues
        about = (*unit.path[-1:], *unit.leads)
        return any(cues.scheduled.search(title) and not cues.past.search(title) for title in about)

    def _section(self, unit: Unit) -> tuple[str, ...]:
        """The heading above a unit, but for the title: that a request is a tender says nothing of what is due."""
        return () if unit.path == self._title else unit.path[-1:]

    def _kind(self, unit: Unit, context: _Context, when: When) -> DeadlineKind:
        """What is due: by the words before the time, else those after it, else by what stands above."""
        due = self._is_due(context) or self._cues.named.search(context.before) is not None or context.is_labelled
        if verb := self._verb_beside(context.before):
            return verb
        after = context.after[: 0 if when.counted and not self._cues.event_first else NEAR]
        above = () if unit.form in ("sentence", "heading") and not due else (*unit.leads[-1:], *self._section(unit))
        found = (self._kind_in(words, due=due) for words in (self._term(context), context.before, after, *above))
        return next((kind for kind in found if kind != "other"), "other")

    def _term(self, context: _Context) -> str:
        """From the word for a deadline on, if one is said: what stands before it may be why it is another now."""
        terms = list(self._cues.named.finditer(context.before))
        if not terms:
            return ""
        owner = _OWNER.search(context.before[: terms[-1].start()])
        return context.before[owner.start() if owner else terms[-1].start() :]

    def _verb_beside(self, before: str) -> Literal["start", "end", ""]:
        """What begins or ends then, if that is said right before the time and in a clause of its own."""
        for kind in ("start", "end"):
            verb = next(
                (one for one in self._cues.kinds[kind].finditer(before) if one.end() >= len(before) - BESIDE), None
            )
            if verb is not None:
                said = max(_last(self._cues.kinds[name], before[: verb.start()]) for name in SPECIFIC)
                clause = before[said : verb.start()] if said >= 0 else ""
                return kind if "," in clause or ";" in clause or self._cues.joins.search(clause) else ""
        return ""

    def _kind_in(self, words: str, *, due: bool) -> DeadlineKind:
        ends = {kind: end for kind, cue in self._cues.kinds.items() if (end := _last(cue, words)) >= 0}
        for kinds in (ASKING if due else (), SPECIFIC, ("submission",) if due else (), ("start", "end")):
            if nearest := max(
                (kind for kind in reversed(kinds) if kind in ends), key=lambda kind: ends[kind], default=""
            ):
                return nearest  # type: ignore[return-value]
        return "submission" if "submission" in ends else "delivery" if "delivery" in ends else "other"


def _context(text: str, whens: Sequence[When], first: int, number: int) -> _Context:
    """The words around a time; of one that moved, those before the first of the two."""
    begin = whens[first - 1].end if first else 0
    end = whens[number + 1].start if number + 1 < len(whens) else len(text)
    after = text[whens[number].end : end]
    label = LABEL.search(after)
    return _Context(text[begin : whens[first].start], after[: label.start()] if label else after)


def _is_aside(context: _Context, when: When) -> bool:
    """Whether a month stands in brackets, as the edition of a clause does: "(FEB 1998)"."""
    is_month = bool(when.due.days) and all(len(day) == len("2027-03") for day in when.due.days)
    return is_month and context.before.rstrip().endswith("(")


def _last(cue: re.Pattern[str], words: str) -> int:
    """Where the last match of an expression ends, -1 if there is none."""
    return max((match.end() for match in cue.finditer(words)), default=-1)


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
_BETWEEN = re.compile(
    r"(?:\s*[(（][^()（）]{1,3}[)）])?(?:[\s:,0-9]{0,8})\s*"
    r"(?:[-–—〜～~]|to|through|until|bis(?: zum)?|aux?|à|al?|até|ao|e|en|y|et|tot(?: en met)?|から|至|到)\s*",
    re.IGNORECASE,
)
_WEEKDAY = re.compile(
    r"(?<!\w)([^\W\d_]{2,12}(?:-feira)?)([.,]{0,2})\s{1,3}(?:the |den |der |le |el |il )?$", re.IGNORECASE
)
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
