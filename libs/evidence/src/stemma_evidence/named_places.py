"""The files and headings of sources, as a draft names them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import islice

from .index import Found
from .references import LONGEST
from .source import Source, kept_with_source
from .spelling import letters, spelled

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
        """Where the first heading of each spelling is; most drafts name none."""
        found: dict[str, tuple[Source, int]] = {}
        for source in self._sources:
            for title, line in _spelled_headings(source):
                found.setdefault(title, (source, line))
        return found

    @cached_property
    def _titles_of(self) -> dict[tuple[str, str], int]:
        """The line of a heading by the name of its file and its own."""
        found: dict[tuple[str, str], int] = {}
        for name, source in ((_name(source), source) for source in self._sources):
            for title, line in _spelled_headings(source):
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
            name, rest = spelled(text[: comma.start()].rpartition("/")[2]), text[comma.end() :]
            source = self._files.get(name)
            if source and not spelled(rest):
                return Found(source, source.place(1), text)
            if source and (line := self._line(name, rest)):
                return Found(source, source.place(line), text)
            # A brief and the sections before have names that only the writer of the draft knows.
            is_a_name = bracketed and len(name) <= _LONGEST_NAME and not any(map(str.isdigit, name))
            if rest and is_a_name and (found := self._titled(rest)):
                return found
        return None

    def _titled(self, rest: str) -> Found | None:
        title = spelled(rest)
        place = self._titles.get(title)
        return Found(place[0], place[0].place(place[1]), rest) if place and letters(title) >= _LEAST_LETTERS else None

    def _line(self, name: str, rest: str) -> int:
        """The line of the heading that is named after a file, or of the first of several."""
        if line := self._titles_of.get((name, spelled(rest))):
            return line
        lines = [self._titles_of.get((name, spelled(part)), 0) for part in _PARTS.split(rest)]
        return lines[0] if all(lines) else 0


def _name(source: Source) -> str:
    return spelled(source.name.rpartition("/")[2])


@kept_with_source
def _spelled_headings(source: Source) -> tuple[tuple[str, int], ...]:
    return tuple((spelled(heading), line) for line, heading in source.headings)
