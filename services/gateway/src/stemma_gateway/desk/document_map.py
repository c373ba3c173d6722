"""The map of a document: sections in layers, each below all that it rests on, and lines that go around the others."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from graphlib import TopologicalSorter
from itertools import pairwise
from statistics import fmean

from stemma_contracts.v1.staleness import StaleReason
from stemma_contracts.v1.views import DocumentView

# After Sugiyama: a line that passes layers has a place in each of them, so that it goes around what stands there.
# Places are ordered by the middle of their neighbours, as long as fewer lines cross, and stand as near to these as
# their order allows.

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


MOST_PIECES = 1_500
"""Of lines, each of which has one for every layer that it passes: so much can be laid out in a moment."""
Line = tuple[str, str]
"""From a section to one that rests on it."""


def layers(upstream: Mapping[str, Collection[str]]) -> Mapping[str, int]:
    """How deep each section lies: below all that it rests on."""
    depth: dict[str, int] = {}
    for name in TopologicalSorter(upstream).static_order():
        depth[name] = max((depth[each] + 1 for each in upstream[name]), default=0)
    return {name: depth[name] for name in upstream}


def drawn_lines(
    upstream: Mapping[str, Collection[str]], depth: Mapping[str, int], telling: Collection[Line]
) -> Sequence[Line]:
    """The lines to draw, in the order of the sections that they lead to.

    Where all are too many, those are left out that follow from others; of the rest those stay that are ``telling``,
    then the shortest.
    """
    lines = [(above, name) for name, those in upstream.items() for above in those]
    if sum(depth[lower] - depth[upper] for upper, lower in lines) <= MOST_PIECES:
        return lines
    implied = frozenset(_implied(upstream, depth))
    rest = [line for line in lines if line not in implied]
    rest.sort(key=lambda line: (line not in telling, depth[line[1]] - depth[line[0]]))
    kept = frozenset(_within(rest, depth))
    return [line for line in lines if line in kept]


def _implied(upstream: Mapping[str, Collection[str]], depth: Mapping[str, int]) -> Iterator[Line]:
    """The lines beside which a longer way leads from the one section to the other."""
    bits = {name: 1 << number for number, name in enumerate(upstream)}
    above: dict[str, int] = {}
    for name in sorted(upstream, key=lambda each: depth[each]):
        farther = 0
        for each in upstream[name]:
            farther |= above[each]
        yield from ((each, name) for each in upstream[name] if farther & bits[each])
        above[name] = farther | sum(bits[each] for each in upstream[name] if not farther & bits[each])


def _within(lines: Iterable[Line], depth: Mapping[str, int]) -> Iterator[Line]:
    left = MOST_PIECES
    for upper, lower in lines:
        if (long := depth[lower] - depth[upper]) <= left:
            left -= long
            yield upper, lower


WIDTH, HEIGHT, GAP_X, GAP_Y, PASSING = 200, 48, 24, 56, 8
STEP = HEIGHT + GAP_Y
LINE = 14
"""Between two lines of words beside the lower ends of edges."""


@dataclass(frozen=True)
class Node:
    """A section on the map."""

    section_id: str
    x: int
    y: int


@dataclass(frozen=True)
class Edge:
    """From a section to one that rests on it, with why that makes the other stale, if it does.

    ``x`` and ``y`` are where that is told, beside the lower end of its path, left of it if the path comes from the
    right (``is_left``); of one section each is told on a line of its own.
    """

    upstream: str
    downstream: str
    path: str
    x: int
    y: int
    is_left: bool
    reason: StaleReason | None


@dataclass(frozen=True)
class Map:
    """Sections and edges; those that tell something come last, and so lie above the others.

    ``left_out``: how many edges are not drawn, since all of them would be too many.
    """

    width: int
    height: int
    nodes: Mapping[str, Node]
    edges: tuple[Edge, ...]
    left_out: int = 0


def drawn(document: DocumentView) -> Map:
    upstream = {
        name: tuple(each for each in dict.fromkeys(section.depends_on) if each in document.sections)
        for name, section in document.sections.items()
    }
    depth = layers(upstream)
    lines = drawn_lines(upstream, depth, _telling(document))
    layout = laid_out(tuple(depth.items()), tuple(lines), Widths(WIDTH, PASSING, GAP_X))
    nodes = {
        name: Node(name, round(layout.middles[name, layer]) - WIDTH // 2, layer * STEP) for name, layer in depth.items()
    }
    edges = sorted(_edges(document, layout), key=lambda edge: edge.reason is not None)
    height = max((max(depth.values(), default=-1) + 1) * STEP - GAP_Y + 4, 0)
    return Map(round(layout.width) + 4, height, nodes, tuple(edges), sum(map(len, upstream.values())) - len(edges))


def _telling(document: DocumentView) -> frozenset[tuple[str, str]]:
    """The edges that make a section stale."""
    return frozenset(
        (reason.upstream_section_id, name)
        for name, section in document.sections.items()
        for reason in section.stale_reasons
    )


def _edges(document: DocumentView, layout: Layout) -> Iterator[Edge]:
    for name, section in document.sections.items():
        reasons = {reason.upstream_section_id: reason for reason in section.stale_reasons}
        ways = {upstream: layout.ways.get((upstream, name), ()) for upstream in section.depends_on}
        entering = sorted((up for up, way in ways.items() if way), key=lambda up: layout.middles[ways[up][-2]])
        told = [upstream for upstream in entering if upstream in reasons]
        for number, upstream in enumerate(entering):
            port = round((number + 1) * WIDTH / (len(entering) + 1)) - WIDTH // 2
            points = [(round(layout.middles[place]), place[1]) for place in ways[upstream]]
            points[-1] = (points[-1][0] + port, points[-1][1])
            line = told.index(upstream) if upstream in told else 0
            x, y = points[-1][0], points[-1][1] * STEP - LINE // 2 - line * LINE
            yield Edge(upstream, name, _path(points), x, y, points[-2][0] > x, reasons.get(upstream))


def _path(points: Sequence[tuple[int, int]]) -> str:
    path = f"M{points[0][0]} {points[0][1] * STEP + HEIGHT}"
    for (x1, layer), (x2, below) in pairwise(points):
        y1, y2 = layer * STEP + HEIGHT, below * STEP
        path += f"C{x1} {y1 + GAP_Y // 2} {x2} {y2 - GAP_Y // 2} {x2} {y2}"
        path += f"V{y2 + HEIGHT}" if (x2, below) != points[-1] else ""
    return path
