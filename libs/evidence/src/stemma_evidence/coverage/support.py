"""Which sentences and rows of a draft rest on which places of files, so that a reader can look there.

A sentence rests on a part of a source if half the words of one of the two, or eight, stand in the other one after the
other, or if it states a number of that part with a third of the part's words. A place that adds nothing to a better one
is left out.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, groupby

from stemma_contracts.v1.inputs import Anchor
from stemma_markdown import Document, Prose, document_of

from stemma_evidence.sources.tables import is_tabular, rows_of

from .usage import LEAST_SHARE, LONG_RUN, RUN, ReadPart, Run, numbers_of, read_parts, runs_of, tokens_of, words_of

MOST_PLACES = 3
"""Of one sentence."""
_MOST_SAME = 8
"""Places of a draft that one run of words is looked for at."""
_MOST_STATING = 100
"""Units that one number is looked for in."""
_RULE = re.compile(r"[\s|:>-]*-[\s|:>-]*")


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence, or a row of a table, of a draft; ``block`` is the same for those of one paragraph or item."""

    text: str
    line: int
    start: int
    end: int
    block: int


@dataclass(frozen=True, slots=True)
class Cited:
    """A place of a file that a unit rests on: the line, what it is cited by, and the words that are there."""

    name: str
    line: int
    anchor: Anchor | None
    text: str


@dataclass(frozen=True)
class File:
    """A file that may be cited, in the order in which it is to be: the first of two that say the same."""

    name: str
    labels: Labels
    by_line: bool = False


def units_of(document: Document, language: str) -> tuple[Unit, ...]:
    """The sentences and rows of a draft in their order; no headings, heads of tables, code and footnotes."""
    found = [*_sentences(document, language), *_rows(document)]
    return tuple(sorted(found, key=lambda unit: unit.start))


def supporting_places(units: Sequence[Unit], files: Iterable[File]) -> dict[int, tuple[Cited, ...]]:
    """The places that units rest on, by their number in ``units``; those that rest on nothing are left out."""
    draft = _Draft(units)
    found: dict[int, list[_Match]] = defaultdict(list)
    for file in files:
        for read in read_parts(file.labels.text, by_line=file.by_line):
            part = read.part
            for number, match in draft.matches(read):
                anchor = file.labels.at(part.line, match.share)
                found[number].append(match.at(Cited(file.name, part.line, anchor, part.text)))
    return {number: _chosen(matches) for number, matches in sorted(found.items())}


def _sentences(document: Document, language: str) -> Iterator[Unit]:
    pieces = [piece for piece in document.prose if piece.kind == "paragraph"]
    starts = [piece.start for piece in pieces]
    for sentence in document.sentences(language):
        number = max(0, bisect_right(starts, sentence.start) - 1)
        if not pieces[number].in_footnote:
            yield Unit(sentence.text, sentence.line, sentence.start, sentence.end, starts[number])


def _rows(document: Document) -> Iterator[Unit]:
    lines = document.text.split("\n")
    cells = (piece for piece in document.prose if piece.kind == "cell" and not piece.in_footnote)
    for line, group in groupby(cells, key=lambda piece: piece.line):
        row: list[Prose] = list(group)
        if line >= len(lines) or not _RULE.fullmatch(lines[line]):
            yield Unit(" ".join(cell.text for cell in row), line, row[0].start, row[-1].end, row[0].start)


@dataclass(frozen=True, slots=True)
class _Match:
    """How a unit rests on a part: its words from ``first`` to ``last``; of figures, the share of words in common."""

    first: int
    last: int
    figures: float
    share: float
    cited: Cited | None = None

    def at(self, cited: Cited) -> _Match:
        return _Match(self.first, self.last, self.figures, self.share, cited)


class _Draft:
    """The units of a draft by the runs of words and the numbers in them."""

    def __init__(self, units: Sequence[Unit]) -> None:
        self._tokens = [tokens_of(unit.text) for unit in units]
        self._words = cache(self._words_of)
        self._runs: dict[Run, list[tuple[int, int]]] = defaultdict(list)
        self._by_number: dict[str, list[int]] = defaultdict(list)
        self._short: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for number, tokens in enumerate(self._tokens):
            self._add(number, tokens)

    def _add(self, number: int, tokens: Sequence[str]) -> None:
        for value in numbers_of(tokens):
            self._by_number[value] += [number] if len(self._by_number[value]) < _MOST_STATING else []
        if len(tokens) < RUN:
            self._short[tuple(tokens)].append(number)
        for at, run in enumerate(runs_of(tokens)):
            if len(places := self._runs[run]) < _MOST_SAME:
                places.append((number, at))

    def _words_of(self, number: int) -> frozenset[str]:
        return words_of(self._tokens[number])

    def matches(self, read: ReadPart) -> Iterator[tuple[int, _Match]]:
        """The units that rest on a part of a source."""
        tokens = read.tokens
        for number in self._short.get(tuple(tokens), ()) if RUN > len(tokens) > 2 else ():
            yield number, _Match(0, len(tokens), 0.0, 0.0)
        if not self._runs.keys().isdisjoint(read.runs):
            yield from self._quoting(tokens)
        yield from self._stating(read)

    def _quoting(self, tokens: Sequence[str]) -> Iterator[tuple[int, _Match]]:
        """Rows of common runs: of those with one difference of places each is one row, or several with gaps."""
        rows: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
        for at, run in enumerate(runs_of(tokens)):
            for number, place in self._runs.get(run, ()):
                row = rows[number, place - at]
                if row and row[-1][1] == place:
                    row[-1] = (row[-1][0], place + 1)
                else:
                    row.append((place, place + 1))
        for (number, shift), found in rows.items():
            for first, end in found:
                last = end + RUN - 1
                shorter = min(len(tokens), len(self._tokens[number]))
                if last - first >= min(LONG_RUN, max(RUN, shorter / 2)):
                    yield number, _Match(first, last, 0.0, ((first + last) / 2 - shift) / len(tokens))

    def _stating(self, read: ReadPart) -> Iterator[tuple[int, _Match]]:
        words, least = read.words, max(1, len(read.words) * LEAST_SHARE)
        for number in {number for value in read.numbers for number in self._by_number.get(value, ())}:
            common = len(words & self._words(number))
            if common >= least:
                yield number, _Match(0, 0, common / max(1, len(words)), 0.0)


def _chosen(matches: Sequence[_Match]) -> tuple[Cited, ...]:
    """The longest quotations that each have words that no longer one has; without any, what has the figures."""
    chosen, covered = list[_Match](), set[int]()
    for match in sorted(matches, key=lambda match: (match.first - match.last, -match.figures)):
        own = set(range(match.first, match.last)) - covered
        if len(own) >= min(RUN, match.last - match.first) if match.last else not covered:
            chosen.append(match)
            covered |= own
    kept = sorted(chosen[: MOST_PLACES if covered else 1], key=lambda match: match.first)
    places = {(m.cited.name, m.cited.anchor.label if m.cited.anchor else ""): m.cited for m in kept if m.cited}
    return tuple(places.values())


EXACT = ("page", "slide", "sheet", "part")
"""Kinds of anchors that say more than the headings above a line."""
_PATH = " > "
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Labels:
    """The labels of one file: those that reading it gave, else its own headings or rows.

    ``own`` are these, if they were read before: what `anchors` of such a file were then.
    """

    def __init__(
        self,
        text: str,
        media_type: str = "text/markdown",
        anchors: Iterable[Anchor] = (),
        own: Iterable[Anchor] | None = None,
    ) -> None:
        self.text = text
        self._starts = list(accumulate((len(line) for line in text.splitlines(keepends=True)), initial=0))
        found = sorted(anchors, key=lambda anchor: anchor.offset)
        if not found:
            found = list(_own_anchors(text, media_type, self._starts) if own is None else own)
        self.anchors = _most_exact(found)
        self.headings = frozenset(anchor.label for anchor in found if anchor.kind == "heading")
        self._offsets = [anchor.offset for anchor in self.anchors]

    def at(self, line: int, share: float = 0.0) -> Anchor | None:
        """What the place ``share`` of the way through a line, counted from 1, is cited by."""
        if not 1 <= line < len(self._starts):
            return None
        start, end = self._starts[line - 1], self._starts[line]
        above = bisect_right(self._offsets, start + int(share * (end - start)))
        return self.anchors[above - 1] if above else None

    def within(self, first: int, last: int) -> tuple[str, ...]:
        """The labels that lines are cited by, in their order."""
        if not 1 <= first <= last < len(self._starts):
            return ()
        above = max(0, bisect_right(self._offsets, self._starts[first - 1]) - 1)
        below = bisect_right(self._offsets, max(self._starts[first - 1], self._starts[last] - 1))
        return tuple(dict.fromkeys(anchor.label for anchor in self.anchors[above:below]))

    def texts(self) -> Iterator[tuple[Anchor, str]]:
        """Each place with its text, which reaches to the next place of its kind and to the ends of its lines."""
        ends = [*self._offsets[1:], len(self.text)]
        for anchor, end in zip(self.anchors, ends, strict=True):
            first = self._starts[max(0, bisect_right(self._starts, anchor.offset) - 1)]
            last = self.text.find("\n", end)
            yield anchor, self.text[first : last if last >= 0 else len(self.text)]


def _most_exact(found: Sequence[Anchor]) -> tuple[Anchor, ...]:
    for kinds in (EXACT, ("paragraph",), ("heading",)):
        if chosen := tuple(anchor for anchor in found if anchor.kind in kinds):
            return chosen
    return ()


def _own_anchors(text: str, media_type: str, starts: Sequence[int]) -> Iterator[Anchor]:
    """The places of a text that was not read by any program: it is as it was given."""
    if media_type == "text/markdown":
        path: list[tuple[int, str]] = []
        for heading in document_of(text).headings:
            path = [*(above for above in path if above[0] < heading.level), (heading.level, heading.text)]
            label = _PATH.join(words for _, words in path if words)[:200]
            yield Anchor(offset=starts[heading.line - 1], kind="heading", label=label)
    elif is_tabular(media_type) and media_type != "application/json":
        for line, cells in rows_of(text, media_type):
            last = f":{_column(len(cells))}{line}" if len(cells) > 1 else ""
            yield Anchor(offset=starts[min(line, len(starts)) - 1], kind="sheet", label=f"A{line}{last}")


def _column(number: int) -> str:
    """The name of a column of a sheet, counted from 1."""
    name = ""
    while number:
        number, letter = divmod(number - 1, len(_LETTERS))
        name = _LETTERS[letter] + name
    return name
