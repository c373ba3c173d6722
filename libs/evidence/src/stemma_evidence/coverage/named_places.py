"""The places that a draft itself names, as in ``(rfq.pdf, p. 12)``: whether there is such a place, and it says that."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

from stemma_markdown import Document

from .support import File, Labels, Unit
from .usage import LEAST_SHARE, Run, numbers_of, runs_of, tokens_of, words_of

_PAGE = re.compile(
    r"(?:pp?\.|S\.|Seiten?|pages?|pgs?\.|págs?\.|páginas?|pagg?\.|pagin[ae]|blz\.|第)\s?(\d{1,5})"
    r"(?:\s?[-–]\s?(\d{1,5}))?(?:\s?[ページ頁页]+)?|(\d{1,5})\s?(?:ページ|頁|页)",
    re.IGNORECASE,
)
_SLIDE = re.compile(
    r"(?:slides?|Foli[ae]n?|diapositivas?|diapositives?|diapositiv[ae]|dia|スライド|幻灯片|第)\s?(\d{1,5})(?!\s?[ページ頁页])",
    re.IGNORECASE,
)
_CELLS = re.compile(
    r"(?:(?P<sheet>'(?:[^'\n]|''){1,100}'|[\w]{1,100})!)?"
    r"\$?(?P<left>[A-Z]{1,3})\$?(?P<top>\d{1,7})(?::\$?(?P<right>[A-Z]{1,3})\$?(?P<bottom>\d{1,7}))?(?!\w)"
)
_PATH = re.compile(r"[^;,()\n]{1,200} > [^;()\n]{1,200}")
_GOES_ON = re.compile(r"\w| > ")
_NUMBER = re.compile(r"\d+")
_LEAST_WORDS = 3
"""A sentence with fewer has nothing by which its place could be told from others."""
_AROUND = 1000
"""Characters of a sentence on each side of a citation that it is compared by: a sentence may be full of citations."""
_SHARE_BESIDE_OTHER_NUMBERS = 1 / 2
_NEXT = re.compile(r"\s*[,:、，]\s*")


@dataclass(frozen=True)
class Named:
    """A place that a draft names: whether it ``exists``, and ``holds`` what the sentence says, its ``unit``."""

    start: int
    end: int
    line: int
    text: str
    unit: int
    exists: bool
    holds: bool


def named(document: Document, units: Sequence[Unit], files: Sequence[File]) -> Iterator[Named]:
    """The places of files that a draft names, each with whether it is one and has what is said of it.

    Takes time linear in the draft for each file, of which a document has no more than 200.
    """
    text, starts = document.text, [unit.start for unit in units]
    folded = _caseless(text)
    for file in files:
        name = file.name.rpartition("/")[2]
        # Most files are not named: to look for 1000 names in 64 KiB takes 0.03 s, by expressions 2.5 s.
        if not file.labels.anchors or not name or _caseless(name) not in folded:
            continue
        checked = _File(file.labels)
        for mention in re.finditer(rf"(?<!\w){re.escape(name)}{_NEXT.pattern}", text, re.IGNORECASE):
            found = checked.named(text, mention.end())
            number = bisect_right(starts, mention.start()) - 1
            if found and number >= 0:
                end, places = found
                said = _said(text, units, number, mention.start(), end)
                holds = said.is_vague or any(checked.says(place, said) for place in places)
                yield Named(
                    start=mention.start(),
                    end=end,
                    line=document.line(mention.start()),
                    text=text[mention.start() : end],
                    unit=number,
                    exists=bool(places),
                    holds=holds,
                )


def _caseless(text: str) -> str:
    """A form in which all is the same that an expression takes for the same when it ignores case: also a Turkish i."""
    return text.casefold().replace("i\u0307", "i").replace("ı", "i")


class _Said(NamedTuple):
    """What a sentence says besides its citation, in the forms that places are compared in."""

    words: frozenset[str]
    numbers: frozenset[str]
    runs: frozenset[Run]

    @property
    def is_vague(self) -> bool:
        return len(self.words) < _LEAST_WORDS and not self.numbers


def _said(text: str, units: Sequence[Unit], number: int, start: int, end: int) -> _Said:
    """The words of the sentence around a citation; of one that is nothing else, those of the one before it."""
    unit = units[number]
    before, after = text[max(unit.start, start - _AROUND) : start], text[end : min(end + _AROUND, unit.end)]
    tokens = tokens_of(f"{before} {after}")
    if number and len(words_of(tokens)) < _LEAST_WORDS and units[number - 1].block == unit.block:
        tokens = tokens_of(units[number - 1].text[-_AROUND:])
    return _Said(words_of(tokens), numbers_of(tokens), frozenset(runs_of(tokens)))


class _File:
    """The places of one file by what they are called, and the words in each."""

    def __init__(self, labels: Labels) -> None:
        self._labels = labels
        self._kind = labels.anchors[0].kind
        self._said_at = cache(self._read_said_at)

    @cached_property
    def _by_number(self) -> dict[int, int]:
        numbers = ((place, _NUMBER.search(anchor.label)) for place, anchor in enumerate(self._labels.anchors))
        return {int(found[0]): place for place, found in numbers if found}

    @cached_property
    def _areas(self) -> list[tuple[int, _Area]]:
        areas = ((place, _CELLS.fullmatch(anchor.label)) for place, anchor in enumerate(self._labels.anchors))
        return [(place, _area(area)) for place, area in areas if area]

    @cached_property
    def _by_label(self) -> dict[int, dict[str, int]]:
        """The first place of each label by the length that it is written with, the longest first."""
        found: dict[int, dict[str, int]] = defaultdict(dict)
        for place, anchor in enumerate(self._labels.anchors):
            found[len(anchor.label)].setdefault(_plain(anchor.label), place)
        return dict(sorted(found.items(), reverse=True))

    @cached_property
    def _texts(self) -> list[str]:
        return [text for _, text in self._labels.texts()]

    def named(self, text: str, at: int) -> tuple[int, list[int]] | None:
        """Where the place that is named at a position ends, and which places of the file it is; None if none is."""
        match self._kind:
            case "page" | "slide":
                return self._numbered(_PAGE if self._kind == "page" else _SLIDE, text, at)
            case "sheet":
                return self._cells(text, at)
            case "heading":
                return self._path(text, at)
            case _:
                return None

    def _numbered(self, pattern: re.Pattern[str], text: str, at: int) -> tuple[int, list[int]] | None:
        match = pattern.match(text, at)
        if match is None:
            return None
        numbers = [int(group) for group in match.groups() if group]
        known = self._by_number
        ends_exist = all(number in known for number in numbers)
        wanted = range(numbers[0], min(numbers[-1], numbers[0] + 100) + 1)
        return match.end(), [known[number] for number in wanted if number in known] if ends_exist else []

    def _cells(self, text: str, at: int) -> tuple[int, list[int]] | None:
        match = _CELLS.match(text, at)
        if match is None:
            return None
        wanted = _area(match)
        return match.end(), [place for place, area in self._areas if _overlap(area, wanted)]

    def _path(self, text: str, at: int) -> tuple[int, list[int]] | None:
        for length, places in self._by_label.items():
            place = places.get(_plain(text[at : at + length]))
            if place is not None and not _GOES_ON.match(text, at + length):
                return at + length, [place]
        match = _PATH.match(text, at)
        return (match.end(), []) if match else None

    def says(self, place: int, said: _Said) -> bool:
        """Whether a place has words or numbers of a sentence: so much that it can be meant."""
        tokens, runs = self._said_at(place)
        share = _SHARE_BESIDE_OTHER_NUMBERS if said.numbers else LEAST_SHARE
        has_words = len(said.words & tokens) >= max(1, len(said.words) * share)
        return has_words or not said.numbers.isdisjoint(tokens) or not said.runs.isdisjoint(runs)

    def _read_said_at(self, place: int) -> tuple[frozenset[str], frozenset[Run]]:
        tokens = tokens_of(self._texts[place])
        return frozenset(tokens), frozenset(runs_of(tokens))


def _plain(label: str) -> str:
    return " ".join(label.split()).casefold()


_Area = tuple[str, int, int, int, int]


def _area(match: re.Match[str]) -> _Area:
    left, top = _number(match["left"]), int(match["top"])
    sheet = (match["sheet"] or "").strip("'").replace("''", "'").casefold()
    return sheet, left, top, _number(match["right"] or match["left"]), int(match["bottom"] or top)


def _number(column: str) -> int:
    number = 0
    for letter in column:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number


def _overlap(one: _Area, other: _Area) -> bool:
    same_sheet = not other[0] or one[0] == other[0]
    return same_sheet and one[1] <= other[3] and other[1] <= one[3] and one[2] <= other[4] and other[2] <= one[4]
