"""A layered drawing of what rests on what: who stands beside whom so that few lines cross, and where.

After Sugiyama: a line that passes layers has a place in each of them, so that it goes around what stands there. Places
are ordered by the middle of their neighbours, as long as fewer lines cross, and stand as near to these as their order
allows.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from statistics import fmean

SWEEPS, SETTLINGS = 24, 24
"""Times that layers are ordered, and moved, downwards and upwards in turn."""
MOST_LINKS = 8_000
"""That are looked at in all sweeps together: what has more of them is ordered in fewer sweeps, or as it is given."""
KEPT = 64
"""Layouts: a page that is renewed has mostly the one that it had."""
Place = tuple[str, int]
"""A node, or what passes a layer of the lines that begin at one, which share their way; with the layer."""
Layers = list[list[Place]]


@dataclass(frozen=True)
class Layout:
    """Where the middle of each place is from left to right, the ways of the lines, and how wide all of it is."""

    middles: Mapping[Place, float]
    ways: Mapping[tuple[str, str], tuple[Place, ...]]
    width: float


@dataclass(frozen=True)
class Widths:
    """What places take: a node, what passes, and the gap between two of them."""

    node: float
    passing: float
    gap: float


@lru_cache(KEPT)
def laid_out(layer_of: tuple[tuple[str, int], ...], edges: tuple[tuple[str, str], ...], widths: Widths) -> Layout:
    """Nodes with the layer that each is in, and edges from an upper one to a lower one, with room for each place."""
    depth = dict(layer_of)
    ways = {(upper, lower): _way(upper, lower, depth) for upper, lower in edges if depth[upper] < depth[lower]}
    links = dict.fromkeys(link for way in ways.values() for link in pairwise(way))
    sweeps = min(SWEEPS, MOST_LINKS // max(len(links), 1))
    layers = _ordered(_first_order(depth, ways.values()), _Neighbours.of(links), sweeps)
    room = {
        place: widths.node if depth.get(place[0]) == place[1] else widths.passing for row in layers for place in row
    }
    middles = _settled(layers, _Neighbours.of(links), room, widths.gap)
    left = min((middles[place] - room[place] / 2 for place in middles), default=0)
    right = max((middles[place] + room[place] / 2 for place in middles), default=0)
    return Layout({place: at - left for place, at in middles.items()}, ways, right - left)


def _way(upper: str, lower: str, depth: Mapping[str, int]) -> tuple[Place, ...]:
    return (*((upper, layer) for layer in range(depth[upper], depth[lower])), (lower, depth[lower]))


@dataclass(frozen=True)
class _Neighbours:
    """The places that each one is linked with, above and below."""

    above: Mapping[Place, list[Place]]
    below: Mapping[Place, list[Place]]

    @classmethod
    def of(cls, links: Iterable[tuple[Place, Place]]) -> _Neighbours:
        above: dict[Place, list[Place]] = {}
        below: dict[Place, list[Place]] = {}
        for upper, lower in links:
            below.setdefault(upper, []).append(lower)
            above.setdefault(lower, []).append(upper)
        return cls(above, below)


def _first_order(depth: Mapping[str, int], ways: Iterable[Sequence[Place]]) -> Layers:
    layers: Layers = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    nodes = ((name, layer) for name, layer in depth.items())
    for place in dict.fromkeys((*nodes, *(place for way in ways for place in way))):
        layers[place[1]].append(place)
    return layers


def _ordered(layers: Layers, linked: _Neighbours, sweeps: int) -> Layers:
    """The order with the fewest crossings that some sweeps come to."""
    best, fewest = layers, _crossings(layers, linked) if sweeps else 0
    for sweep in range(sweeps):
        layers = _swept(layers, linked.below if sweep % 2 else linked.above, upwards=bool(sweep % 2))
        layers = _swapped(layers, linked)
        if (count := _crossings(layers, linked)) < fewest:
            best, fewest = layers, count
    return best


def _swept(layers: Layers, fixed: Mapping[Place, list[Place]], *, upwards: bool) -> Layers:
    """Each layer ordered by the middle of its neighbours on one side."""
    at = {place: float(number) for row in layers for number, place in enumerate(row)}
    swept = [list(row) for row in layers]
    for row in reversed(swept) if upwards else swept:
        row.sort(key=lambda place: fmean(at[each] for each in fixed[place]) if place in fixed else at[place])
        at.update((place, float(number)) for number, place in enumerate(row))
    return swept


def _swapped(layers: Layers, linked: _Neighbours) -> Layers:
    """The same with neighbours swapped whose lines cross less then."""
    at = {place: number for row in layers for number, place in enumerate(row)}
    for row in layers:
        for left in range(len(row) - 1):
            one, other = row[left], row[left + 1]
            sides = (linked.above, linked.below)
            now = sum(_crossed(side.get(one, ()), side.get(other, ()), at) for side in sides)
            then = sum(_crossed(side.get(other, ()), side.get(one, ()), at) for side in sides)
            if then < now:
                row[left], row[left + 1], at[one], at[other] = other, one, left + 1, left
    return layers


def _crossed(left: Iterable[Place], right: Iterable[Place], at: Mapping[Place, int]) -> int:
    """How many lines cross that lead from a place and from the next one to others in one layer."""
    ends = sorted(at[place] for place in right)
    return sum(bisect_left(ends, at[place]) for place in left)


def _crossings(layers: Layers, linked: _Neighbours) -> int:
    at = {place: number for row in layers for number, place in enumerate(row)}
    count = 0
    for row in layers:
        passed: list[int] = []
        for place in row:
            ends = [at[each] for each in linked.below.get(place, ())]
            count += sum(len(passed) - bisect_left(passed, end + 1) for end in ends)
            for end in ends:
                insort(passed, end)
    return count


def _settled(layers: Layers, linked: _Neighbours, room: Mapping[Place, float], gap: float) -> Mapping[Place, float]:
    """Where the middle of each place is: again and again as near to that of its neighbours as its layer allows."""
    middles: dict[Place, float] = {}
    for row in layers:
        middles.update(zip(row, _apart([0.0] * len(row), row, room, gap), strict=True))
    for turn in range(SETTLINGS):
        side = linked.below if turn % 2 else linked.above
        for row in reversed(layers) if turn % 2 else layers:
            wanted = [fmean(middles[each] for each in side.get(place, (place,))) for place in row]
            middles.update(zip(row, _apart(wanted, row, room, gap), strict=True))
    return middles


def _apart(wanted: Sequence[float], row: Sequence[Place], room: Mapping[Place, float], gap: float) -> list[float]:
    """The places of a layer, in their order and with room for each, as near as possible to where they are wanted.

    What would overlap moves together: the least squares under an order (pool adjacent violators).
    """
    offsets = [0.0]
    for left, right in pairwise(row):
        offsets.append(offsets[-1] + (room[left] + room[right]) / 2 + gap)
    pools: list[tuple[float, int]] = []
    for want, offset in zip(wanted, offsets, strict=False):
        pool = (want - offset, 1)
        while pools and pools[-1][0] > pool[0]:
            mean, count = pools.pop()
            pool = ((mean * count + pool[0] * pool[1]) / (count + pool[1]), count + pool[1])
        pools.append(pool)
    spread = [mean for mean, count in pools for _ in range(count)]
    return [mean + offset for mean, offset in zip(spread, offsets, strict=False)]
