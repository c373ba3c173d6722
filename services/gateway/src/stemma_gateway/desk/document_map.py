"""The map of a document: sections in layers, each below all that it rests on, and lines that go around the others.

After Sugiyama: a line that passes layers has a place in each of them, so that it goes around what stands there. Places
are ordered by the middle of their neighbours, as long as fewer lines cross, and stand as near to these as their order
allows.
"""

from bisect import bisect_right, insort
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter
from itertools import pairwise
from statistics import fmean

from stemma_contracts.v1.staleness import StaleReason
from stemma_contracts.v1.views import DocumentView

WIDTH, HEIGHT, GAP_X, GAP_Y, PASSING = 200, 48, 24, 56, 8
STEP = HEIGHT + GAP_Y
LINE = 14
"""Between two lines of words beside the lower ends of edges."""
SWEEPS = 12
"""Times that layers are ordered, and moved, downwards and upwards in turn."""
MOST_PIECES = 1_500
"""Of lines, each of which has one for every layer that it passes: so much is laid out in a tenth of a second."""
Line = tuple[str, str]
"""From a section to one that rests on it."""
Place = tuple[str, int]
"""A section, or what passes a layer of the lines that begin at one, which share their way; with the layer."""
Rows = list[list[Place]]
Links = Mapping[Place, list[Place]]


@dataclass(frozen=True)
class Node:
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
    sections = document.sections
    upstream = {
        name: tuple(each for each in dict.fromkeys(section.depends_on) if each in sections)
        for name, section in sections.items()
    }
    depth: dict[str, int] = {}
    for name in TopologicalSorter(upstream).static_order():
        depth[name] = max((depth[each] + 1 for each in upstream[name]), default=0)
    stale = {(reason.upstream_section_id, name) for name, one in sections.items() for reason in one.stale_reasons}
    layout = laid_out({name: depth[name] for name in upstream}, drawn_lines(upstream, depth, stale))
    nodes = {
        name: Node(name, round(layout.middles[name, depth[name]]) - WIDTH // 2, depth[name] * STEP) for name in upstream
    }
    edges = sorted(_edges(document, layout), key=lambda edge: edge.reason is not None)
    height = max((max(depth.values(), default=-1) + 1) * STEP - GAP_Y + 4, 0)
    return Map(round(layout.width) + 4, height, nodes, tuple(edges), sum(map(len, upstream.values())) - len(edges))


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
    left, kept = MOST_PIECES, set[Line]()
    for upper, lower in rest:
        if (long := depth[lower] - depth[upper]) <= left:
            left -= long
            kept.add((upper, lower))
    return [line for line in lines if line in kept]


def _implied(upstream: Mapping[str, Collection[str]], depth: Mapping[str, int]) -> Iterator[Line]:
    """The lines beside which a longer way leads from the one section to the other."""
    above: dict[str, set[str]] = {}
    for name in sorted(upstream, key=lambda each: depth[each]):
        farther = set[str]().union(*(above[each] for each in upstream[name]))
        yield from ((each, name) for each in upstream[name] if each in farther)
        above[name] = farther.union(upstream[name])


@dataclass(frozen=True)
class Layout:
    """Where the middle of each place is from left to right, the ways of the lines, and how wide all of it is."""

    middles: Mapping[Place, float]
    ways: Mapping[Line, tuple[Place, ...]]
    width: float


def laid_out(depth: Mapping[str, int], lines: Iterable[Line]) -> Layout:
    ways = {
        (upper, lower): (*((upper, at) for at in range(depth[upper], depth[lower])), (lower, depth[lower]))
        for upper, lower in lines
    }
    above, below = defaultdict[Place, list[Place]](list), defaultdict[Place, list[Place]](list)
    for upper, lower in dict.fromkeys(link for way in ways.values() for link in pairwise(way)):
        below[upper].append(lower)
        above[lower].append(upper)
    rows: Rows = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for place in dict.fromkeys((*depth.items(), *(place for way in ways.values() for place in way))):
        rows[place[1]].append(place)
    room = {place: WIDTH if depth[place[0]] == place[1] else PASSING for row in rows for place in row}
    middles = _settled(_ordered(rows, above, below), above, below, room)
    left = min((at - room[place] / 2 for place, at in middles.items()), default=0)
    right = max((at + room[place] / 2 for place, at in middles.items()), default=0)
    return Layout({place: at - left for place, at in middles.items()}, ways, right - left)


def _ordered(rows: Rows, above: Links, below: Links) -> Rows:
    best, fewest = rows, _crossings(rows, below)
    for sweep in range(SWEEPS):
        rows, sides = [list(row) for row in rows], (below, above) if sweep % 2 else (above, below)
        at = {place: float(number) for row in rows for number, place in enumerate(row)}
        for row in reversed(rows) if sweep % 2 else rows:
            middles = {
                place: [fmean(at[each] for each in side.get(place, (place,))) for side in sides] for place in row
            }
            row.sort(key=middles.__getitem__)
            at.update((place, float(number)) for number, place in enumerate(row))
        if (count := _crossings(rows, below)) < fewest:
            best, fewest = rows, count
    return best


def _crossings(rows: Rows, below: Links) -> int:
    at = {place: number for row in rows for number, place in enumerate(row)}
    count = 0
    for row in rows:
        passed: list[int] = []
        for place in row:
            ends = [at[each] for each in below.get(place, ())]
            count += sum(len(passed) - bisect_right(passed, end) for end in ends)
            for end in ends:
                insort(passed, end)
    return count


def _settled(rows: Rows, above: Links, below: Links, room: Mapping[Place, int]) -> Mapping[Place, float]:
    """Where the middle of each place is: again and again as near to that of its neighbours as its row allows."""
    middles: dict[Place, float] = {}
    for row in rows:
        middles.update(zip(row, _apart([0.0] * len(row), row, room), strict=True))
    for sweep in range(SWEEPS):
        side = below if sweep % 2 else above
        for row in reversed(rows) if sweep % 2 else rows:
            wanted = [fmean(middles[each] for each in side.get(place, (place,))) for place in row]
            middles.update(zip(row, _apart(wanted, row, room), strict=True))
    return middles


def _apart(wanted: Sequence[float], row: Sequence[Place], room: Mapping[Place, int]) -> list[float]:
    """The places of a row, in their order and with room for each, as near as possible to where they are wanted.

    What would overlap moves together: the least squares under an order (pool adjacent violators).
    """
    offsets = [0.0]
    for left, right in pairwise(row):
        offsets.append(offsets[-1] + (room[left] + room[right]) / 2 + GAP_X)
    pools: list[tuple[float, int]] = []
    for want, offset in zip(wanted, offsets, strict=False):
        pool = (want - offset, 1)
        while pools and pools[-1][0] > pool[0]:
            mean, count = pools.pop()
            pool = ((mean * count + pool[0] * pool[1]) / (count + pool[1]), count + pool[1])
        pools.append(pool)
    spread = [mean for mean, count in pools for _ in range(count)]
    return [mean + offset for mean, offset in zip(spread, offsets, strict=False)]


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
