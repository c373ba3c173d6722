"""Which units of a request demand something, of what kind, and how strictly."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from stemma_languages import demands

from .saying import NEAR, Kind, Obligation, Place, Reader, Said
from .units import Unit, units

LABEL_WORDS = 6
"""A first sentence of an item with so few words is its title, if others follow."""
LEAD_END = 30
"""Characters at the end of a sentence without a colon in which it says that a list follows."""
LONGER = 4
"""Letters of a word that has a capital in a heading of English."""
KEPT = 500
"""How many announcements and headings are remembered: those of a list come again with each of its items."""

_URL = re.compile(r"https?://\S*")
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Requirement:
    """A unit of a request that demands something.

    ``instruction`` is what is handed in, when and how; ``evaluation`` how offers are judged and why they are rejected;
    ``form`` a paper to fill in, sign or certify; ``work`` what is done under the contract. ``announced_by`` is what
    says that it is one of several, of a row the names of its columns.
    """

    unit: Unit
    kind: Kind
    obligation: Obligation
    announced_by: str = ""


def requirements(text: str, language: str) -> Iterator[Requirement]:
    """The demands of a request in Markdown, in their order; ``language`` is a BCP 47 tag.

    Time grows with the length of the text, whatever it holds.
    """
    reading = _Reading(text, language)
    for unit in units(text, language):
        found = reading.requirement(unit)
        if found is not None:
            yield found


class _Reading:
    """The reading of one request."""

    def __init__(self, text: str, language: str) -> None:
        self._words = demands(language)
        self._reader = Reader(self._words, text)
        self._lead = lru_cache(maxsize=KEPT)(self._reader.read)
        self._about = lru_cache(maxsize=KEPT)(self._read_heading)
        self._before: tuple[tuple[str, ...], Kind] = ((), "work")

    def requirement(self, unit: Unit) -> Requirement | None:
        """A unit as a requirement, if it is one by itself or by what announces it."""
        if self._is_beside(unit):
            return None
        place = self._place(unit.path)
        said = self._reader.read(unit.text, place, told=self._is_told(unit, place))
        announced_by = self._lead_in(unit)
        if said.obligation is None and not said.denies:
            said, announced_by = self._inherited(unit, place)
        if said.obligation is None or said.empty:
            return None
        return Requirement(unit, self._kind(said, unit, place), said.obligation, announced_by)

    def _is_beside(self, unit: Unit) -> bool:
        """Whether a unit has no words, or stands where a text only lists, defines or shows something."""
        if not any(map(str.isalpha, _URL.sub("", unit.text))) or _is_heading(unit):
            return True
        return any(self._about(title)[1] for title in unit.path[-2:])

    def _place(self, path: tuple[str, ...]) -> Place:
        """What the nearest heading that tells it is about; a title such as "Request for Proposals" is about all."""
        if len(path) == 1:
            return self._about(path[0], whole=True)[0]
        return next((place for title in reversed(path) if (place := self._about(title)[0])), "")

    def _read_heading(self, title: str, *, whole: bool = False) -> tuple[Place, bool]:
        """What a heading announces, and whether that is a list, definitions or examples."""
        words, text = self._words, self._words.folded(title[:NEAR])
        named = text if whole else words.titles.sub("", text)
        place: Place = "evaluation" if words.judging.search(named) else ""
        if not place and words.offering.search(named):
            place = "instruction"
        return place, words.contents.search(text) is not None

    def _is_told(self, unit: Unit, place: Place) -> bool:
        """Whether a verb at the beginning of a unit tells somebody to do it: not in a list of goals, or of no tasks."""
        if not unit.leads:
            return True
        lead = self._lead(unit.leads[-1], place)
        if lead.denies:
            return False
        return unit.form == "sentence" or lead.obligation is not None or not lead.announces

    def _lead_in(self, unit: Unit) -> str:
        """The nearest sentence above a list that says that one follows; any other only happens to stand there."""
        if unit.form == "row":
            return unit.leads[-1] if unit.leads else ""
        return next((lead for lead in reversed(unit.leads) if self._leads_in(lead)), "")

    def _leads_in(self, lead: str) -> bool:
        folded = self._words.folded(lead)
        return folded.endswith((":", "：")) or self._words.announces.search(folded[-LEAD_END:]) is not None

    def _inherited(self, unit: Unit, place: Place) -> tuple[Said, str]:
        """What the nearest announcement demands that demands something, and its words; for a row, also the names of its
        columns."""
        if unit.form == "row" and self._lists_demands(unit):
            return Said("mandatory"), self._lead_in(unit)
        if _is_title(unit) or unit.number > 1 or (unit.number and not _is_short(unit)):
            return Said(), ""
        for lead in reversed(unit.leads):
            said = self._lead(lead, place)
            if said.denies:
                return Said(), ""
            if said.announces and said.obligation is not None and not said.conditional:
                return Said(said.obligation, said.kind), lead
        return Said(), ""

    def _lists_demands(self, unit: Unit) -> bool:
        named = (*unit.path[-1:], *unit.leads[-1:])
        return any(self._words.listing.search(self._words.folded(name[:NEAR])) for name in named)

    def _kind(self, said: Said, unit: Unit, place: Place) -> Kind:
        """The kind of a demand; if its words do not tell it, that of the place, or of what stands before it there."""
        path, before = self._before
        kind: Kind = said.kind or place or (before if path == unit.path else "work")
        if kind in ("instruction", "work"):
            self._before = (unit.path, kind)
        return kind


def _is_title(unit: Unit) -> bool:
    """Whether a unit only names what comes after it."""
    is_first = unit.number == 0 and unit.count > 1
    is_line = unit.form == "sentence" and not unit.text.endswith(".")
    return unit.text.endswith((":", "：")) or (_is_short(unit) and (is_first or is_line or unit.text.isupper()))


def _is_heading(unit: Unit) -> bool:
    """Whether a line by itself is written as headings are: without an end, each longer word with a capital."""
    if unit.form != "sentence" or unit.count > 1 or not unit.text[-1:].isalnum():
        return False
    longer = [word for word in _WORD.findall(unit.text[:NEAR]) if len(word) >= LONGER]
    return 1 < len(longer) <= LABEL_WORDS and all(word[0].isupper() for word in longer)


def _is_short(unit: Unit) -> bool:
    return len(_WORD.findall(unit.text[:NEAR])) <= LABEL_WORDS
