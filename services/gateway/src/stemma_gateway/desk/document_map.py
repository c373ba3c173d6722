"""The map of a document: sections in layers, each below all that it rests on, and lines that go around the others."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter
from itertools import pairwise

from stemma_contracts.v1.staleness import StaleReason
from stemma_contracts.v1.views import DocumentView

from .layered import Layout, Widths, laid_out

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
    """The map of a document."""
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
    """Down from a section, straight through the layers that it passes, to another one."""
    path = f"M{points[0][0]} {points[0][1] * STEP + HEIGHT}"
    for (x1, layer), (x2, below) in pairwise(points):
        y1, y2 = layer * STEP + HEIGHT, below * STEP
        path += f"C{x1} {y1 + GAP_Y // 2} {x2} {y2 - GAP_Y // 2} {x2} {y2}"
        path += f"V{y2 + HEIGHT}" if (x2, below) != points[-1] else ""
    return path
