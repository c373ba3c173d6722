"""Which times in a request are deadlines, and of what: by the words around each of them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from stemma_contracts.v1.deadlines import DeadlineKind, DueTime
from stemma_languages import deadline_cues
from stemma_markdown import document_of

from .due_times import DueTimes, When
from .units import Unit, units

NEAR = 80
"""Characters around a time in which the words stand that make it a deadline."""
DUE_NEAR = 32
"""Characters before a time in which it is said that something is due by then."""
BESIDE = 12
"""Characters before a time in which a verb says what begins or ends then, whatever else is spoken of."""
LABEL = re.compile(r"(?<!\w)[A-Z][\w ]{0,40}:")
"""What begins another statement in a paragraph of such lines: "Reply By:"."""

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
        return self.before.rstrip().endswith((":", "|", "–", "-", "—"))


def deadlines(text: str, language: str, demanded: Collection[tuple[int, str]] = ()) -> Iterator[FoundDeadline]:
    """The deadlines of a request in Markdown, in their order; ``language`` is a BCP 47 tag.

    ``demanded`` are the line and the words of each unit that is a demand: what has to be done by a date is a deadline
    there, whatever it is. Time grows with the length of the text, whatever it holds.
    """
    reading = _Reading(text, language, demanded)
    for unit in sorted((*units(text, language), *_headings(text)), key=lambda one: one.start):
        yield from reading.of(unit)


def _headings(text: str) -> Iterator[Unit]:
    document = document_of(text)
    for piece in document.prose:
        if piece.kind == "heading":
            words = " ".join(piece.text.split())
            yield Unit(words, "sentence", (), (), document.line(piece.start), piece.start, piece.end)


def _title(text: str) -> tuple[str, ...] | None:
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
        self._title = _title(text)

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
        due = _last(cues.due, before) if self._is_due(context) else -1
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
        return self._cues.due.search(context.before[-DUE_NEAR:]) is not None

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
        after = context.after[: 0 if when.counted else NEAR]
        above = () if unit.form == "sentence" and not due else (*unit.leads[-1:], *self._section(unit))
        found = (self._kind_in(words, due=due) for words in (context.before, after, *above))
        return next((kind for kind in found if kind != "other"), "other")

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
