"""Whether a merged text has each of its items as often as it must: none is lost, brought back or doubled."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain


@dataclass(frozen=True)
class Region:
    """What stands in the same stretch of each text, and what a conflict there holds.

    ``merged`` is the result for ours, ``mirrored`` that for theirs, as if both sides had changed places.
    """

    base: Counter[Hashable] = field(default_factory=Counter)
    ours: Counter[Hashable] = field(default_factory=Counter)
    theirs: Counter[Hashable] = field(default_factory=Counter)
    merged: Counter[Hashable] = field(default_factory=Counter)
    mirrored: Counter[Hashable] = field(default_factory=Counter)
    disputed: frozenset[Hashable] = frozenset()

    def items(self) -> Iterable[Hashable]:
        """All that stands in any of the texts."""
        return chain(self.base, self.ours, self.theirs, self.merged, self.mirrored)


def unbalanced(regions: Sequence[Region]) -> set[int]:
    """The numbers of the regions that have to stay as each side has them, so that all items are there as often as due.

    What moved from one region to another binds both: if one stays, so does the other. Each region is left once, and
    each item asked about once more for each region that it stands in.
    """
    sums, left = _Sums(regions), set[int]()
    waiting = list(sums.places)
    while waiting:
        item = waiting.pop()
        for number in () if sums.are_right(item) else sums.places[item] - left:
            left.add(number)
            sums.leave(regions[number])
            waiting += regions[number].items()
    return left


class _Sums:
    """How often each item stands in all regions together."""

    def __init__(self, regions: Sequence[Region]) -> None:
        self.places: defaultdict[Hashable, set[int]] = defaultdict(set)
        self.base, self.ours, self.theirs, self.merged, self.mirrored = (Counter[Hashable]() for _ in range(5))
        self.disputed: set[Hashable] = set()
        for number, region in enumerate(regions):
            self._add(number, region)

    def _add(self, number: int, region: Region) -> None:
        for item in region.items():
            self.places[item].add(number)
        for name in ("base", "ours", "theirs", "merged", "mirrored"):
            getattr(self, name).update(getattr(region, name))
        self.disputed |= region.disputed

    def are_right(self, item: Hashable) -> bool:
        """Whether the result has an item as often as due; in a conflict, our number and all between are right too."""
        ours, theirs, disputed = self.ours[item], self.theirs[item], item in self.disputed
        due = _due(self.base[item], ours, theirs)
        results = ((ours, self.merged[item]), (theirs, self.mirrored[item]))
        return all(number == due or (disputed and number in _between(due, mine)) for mine, number in results)

    def leave(self, region: Region) -> None:
        """Count a region as each side has it, and all that stands in it as disputed."""
        self.merged.subtract(region.merged)
        self.merged.update(region.ours)
        self.mirrored.subtract(region.mirrored)
        self.mirrored.update(region.theirs)
        self.disputed.update(region.items())


def _due(base: int, ours: int, theirs: int) -> int:
    """Both changes, or the greater one if they go the same way."""
    if min(ours, theirs) >= base:
        return max(ours, theirs)
    if max(ours, theirs) <= base:
        return min(ours, theirs)
    return ours + theirs - base


def _between(one: int, other: int) -> range:
    return range(min(one, other), max(one, other) + 1)
