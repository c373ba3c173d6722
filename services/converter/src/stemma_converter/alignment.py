"""Two sequences side by side: what stayed, what went, what came, and what became something else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from difflib import Match, SequenceMatcher
from typing import NamedTuple, TypeVar

T = TypeVar("T")
Opcode = tuple[str, int, int, int, int]
_MAX_PAIRS = 10_000
_ENOUGH = 0.4
"""The share of words in common from which two items are one that changed."""


class Likeness(NamedTuple):
    """What tells whether an item became another one: of the same kind, none being like nothing, with many words."""

    kind: Hashable | None
    words: Counter[str]
    length: int

    @classmethod
    def of(cls, kind: Hashable | None, text: str) -> Likeness:
        words = text.split()
        return cls(kind, Counter(words), len(words))


class _Exhausted(Exception):
    """There are no comparisons left."""


class Budget:
    """Comparisons that may still be made: two texts of a page can be such that `difflib` takes hours over them."""

    def __init__(self, comparisons: int = 4_000_000) -> None:
        self._left = comparisons

    def spend(self, comparisons: int) -> None:
        self._left -= comparisons
        if self._left < 0:
            raise _Exhausted

    def similar(self, old: Likeness, new: Likeness) -> bool:
        """Whether two items are one that changed; past the budget none are."""
        enough = _ENOUGH * max(old.length, new.length)
        if old.kind is None or old.kind != new.kind or min(old.length, new.length) < enough:
            return False
        fewer, more = sorted((old.words, new.words), key=len)
        try:
            self.spend(1 + len(fewer))
        except _Exhausted:
            return False
        return sum(min(count, more[word]) for word, count in fewer.items()) >= enough

    def opcodes(
        self, old: Sequence[Hashable], new: Sequence[Hashable], gap: Hashable | None = None
    ) -> Iterator[Opcode]:
        """How ``old`` becomes ``new``, as `difflib` says it; past the budget, one replacement of all that differs.

        A ``gap`` counts only beside something else that is the same.
        """
        head = _common(old, new)
        tail = _common(old[head:][::-1], new[head:][::-1])
        middles = old[head : len(old) - tail], new[head : len(new) - tail]
        if head:
            yield "equal", 0, head, 0, head
        for name, a, b, c, d in self._middle(*middles, gap):
            yield name, a + head, b + head, c + head, d + head
        if tail:
            yield "equal", len(old) - tail, len(old), len(new) - tail, len(new)

    def _middle(self, old: Sequence[Hashable], new: Sequence[Hashable], gap: Hashable | None) -> Sequence[Opcode]:
        try:
            return _Matcher(old, new, gap, self).get_opcodes()
        except _Exhausted:
            return [("replace", 0, len(old), 0, len(new))]


class _Matcher(SequenceMatcher[Hashable]):
    """`difflib` on a budget."""

    def __init__(self, old: Sequence[Hashable], new: Sequence[Hashable], gap: Hashable | None, budget: Budget) -> None:
        super().__init__(lambda item: item == gap, old, new, autojunk=False)
        self._budget = budget
        places = Counter(item for item in new if item != gap)
        self._costs = [1 + places[item] for item in old]

    def find_longest_match(self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None) -> Match:
        self._budget.spend(sum(self._costs[alo:ahi]))
        return super().find_longest_match(alo, ahi, blo, bhi)


def aligned(
    old: Sequence[T], new: Sequence[T], key: Callable[[T], Hashable], likeness: Callable[[T], Likeness], budget: Budget
) -> Iterator[tuple[T | None, T | None]]:
    """Pairs in the order of both: equal or alike ones together, the others with none beside them."""
    for name, a, b, c, d in budget.opcodes([key(item) for item in old], [key(item) for item in new]):
        if name == "equal":
            yield from zip(old[a:b], new[c:d], strict=True)
        else:
            yield from _paired(old[a:b], new[c:d], likeness, budget)


def _paired(
    old: Sequence[T], new: Sequence[T], likeness: Callable[[T], Likeness], budget: Budget
) -> Iterator[tuple[T | None, T | None]]:
    """Each new item with the next old one that is like it; what went stands before what came."""
    few = len(old) * len(new) <= _MAX_PAIRS
    before, after = ([likeness(item) for item in items] if few else [] for items in (old, new))
    start, waiting = 0, 0
    for position, item in enumerate(new):
        pairs = range(start, len(before))
        found = next((i for i in pairs if budget.similar(before[i], after[position])), None)
        if found is not None:
            yield from ((gone, None) for gone in old[start:found])
            yield from ((None, come) for come in new[waiting:position])
            yield old[found], item
            start, waiting = found + 1, position + 1
    yield from ((gone, None) for gone in old[start:])
    yield from ((None, come) for come in new[waiting:])


def _common(old: Sequence[Hashable], new: Sequence[Hashable]) -> int:
    return next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
