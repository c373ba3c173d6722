"""Which claims of a draft stand in words that it has from a source as they are."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence

from .index import Found, keys
from .named_places import NamedPlaces
from .source import Source


class Verbatim:
    """The claims of a draft that are quoted with their sentence, row or heading, or that name a place of a source."""

    def __init__(self, draft: Source, sources: Sequence[Source]) -> None:
        self._draft = draft
        self._sources = sources
        self._places = dict(self._named(NamedPlaces(sources)))
        for number, claim in enumerate(draft.claims):
            if number not in self._places and (place := self._quoted(number, claim.text)):
                self._places[number] = place
        self._in_row = self._values_by_row()

    def place(self, number: int) -> Found | None:
        """Where the words stand that a claim of the draft is quoted in; None if no source has them."""
        return self._places.get(number)

    def is_bound(self, number: int) -> bool:
        """Whether nothing else could stand in the place of a claim: it is quoted, or said again in a cell that is."""
        row = self._draft.sought[number].row
        return number in self._places or not self._in_row[row].isdisjoint(keys(self._draft.claims[number]))

    def _quoted(self, number: int, text: str) -> Found | None:
        for key in self._draft.sought[number].keys:
            for source in self._sources:
                if line := source.stretches.get(key):
                    return Found(source, source.place(line), text)
        return None

    def _named(self, named: NamedPlaces) -> Sequence[tuple[int, Found]]:
        starts = [claim.start for claim in self._draft.claims]
        return [
            (number, place)
            for aside in self._draft.asides
            if (place := named.found(aside.text, bracketed=aside.bracketed))
            for number in range(bisect_right(starts, aside.start - 1), bisect_right(starts, aside.end - 1))
        ]

    def _values_by_row(self) -> dict[int, set[str]]:
        found: dict[int, set[str]] = defaultdict(set)
        for number in self._places:
            if row := self._draft.sought[number].row:
                found[row].update(keys(self._draft.claims[number]))
        return found
