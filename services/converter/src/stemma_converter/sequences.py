"""Two sequences side by side: what stayed, what went, what came, and what became something else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from difflib import Match, SequenceMatcher
from typing import TypeVar

T = TypeVar("T")
Opcode = tuple[str, int, int, int, int]
_MAX_PAIRS = 10_000


class _Exhausted(Exception):
    """There are no comparisons left."""


class Budget:
    """Comparisons that may still be made: two texts of a page can be such that `difflib` takes hours over them."""

    def __init__(self, comparisons: int = 4_000_000) -> None:
        self._left = comparisons

    def spend(self, comparisons: int) -> None:
        """Take some; raises `_Exhausted`."""
        self._left -= comparisons
        if self._left < 0:
            raise _Exhausted

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
        """As `difflib` has it."""
        self._budget.spend(sum(self._costs[alo:ahi]))
        return super().find_longest_match(alo, ahi, blo, bhi)


def aligned(
    old: Sequence[T], new: Sequence[T], key: Callable[[T], Hashable], alike: Callable[[T, T], bool], budget: Budget
) -> Iterator[tuple[T | None, T | None]]:
    """Pairs in the order of both: equal or alike ones together, the others with none beside them."""
    for name, a, b, c, d in budget.opcodes([key(item) for item in old], [key(item) for item in new]):
        if name == "equal":
            yield from zip(old[a:b], new[c:d], strict=True)
        else:
            yield from _paired(old[a:b], new[c:d], alike)


def _paired(old: Sequence[T], new: Sequence[T], alike: Callable[[T, T], bool]) -> Iterator[tuple[T | None, T | None]]:
    """Each new item with the next old one that is like it; what went stands before what came."""
    few = len(old) * len(new) <= _MAX_PAIRS
    start, waiting = 0, 0
    for position, item in enumerate(new):
        found = next((i for i in range(start, len(old)) if few and alike(old[i], item)), None)
        if found is not None:
            yield from ((gone, None) for gone in old[start:found])
            yield from ((None, come) for come in new[waiting:position])
            yield old[found], item
            start, waiting = found + 1, position + 1
    yield from ((gone, None) for gone in old[start:])
    yield from ((None, come) for come in new[waiting:])


def _common(old: Sequence[Hashable], new: Sequence[Hashable]) -> int:
    """How many items are the same from the beginning."""
    return next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
