"""What a claim is about: the words that it stands with, by which a value that belongs to something else can be told."""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import islice

from stemma_evidence.claims.claim import Claim

from .statements import Statement
from .words import stemmed

COMPARED = ("amount", "date", "quantity")

_REACH = 200
_AROUND = 500
_MOST_BESIDE = 24
"""Claims before and behind another one that tell which it is."""
_MOST_LABELS = 20
"""Cells of a row that are taken for labels of its values."""
_ENDING = 6
"""Letters of a stem that count: ``shelving`` and ``shelves``, ``européen`` and ``European`` are the same then."""
_TERM = re.compile(r"[\u3400-\u9fff]+|[\u30a0-\u30ff]+|[^\W_\u3040-\u30ff\u3400-\u9fff]+")
_PART = re.compile(
    r"[,;:()/、，；：（）]|(?<!\w)(?:and|or|und|oder|sowie|et|ou|y|e|o|u|en|while|während|tandis)(?!\w)",
    re.IGNORECASE,
)

_DIGIT = re.compile(r"[0-9]")
_COUNTED = re.compile(r"\s(?:[^\W\d_\u3040-\u9fff]+\s){0,1}[^\W\d_\u3040-\u9fff]+")


@dataclass(frozen=True, slots=True)
class Context:
    """``near`` are the words of its own clause or row, ``around`` the others of its sentence and its heading."""

    near: frozenset[str] = frozenset()
    around: frozenset[str] = frozenset()


def contexts(text: str, claims: Sequence[Claim], statements: Sequence[Statement], language: str) -> tuple[Context, ...]:
    """The context of each claim; of one that is not compared, nothing. Takes time linear in the text."""
    compared = [claim for claim in claims if claim.kind in COMPARED]
    reader = _Reader(_blanked(text, compared), compared, statements, language)
    return tuple(reader.context(claim) if claim.kind in COMPARED else Context() for claim in claims)


def comparable(one: Claim, other: Claim) -> bool:
    """Whether two claims could stand in each other's place: both are days, or measure in the same unit."""
    if one.kind != other.kind:
        return False
    if one.kind == "date":
        return _DIGIT.sub("0", one.values[0]) == _DIGIT.sub("0", other.values[0])
    return not set(one.units).isdisjoint(other.units) if one.units else not other.units


def terms(text: str, language: str) -> frozenset[str]:
    """The words of a text in a form that inflection and, among related languages, spelling do not change."""
    return frozenset(form for word in set(_TERM.findall(text.casefold())) for form in _forms(word, language))


@lru_cache(maxsize=65_536)
def _forms(word: str, language: str) -> tuple[str, ...]:
    """What a word is known by: its stem, ideographs in pairs."""
    if word >= "\u3400":
        return tuple(word[at : at + 2] for at in range(max(1, len(word) - 1)))
    stem = stemmed(word, language)
    return (plain(stem)[:_ENDING],) if stem else ()


def plain(word: str) -> str:
    """A word without its accents."""
    if word.isascii():
        return word
    return "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))


def _blanked(text: str, claims: Iterable[Claim]) -> str:
    parts, position = [], 0
    for claim in claims:
        if claim.start >= position:
            parts += [text[position : claim.start], " " * (claim.end - claim.start)]
            position = claim.end
    return "".join([*parts, text[position:]])


class _Reader:
    def __init__(self, shown: str, claims: Sequence[Claim], statements: Sequence[Statement], language: str) -> None:
        self._shown = shown
        self._claims = claims
        self._starts = [claim.start for claim in claims]
        self._statements = statements
        self._statement_starts = [statement.start for statement in statements]
        self._language = language
        self._labels = cache(self._read_labels)
        self._around = cache(self._terms)

    def context(self, claim: Claim) -> Context:
        """The words of its clause, or of its cell with head and label, and the others around it."""
        number = bisect_right(self._statement_starts, claim.start) - 1
        is_inside = number >= 0 and claim.start < self._statements[number].end
        statement = self._statements[number] if is_inside else Statement(claim.start, claim.end)
        near = self._counted(claim, statement) or (
            self._in_row(claim, number) if statement.cells else self._terms(self._clause(claim, statement))
        )
        start, end = max(statement.start, claim.start - _AROUND), min(statement.end, claim.end + _AROUND)
        around = self._around(f"{self._shown[start:end]} {statement.heading[:_AROUND]}")
        return Context(near, (around | self._beside(claim, start, end)) - near)

    def _beside(self, claim: Claim, start: int, end: int) -> frozenset[str]:
        """What stands around a claim and could not stand in its place."""
        place, first = bisect_left(self._starts, claim.start), bisect_left(self._starts, start)
        last = bisect_left(self._starts, end)
        others = self._claims[max(first, place - _MOST_BESIDE) : min(last, place + _MOST_BESIDE)]
        return frozenset(f"={other.values[0]}" for other in others if not comparable(other, claim))

    def _terms(self, text: str) -> frozenset[str]:
        return terms(text, self._language)

    def _between(self, start: int, end: int) -> Sequence[Claim]:
        return self._claims[bisect_right(self._starts, start - 1) : bisect_right(self._starts, end - 1)]

    def _clause(self, claim: Claim, statement: Statement) -> str:
        start, end = max(statement.start, claim.start - _REACH), min(statement.end, claim.end + _REACH)
        same = [other for other in self._between(start, end) if comparable(other, claim)]
        before = max((other.end for other in same if other.end <= claim.start), default=0)
        after = min((other.start for other in same if other.start >= claim.end), default=0)
        left = self._shown[max(start, before) : claim.start]
        right = self._shown[claim.end : after or end]
        if before > start:
            left = _PART.split(left)[-1]
        if after:
            right = _PART.split(right)[0]
        return f"{left} {right}"

    def _counted(self, claim: Claim, statement: Statement) -> frozenset[str]:
        """What a number without a unit counts: the words right after it."""
        if claim.kind != "quantity" or claim.units:
            return frozenset()
        match = _COUNTED.match(self._shown, claim.end, min(statement.end, claim.end + _REACH))
        return self._terms(match[0]) if match else frozenset()

    def _in_row(self, claim: Claim, number: int) -> frozenset[str]:
        """The words beside a claim in its cell, those of its head, and those of the cells that label the row."""
        statement = self._statements[number]
        column = bisect_right(statement.cells, claim.start, key=lambda cell: cell[0]) - 1
        start, end = statement.cells[column]
        beside = self._shown[max(start, claim.start - _AROUND) : min(end, claim.end + _AROUND)]
        head = " ".join(statement.heads[column : column + 1])[:_REACH]
        return self._terms(f"{head} {beside}") | self._labels(number)

    def _read_labels(self, number: int) -> frozenset[str]:
        """The words of the first cells of a row that hold no value."""
        labels = (cell for cell in self._statements[number].cells if not self._between(*cell))
        return self._terms(" ".join(self._shown[s : min(e, s + _REACH)] for s, e in islice(labels, _MOST_LABELS)))
