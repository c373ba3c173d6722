"""What two rows of words, sentences or lines have in common, found in time that grows with the texts they are of."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import pairwise

from rapidfuzz.distance import Indel

ALIKE = 0.5
"""Rows less similar than this are different ones: the share of what is common to both of what both hold."""
FREE_PAIRS = 16_000_000
"""Pairs of items that may be compared in any two texts: 7 ms."""
PAIRS_FOR_A_CHARACTER = 500
"""Pairs that may be compared beyond that, for each character of both texts."""

Range = tuple[int, int]
Run = tuple[Range, Range]


class Comparisons:
    """The comparisons of two or three texts.

    Comparing two rows in order takes as many steps as there are pairs of their items, so all comparisons together
    have a bound. What would go beyond it is compared more coarsely.
    """

    def __init__(self, characters: int) -> None:
        self._pairs_left = FREE_PAIRS + PAIRS_FOR_A_CHARACTER * characters

    def similarity(self, one: Sequence[Hashable], other: Sequence[Hashable]) -> float:
        """The share of what both have in the same order, 0 if below `ALIKE`; beyond the bound, in any order."""
        both = len(one) + len(other)
        if 2 * min(len(one), len(other)) < ALIKE * both:
            return 0.0
        if self._spend(len(one) * len(other)):
            return Indel.normalized_similarity(one, other, score_cutoff=ALIKE)
        share = 2 * (Counter(one) & Counter(other)).total() / both
        return share if share >= ALIKE else 0.0

    def runs(self, old: Sequence[Hashable], new: Sequence[Hashable]) -> Iterator[Run]:
        """The ranges that differ, as few and as short as can be: what was there, and what took its place.

        Beyond the bound, all that differs between two items that each side has once is one run.
        """
        head = _common(zip(old, new, strict=False))
        rest = min(len(old), len(new)) - head
        tail = min(rest, _common(zip(reversed(old), reversed(new), strict=False)))
        whole = (head, len(old) - tail), (head, len(new) - tail)
        if not _is_empty(whole):
            yield from self._runs(old, new, whole)

    def _runs(self, old: Sequence[Hashable], new: Sequence[Hashable], whole: Run) -> Iterator[Run]:
        before, after = old[slice(*whole[0])], new[slice(*whole[1])]
        if self._spend(len(before) * len(after)):
            yield from _shifted(_exact(before, after), whole)
            return
        anchors = [(-1, -1), *_anchors(before, after), (len(before), len(after))]
        for (a, c), (b, d) in pairwise(anchors):
            between = (whole[0][0] + a + 1, whole[0][0] + b), (whole[1][0] + c + 1, whole[1][0] + d)
            if _is_empty(between):
                continue
            if self._spend((b - a) * (d - c)):
                yield from _shifted(_exact(before[a + 1 : b], after[c + 1 : d]), between)
            else:
                yield between

    def _spend(self, pairs: int) -> bool:
        if pairs > self._pairs_left:
            return False
        self._pairs_left -= pairs
        return True


def similarity(one: str, other: str) -> float:
    """The share of characters that both have in the same order, 0 if below `ALIKE`."""
    return Comparisons(len(one) + len(other)).similarity(one, other)


def differing(old: Sequence[Hashable], new: Sequence[Hashable]) -> Iterator[Run]:
    """The ranges in which two rows of a text differ: what was there, and what took its place."""
    return Comparisons(len(old) + len(new)).runs(old, new)


def in_order(numbers: Iterable[int]) -> set[int]:
    """As many of the numbers as stand in rising order."""
    ends: list[int] = []
    links: dict[int, int | None] = {}
    for number in numbers:
        place = bisect_right(ends, number)
        links[number] = ends[place - 1] if place else None
        ends[place : place + 1] = [number]
    result: set[int] = set()
    last = ends[-1] if ends else None
    while last is not None:
        result.add(last)
        last = links[last]
    return result


def _common(pairs: Iterable[tuple[Hashable, Hashable]]) -> int:
    count = 0
    for one, other in pairs:
        if one != other:
            break
        count += 1
    return count


def _is_empty(run: Run) -> bool:
    return all(start == end for start, end in run)


def _anchors(old: Sequence[Hashable], new: Sequence[Hashable]) -> Iterator[tuple[int, int]]:
    places = {item: place for place, item in enumerate(old)}
    many, theirs = Counter(old), Counter(new)
    pairs = {places[item]: place for place, item in enumerate(new) if many[item] == theirs[item] == 1}
    stayed = in_order(pairs)
    return ((before, after) for before, after in pairs.items() if before in stayed)


def _exact(old: Sequence[Hashable], new: Sequence[Hashable]) -> Iterator[Run]:
    gone, come = (0, 0), (0, 0)
    for code in [*Indel.opcodes(old, new), None]:
        if code is not None and code.tag != "equal":
            gone = (gone[0], code.src_end)
            come = (come[0], code.dest_end)
            continue
        if gone[0] < gone[1] or come[0] < come[1]:
            yield gone, come
        if code is not None:
            gone, come = (code.src_end,) * 2, (code.dest_end,) * 2


def _shifted(runs: Iterable[Run], to: Run) -> Iterator[Run]:
    (first, _), (second, _) = to
    return (((a + first, b + first), (c + second, d + second)) for (a, b), (c, d) in runs)
