"""Which lines of a map are drawn: all, or where that would be more than anybody could follow, those that say most."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from graphlib import TopologicalSorter

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
