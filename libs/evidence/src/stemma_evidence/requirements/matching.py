"""Which of the quotations of one reading are those of another: equal ones, and the most similar of each source."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Protocol

from stemma_markdown import match_parts

SAME = 0.3
"""The share of what two quotations say, each word weighed by how rare it is, that makes them one that was changed."""

_WORD = re.compile(r"[^\W_]+")


class Quoted(Protocol):
    """A quotation of a source."""

    @property
    def source(self) -> str:
        """The name of the source."""
        ...

    @property
    def quote(self) -> str:
        """The words."""
        ...


def partners(before: Sequence[Quoted], after: Sequence[Quoted]) -> dict[int, int]:
    """The number of the old quotation that each new one is, by the number of the new one.

    Those of one source are compared with those that it had before: equal ones first, then the most similar, of those
    the ones with the fewest others between. What is left is looked for in the other sources.
    """
    found: dict[int, int] = {}
    olds, news = _by_source(before), _by_source(after)
    for source, numbers in news.items():
        found |= _matched(before, after, olds.get(source, []), numbers)
    taken = set(found.values())
    old_left = [number for number in range(len(before)) if number not in taken]
    new_left = [number for number in range(len(after)) if number not in found]
    return found | _matched(before, after, old_left, new_left)


def _by_source(rows: Sequence[Quoted]) -> dict[str, list[int]]:
    numbers: dict[str, list[int]] = {}
    for number, row in enumerate(rows):
        numbers.setdefault(row.source, []).append(number)
    return numbers


def _matched(
    before: Sequence[Quoted], after: Sequence[Quoted], olds: Sequence[int], news: Sequence[int]
) -> dict[int, int]:
    """The partners among the rows of these numbers."""
    old, new = [before[number].quote for number in olds], [after[number].quote for number in news]
    rarity = _rarity([*old, *new])
    pairs = match_parts(old, new).items()
    return {news[now]: olds[then] for now, then in pairs if _is_same(old[then], new[now], rarity)}


def _rarity(quotes: Sequence[str]) -> dict[str, float]:
    """How much a word tells, by how few rows have it: "The contractor shall" makes no two rows the same."""
    counts = Counter(word for quote in quotes for word in _words(quote))
    return {word: math.log(len(quotes) / count) for word, count in counts.items()}


def _is_same(before: str, after: str, rarity: Mapping[str, float]) -> bool:
    """Whether two rows are one that was changed: they have in common enough of the words that tell something."""
    old, new = _words(before), _words(after)
    every = sum(rarity[word] for word in old | new)
    return before == after or sum(rarity[word] for word in old & new) >= SAME * every


def _words(quote: str) -> set[str]:
    return set(_WORD.findall(quote.casefold()))
