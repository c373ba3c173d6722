"""Fingerprints of what a text says whole: what a draft has word for word from a source is found by them."""

from __future__ import annotations

import html
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from hashlib import blake2b
from typing import NamedTuple

from stemma_markdown import Document, sentence_ranges

from stemma_evidence.claims.claim import Claim

from .statements import Statement

Range = tuple[int, int]

_BESIDE = 24
"""Characters of the normalized text on one side of a value that tell which it is; ideographs say more with fewer."""
_BESIDE_EASTERN = 10
_REACH = 160
_LEAST_IN_CELL = 12
"""Letters of a cell that says something by itself."""
_LEAST_IN_SENTENCE = 2
_LONG_CELL = 60
_EASTERN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_LAST_BRACKET = re.compile(r"[(（][^()（）]{1,300}(?:[(（][^()（）]{0,100}[)）][^()（）]{0,100}){0,3}[)）][\s.]{0,3}\Z")


class ClaimFingerprints(NamedTuple):
    """The fingerprints of what a claim of a draft stands in, and the row of its cell from 1 on; 0 outside of tables."""

    keys: tuple[int, ...]
    row: int = 0


def fingerprints_of_rows(rows: Iterable[tuple[int, Sequence[str]]]) -> dict[int, int]:
    """Every fingerprint of a table that was no text, whose rows come with their lines."""
    found: dict[int, int] = {}
    for line, cells in rows:
        row = _Row([normalized(cell) for cell in cells])
        for column, cell in enumerate(row.cells):
            wide = (_key("", cell),) if count_letters(cell) >= _LEAST_IN_CELL else ()
            for key in (*row.keys(column), *wide):
                found.setdefault(key, line)
    return found


def _key(*parts: str) -> int:
    return int.from_bytes(blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=7).digest())


class Fingerprints:
    """The fingerprints of one text; what many claims stand in is normalized once."""

    def __init__(
        self, document: Document, statements: Sequence[Statement], claims: Sequence[Claim], language: str
    ) -> None:
        self._text = document.text
        self._statements = statements
        self._starts = [statement.start for statement in statements]
        self._claims = claims
        self._claim_starts = [claim.start for claim in claims]
        self._language = language
        self._is_eastern = not document.text.isascii() and _EASTERN.search(document.text) is not None
        self._prose = document.prose
        self._pieces = [p for p in document.prose if p.kind == "paragraph" and self._between(p.start, p.end)]
        self._piece_starts = [piece.start for piece in self._pieces]
        self._whole = cache(self._read_whole)
        self._row = cache(self._read_row)
        self._cell = cache(self._read_cell)
        self._piece = cache(self._read_piece)
        self._keys = cache(self._read_keys)

    def of_text(self) -> dict[int, int]:
        """Every fingerprint of what holds a claim, with its line. Takes time linear in the text."""
        found: dict[int, int] = {}
        for line, key in self._all():
            found.setdefault(key, line)
        return found

    def of_claims(self) -> tuple[ClaimFingerprints, ...]:
        """For each claim the fingerprints of what it stands in."""
        return tuple(self._of(claim) for claim in self._claims)

    def _all(self) -> Iterator[tuple[int, int]]:
        for number, statement in enumerate(self._statements):
            for claim in self._between(statement.start, statement.end):
                yield from ((claim.line, key) for key in self._keys(claim, number))
        for number, piece in enumerate(self._pieces):
            yield from ((piece.line, key) for key in self._piece(number))
        yield from self._under_headings()

    def _of(self, claim: Claim) -> ClaimFingerprints:
        """The fingerprints of what a claim stands in, but for those of which it is all."""
        number = bisect_right(self._starts, claim.start) - 1
        if number < 0 or claim.end > self._statements[number].end:
            return ClaimFingerprints(self._around(claim))
        statement = self._statements[number]
        if not statement.cells:
            return ClaimFingerprints((*self._keys(claim, number), *self._around(claim)))
        column, row = self._column(claim, statement), self._row(number)
        titled = self._titled(claim, statement.cells[column])
        return ClaimFingerprints((*self._keys(claim, number), *titled, *row.below(column)), number + 1)

    def _read_keys(self, claim: Claim, number: int) -> tuple[int, ...]:
        return tuple(self._in_statement(claim, number))

    def _in_statement(self, claim: Claim, number: int) -> Iterator[int]:
        statement = self._statements[number]
        if not statement.cells:
            size, key, bracket, before_bracket = self._whole(number)
            if statement.title or size - count_letters(normalized(claim.text)) >= _LEAST_IN_SENTENCE:
                yield from (key, before_bracket) if claim.end <= bracket else (key,)
            yield from self._beside(claim, (statement.start, statement.end))
            return
        column = self._column(claim, statement)
        yield from self._row(number).keys(column)
        cell = self._cell(number, column)
        yield from (key for _, _, key in cell[:1])
        sentence = bisect_right(cell, claim.start, lo=1, key=lambda part: part[0]) - 1 if len(cell) > 1 else 0
        yield from (key for _, end, key in cell[sentence : sentence + 1] if claim.start < end)
        yield from self._beside(claim, statement.cells[column])

    def _around(self, claim: Claim) -> tuple[int, ...]:
        """The paragraph of a claim, and the heading that its sentence begins with."""
        number = bisect_right(self._piece_starts, claim.start) - 1
        if number < 0 or claim.start >= self._pieces[number].end:
            return ()
        piece = self._pieces[number]
        return (*self._piece(number), *self._titled(claim, (piece.start, piece.end)))

    def _between(self, start: int, end: int) -> Sequence[Claim]:
        return self._claims[bisect_left(self._claim_starts, start) : bisect_left(self._claim_starts, end)]

    def _column(self, claim: Claim, statement: Statement) -> int:
        return max(0, bisect_right(statement.cells, claim.start, key=lambda cell: cell[0]) - 1)

    def _read_whole(self, number: int) -> tuple[int, int, int, int]:
        """How many letters a sentence or a heading has, its key, where its last bracket begins, the key up to there."""
        statement = self._statements[number]
        written = self._text[statement.start : statement.end]
        normal = normalized(written)
        key = _key("#" if statement.title and not count_letters(normal) else "", normal)
        if bracket := _LAST_BRACKET.search(written[-3 * _REACH :]):
            front = written[: len(written) - len(bracket[0])]
            return count_letters(normal), key, statement.start + len(front), _key("", normalized(front))
        return count_letters(normal), key, statement.start, key

    def _read_row(self, number: int) -> _Row:
        return _Row([normalized(self._text[start:end]) for start, end in self._statements[number].cells])

    def _read_cell(self, number: int, column: int) -> list[tuple[int, int, int]]:
        """A cell of some words and the sentences in it, with their places."""
        start, end = self._statements[number].cells[column]
        written = self._text[start:end]
        parts = sentence_ranges(written, self._language) if end - start > _LONG_CELL else ()
        said = [(first, last, normalized(written[first:last])) for first, last in ((0, end - start), *parts)]
        return [
            (start + first, start + last, _key("", s)) for first, last, s in said if count_letters(s) >= _LEAST_IN_CELL
        ]

    def _read_piece(self, number: int) -> tuple[int, ...]:
        normal = normalized(self._pieces[number].text)
        return (_key("", normal),) if count_letters(normal) >= _LEAST_IN_CELL else ()

    def _under_headings(self) -> Iterator[tuple[int, int]]:
        """Headings with a value, each with what stands below it."""
        heading = 0
        for piece in self._prose:
            if piece.kind == "heading":
                heading = _key("", normalized(piece.text)) if self._between(piece.start, piece.end) else 0
            elif heading:
                for start, end in sentence_ranges(piece.text, self._language):
                    yield piece.line, _under(heading, normalized(piece.text[start : min(end, start + _REACH)]))

    def _beside(self, claim: Claim, bounds: Range) -> Iterator[int]:
        """A claim with what is on its left or its right, so much of it that it is hardly there by chance."""
        value, before, after = normalized(claim.text), self._before(claim, bounds), self._after(claim, bounds)
        most = _BESIDE_EASTERN if self._is_eastern and _EASTERN.search(before + after) else _BESIDE
        left, right = normalized(before)[-most:], normalized(after)[:most]
        if len(left) == most:
            yield _key("<", left, value)
        if len(right) == most:
            yield _key(">", value, right)

    def _titled(self, claim: Claim, bounds: Range) -> Iterator[int]:
        """A heading and what stands below it, if a colon parts them."""
        title, colon, below = self._after(claim, bounds).partition(": ")
        if colon:
            heading = normalized(self._before(claim, bounds) + claim.text + title)
            yield _under(_key("", heading), normalized(below))

    def _before(self, claim: Claim, bounds: Range) -> str:
        return self._text[max(bounds[0], claim.start - _REACH) : claim.start]

    def _after(self, claim: Claim, bounds: Range) -> str:
        return self._text[claim.end : min(bounds[1], claim.end + _REACH)]


class _Row:
    """The normalized cells of a row; a value is told by its neighbours and the first cell with letters."""

    def __init__(self, cells: Sequence[str]) -> None:
        self.cells = cells
        self._keys = [_key("", cell) for cell in cells]
        self._whole = _key("|", *cells)
        self._label = next((str(key) for cell, key in zip(cells, self._keys, strict=True) if count_letters(cell)), "")

    def keys(self, column: int) -> Iterator[int]:
        """The row, and the cell of a column with each of its neighbours."""
        yield self._whole
        for index in (column - 1, column):
            if self._label and 0 <= index < len(self.cells) - 1:
                yield _key("||", self._label, *map(str, self._keys[index : index + 2]))

    def below(self, column: int) -> Iterator[int]:
        """The cell of a column as a heading of what stands in the next one."""
        if column + 1 < len(self.cells):
            yield _under(self._keys[column], self.cells[column + 1])


def _under(heading: int, below: str) -> int:
    """The key of a heading, given by its own, with the beginning of what stands below it."""
    return _key("#", str(heading), below[:_BESIDE])


_MARKUP = re.compile(
    r"\\?\[\\?\^[\w-]{1,40}\\?\]"  # the mark of a footnote
    r"|\]\([^()\s]{0,2000}(?:\s\"[^\"\n]{0,200}\")?\)|!(?=\[)"
    r"|\{%[^{}\n]{0,500}%\}|</?[a-zA-Z][\w-]{0,20}(?=[\s/>])[^<>\n]{0,500}>"
    r"|https?://"
)
_DROPPED = re.compile(r"[\s*_`\\'\"<>\[\](){}|~^#ʼ‘’‚‛“”„‟«»「」『』\u00ad]+")
_FROM_KANA_ON = re.compile("[\u3040-\U0010ffff]")
_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—―", "-"))
_END = ".,;:!?-。、，；：！？·"


def normalized(text: str) -> str:
    """The text as it is compared: two that say the same word for word are equal."""
    plain = unicodedata.normalize("NFKC", html.unescape(_MARKUP.sub("", text))).casefold()
    return _DROPPED.sub("", plain).translate(_DASHES).rstrip(_END)


def count_letters(normal: str) -> int:
    """How many letters a text has; an ideograph says as much as two."""
    return sum(map(str.isalpha, normal)) + sum(map(str.isalpha, _FROM_KANA_ON.findall(normal)))
