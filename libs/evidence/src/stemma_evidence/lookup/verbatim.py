"""Which claims of a draft stand in words that it has from a source as they are."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from itertools import islice

from stemma_evidence.sources.fingerprints import count_letters, normalized
from stemma_evidence.sources.source import Source, kept_with_source
from stemma_evidence.sources.statements import LONGEST

from .index import Found, keys


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
        row = self._draft.claim_fingerprints[number].row
        return number in self._places or not self._in_row[row].isdisjoint(keys(self._draft.claims[number]))

    def _quoted(self, number: int, text: str) -> Found | None:
        for key in self._draft.claim_fingerprints[number].keys:
            for source in self._sources:
                if line := source.fingerprints.get(key):
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
            if row := self._draft.claim_fingerprints[number].row:
                found[row].update(keys(self._draft.claims[number]))
        return found


_LEAST_LETTERS = 8
"""A shorter heading, as a date alone, is named with its file."""
_MOST_COMMAS = 8
"""More than the name of a file has."""
_LONGEST_NAME = 60
_COMMA = re.compile(r"[,;、，] ?|$")
_PARTS = re.compile(r"; |, | [>/»›] ")


class NamedPlaces:
    """The files and headings that a draft may name."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self._sources = sources
        self._files: dict[str, Source] = {}
        for source in sources:
            if name := _name(source):
                self._files.setdefault(name, source)

    @cached_property
    def _titles(self) -> dict[str, tuple[Source, int]]:
        """Where the first heading of each normalized title is; most drafts name none."""
        found: dict[str, tuple[Source, int]] = {}
        for source in self._sources:
            for title, line in _normalized_headings(source):
                found.setdefault(title, (source, line))
        return found

    @cached_property
    def _titles_of(self) -> dict[tuple[str, str], int]:
        """The line of a heading by the name of its file and its own."""
        found: dict[tuple[str, str], int] = {}
        for name, source in ((_name(source), source) for source in self._sources):
            for title, line in _normalized_headings(source):
                found.setdefault((name, title), line)
        return found

    def found(self, text: str, *, bracketed: bool) -> Found | None:
        """The place that a text names and nothing else; None if it says anything else or there is no such place."""
        if len(text) > LONGEST:
            return None
        _, caption, named = text.replace("：", ": ").partition(": ")
        return self._found(text, bracketed) or (self._found(named, bracketed) if caption else None)

    def _found(self, text: str, bracketed: bool) -> Found | None:
        for comma in islice(_COMMA.finditer(text), _MOST_COMMAS):
            name, rest = normalized(text[: comma.start()].rpartition("/")[2]), text[comma.end() :]
            source = self._files.get(name)
            if source and not normalized(rest):
                return Found(source, source.place(1), text)
            if source and (line := self._line(name, rest)):
                return Found(source, source.place(line), text)
            # A brief and the sections before have names that only the writer of the draft knows.
            is_a_name = bracketed and len(name) <= _LONGEST_NAME and not any(map(str.isdigit, name))
            if rest and is_a_name and (found := self._titled(rest)):
                return found
        return None

    def _titled(self, rest: str) -> Found | None:
        title = normalized(rest)
        place = self._titles.get(title)
        return (
            Found(place[0], place[0].place(place[1]), rest)
            if place and count_letters(title) >= _LEAST_LETTERS
            else None
        )

    def _line(self, name: str, rest: str) -> int:
        """The line of the heading that is named after a file, or of the first of several."""
        if line := self._titles_of.get((name, normalized(rest))):
            return line
        lines = [self._titles_of.get((name, normalized(part)), 0) for part in _PARTS.split(rest)]
        return lines[0] if all(lines) else 0


def _name(source: Source) -> str:
    return normalized(source.name.rpartition("/")[2])


@kept_with_source
def _normalized_headings(source: Source) -> tuple[tuple[str, int], ...]:
    return tuple((normalized(heading), line) for line, heading in source.headings)
