"""Which passage of a draft answers a demand, as far as words and figures tell: a person still has to look.

A passage (a paragraph, an item or a row) answers a demand if it has enough of the words that carry it, and no figure
that falls short of one of the demand. What a clause denies or leaves open answers nothing, nor does the demand itself,
said again, whatever stands around it.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from stemma_contracts.v1.ledger import LedgerRow
from stemma_languages import demands

from stemma_evidence.claims.extraction import claims
from stemma_evidence.sources.words import content_words

from .units import Unit, units

FEW_WORDS = 3
"""An item with fewer words is read with the sentence that announces it."""
NEAR = 40
"""Characters before a figure in which the word stands that makes it a limit."""

KEPT_DEMANDS = 1024
"""Reading one takes as long as reading a draft, and each version of a section is asked for the same."""

_PART = re.compile(r"(?<=[;!?])\s+")
_WORD = re.compile(r"\w+")
_BETWEEN = r"\W{1,8}"
_MINUTES = {
    "minute": 1, "hour": 60, "day": 1440, "working-day": 1440, "week": 10080, "month": 43800, "quarter": 131400,
    "year": 525600,
}  # fmt: skip
"""Spans of time are compared in one unit."""


@dataclass(frozen=True)
class _Figure:
    """A number with what it measures; of the readings of an amount the likeliest. A limit may be stayed below."""

    number: Decimal
    unit: str
    is_limit: bool

    def is_kept_by(self, said: _Figure) -> bool:
        return said.number <= self.number if self.is_limit else said.number >= self.number


@dataclass(frozen=True)
class _Demand:
    """What of a row an answer has to speak of; ``negates``: that something is not done.

    ``echo`` is the row said again; ``demands``: its words demand by themselves, without what announces them.
    """

    echo: re.Pattern[str]
    demands: bool
    words: frozenset[str]
    figures: tuple[_Figure, ...]
    negates: bool


class _DemandReader:
    def __init__(self, language: str) -> None:
        self._language = language
        self._words = demands(language)

    def read(self, quote: str, announced_by: str) -> _Demand:
        words = self._telling(quote)
        if len(words) < FEW_WORDS:
            words |= self._telling(announced_by)
        folded = self._words.folded(quote)
        negates = self._words.negated.search(folded) is not None
        return _Demand(self._echo(folded), self.demands(folded), words, self.figures(quote), negates)

    def demands(self, text: str) -> bool:
        words = self._words
        return any(cue.search(text) for cue in (words.must, words.weak, words.should, words.asks))

    def _telling(self, quote: str) -> frozenset[str]:
        """The words that say what is demanded, without those that say that it is, of whom, and how much."""
        words, text = self._words, quote
        for claim in claims(quote, self._language, of_draft=False):
            if claim.numbers:
                text = text.replace(claim.text, " ", 1)
        text = words.folded(text)
        for pattern in (words.must, words.weak, words.bidders):
            text = pattern.sub(" ", text)
        for pattern in (words.parties, words.begins):
            text = pattern.sub(" ", text, count=1)
        return content_words(text, self._language)

    def _echo(self, quote: str) -> re.Pattern[str]:
        """The words of a demand, or of one of its sentences, whatever stands between them."""
        parts = (part for unit in units(quote, self._language) for part in _PART.split(unit.text))
        said = [words for part in (*parts, quote) if len(words := _WORD.findall(part)) >= FEW_WORDS]
        said = said or [words for words in (_WORD.findall(quote),) if words]
        return re.compile(
            "|".join(rf"(?<!\w){_BETWEEN.join(map(re.escape, words))}(?!\w)" for words in said) or r"(?!)"
        )

    def figures(self, text: str) -> tuple[_Figure, ...]:
        found = claims(text, self._language, of_draft=False)
        return tuple(
            self._figure(claim.numbers[0], claim.units[0] if claim.units else "", text[: claim.start])
            for claim in found
            if claim.numbers
        )

    def _figure(self, number: Decimal, unit: str, before: str) -> _Figure:
        is_limit = self._words.at_most.search(self._words.folded(before[-NEAR:])) is not None
        minutes = _MINUTES.get(unit)
        return _Figure(number * minutes, "minute", is_limit) if minutes else _Figure(number, unit, is_limit)


@lru_cache(maxsize=KEPT_DEMANDS)
def _demand_of(quote: str, announced_by: str, language: str) -> _Demand:
    return _DemandReader(language).read(quote, announced_by)


ENOUGH = 0.6
"""The share of what a demand says, each word weighed by how rare it is, that a passage must have."""
BESIDE = 0.5
"""What a word counts that stands in the heading of a passage or above its list."""
KEPT_LEDGERS = 8
"""Whose words are counted once for all drafts; one has some 100 KB."""

_CLAUSE = re.compile(r"(?<=[.;!?])\s+|,\s+(?=(?:but|aber|sondern|mais)\b)")
_MARKS = " \"'“”„>*_-–•#|"


@dataclass(frozen=True)
class _Passage:
    """A paragraph, an item or a row of a draft, from ``start`` on; ``above`` are the words over it."""

    start: int
    clauses: tuple[str, ...]
    above: frozenset[str]


class Answers:
    """A draft, to be asked what it answers; ``every`` is the ledger, which says how rare a word is.

    ``language`` is the BCP 47 tag of both.
    """

    def __init__(self, text: str, language: str, every: Sequence[LedgerRow]) -> None:
        self._language = language
        self._words = demands(language)
        self._reader = _DemandReader(language)
        self._rarity = _rarity(tuple(row.quote for row in every), language)
        self._passages = [self._passage(found) for found in _paragraphs(units(text, language))]
        self._with_word: dict[str, list[int]] = defaultdict(list)
        for number, passage in enumerate(self._passages):
            for word in content_words(" ".join(passage.clauses), language):
                self._with_word[word].append(number)

    def place_of(self, row: LedgerRow) -> int | None:
        """Where the passage begins that answers a row best, None if none does."""
        demand = _demand_of(row.quote, row.announced_by, self._language)
        candidates = sorted({number for word in demand.words for number in self._with_word.get(word, ())})
        scored = ((self._score(demand, self._passages[number]), -number) for number in candidates)
        score, number = max(scored, default=(0.0, 0))
        return self._passages[-number].start if score else None

    def _passage(self, found: Sequence[Unit]) -> _Passage:
        clauses = (clause for unit in found for clause in _CLAUSE.split(unit.text))
        decided = (one for one in clauses if not self._words.undecided.search(self._words.folded(one)))
        above = " ".join((*found[0].path[-1:], *found[0].leads[-1:]))
        return _Passage(found[0].start, tuple(decided), content_words(above, self._language))

    def _score(self, demand: _Demand, passage: _Passage) -> float:
        """The share of a demand that a passage speaks of, each figure as much as the rarest word; 0 if not enough."""
        said = " ".join(self._affirmed(demand, passage))
        words = content_words(said, self._language)
        every = sum(map(self._weight, demand.words)) + len(demand.figures)
        own = sum(map(self._weight, demand.words & words))
        beside = BESIDE * sum(map(self._weight, (demand.words - words) & passage.above))
        if not every or own + beside + len(demand.figures) < ENOUGH * every:
            return 0.0
        kept = self._kept(demand, said)
        share = 0.0 if kept is None else (own + beside + kept) / every
        return share if share >= ENOUGH else 0.0

    def _affirmed(self, demand: _Demand, passage: _Passage) -> Iterator[str]:
        for clause in passage.clauses:
            folded = self._words.folded(clause)
            denies = not demand.negates and self._words.negated.search(folded)
            if not denies and not self._is_echo(demand, folded):
                yield clause

    def _is_echo(self, demand: _Demand, clause: str) -> bool:
        """Whether a clause only says the demand again; words that do not demand may be those of an answer, too."""
        found = demand.echo.search(clause)
        if found is None:
            return False
        before, rest = clause[: found.start()].rstrip(_MARKS), demand.echo.sub(" ", clause)
        own = not demand.demands and not self._reader.demands(rest) and before != "" and not before.endswith(":")
        return not own and len(content_words(rest, self._language) - demand.words) < FEW_WORDS

    def _kept(self, demand: _Demand, said: str) -> int | None:
        """How many figures of a demand are met by one of the same kind; None if one is not, or has no other of it.

        A bare number is a kind as well, but what it counts may be said in other words.
        """
        found, kept = self._reader.figures(said), 0
        for asked in demand.figures:
            same = [figure for figure in found if figure.unit == asked.unit]
            if not any(map(asked.is_kept_by, same)) and (same or asked.unit):
                return None
            kept += bool(same)
        return kept

    def _weight(self, word: str) -> float:
        return self._rarity.get(word, 1.0)


def _paragraphs(found: Iterable[Unit]) -> Iterator[list[Unit]]:
    paragraph = list[Unit]()
    for unit in found:
        if paragraph and unit.number == 0:
            yield paragraph
            paragraph = []
        paragraph.append(unit)
    if paragraph:
        yield paragraph


@lru_cache(maxsize=KEPT_LEDGERS)
def _rarity(quotes: tuple[str, ...], language: str) -> Mapping[str, float]:
    """How much a word tells, by how few rows of the ledger have it."""
    counts = Counter(word for quote in quotes for word in content_words(quote, language))
    return {word: math.log(1 + len(quotes) / count) / math.log(1 + len(quotes)) for word, count in counts.items()}
