"""What a demand of a ledger asks for: its words, its figures, and how it would be said again."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from stemma_evidence import claims, content_words
from stemma_evidence.requirements import units
from stemma_languages import demands

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
class Figure:
    """A number with what it measures; of the readings of an amount the likeliest. A limit may be stayed below."""

    number: Decimal
    unit: str
    is_limit: bool

    def is_kept_by(self, said: Figure) -> bool:
        return said.number <= self.number if self.is_limit else said.number >= self.number


@dataclass(frozen=True)
class Demand:
    """What of a row an answer has to speak of; ``negates``: that something is not done.

    ``echo`` is the row said again; ``demands``: its words demand by themselves, without what announces them.
    """

    echo: re.Pattern[str]
    demands: bool
    words: frozenset[str]
    figures: tuple[Figure, ...]
    negates: bool


class DemandReader:
    def __init__(self, language: str) -> None:
        self._language = language
        self._words = demands(language)

    def read(self, quote: str, announced_by: str) -> Demand:
        words = self._telling(quote)
        if len(words) < FEW_WORDS:
            words |= self._telling(announced_by)
        folded = self._words.folded(quote)
        negates = self._words.negated.search(folded) is not None
        return Demand(self._echo(folded), self.demands(folded), words, self.figures(quote), negates)

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

    def figures(self, text: str) -> tuple[Figure, ...]:
        found = claims(text, self._language, of_draft=False)
        return tuple(
            self._figure(claim.numbers[0], claim.units[0] if claim.units else "", text[: claim.start])
            for claim in found
            if claim.numbers
        )

    def _figure(self, number: Decimal, unit: str, before: str) -> Figure:
        is_limit = self._words.at_most.search(self._words.folded(before[-NEAR:])) is not None
        minutes = _MINUTES.get(unit)
        return Figure(number * minutes, "minute", is_limit) if minutes else Figure(number, unit, is_limit)


@lru_cache(maxsize=KEPT_DEMANDS)
def demand_of(quote: str, announced_by: str, language: str) -> Demand:
    return DemandReader(language).read(quote, announced_by)
