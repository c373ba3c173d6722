"""The map of a document: sections below what they rest on, lines around the others, words beside each other."""

import random
from itertools import combinations, pairwise

import pytest
from stemma_contracts.v1.staleness import StaleReason
from stemma_contracts.v1.views import DocumentView, StaleView
from stemma_gateway.desk.document_map import (
    GAP_X,
    HEIGHT,
    MOST_PIECES,
    PASSING,
    STEP,
    WIDTH,
    Layout,
    Map,
    Place,
    drawn,
    laid_out,
)
from stemma_testkit.document_events import document_requested, plan, view_after

pytestmark = pytest.mark.req("H3")
LAYERS = (4, 7, 7, 7, 6, 6, 3)


def forty(seed: int = 3) -> tuple[dict[str, int], tuple[tuple[str, str], ...]]:
    """Forty sections in seven layers, each of which rests on one or two above it, and some on others far above."""
    chance, depth = random.Random(seed), dict[str, int]()
    for layer, count in enumerate(LAYERS):
        depth |= {f"s{len(depth) + number}": layer for number in range(count)}
    edges = list[tuple[str, str]]()
    for name, layer in depth.items():
        above = [each for each, other in depth.items() if other == layer - 1]
        far = [each for each, other in depth.items() if other < layer - 1]
        chosen = chance.sample(above, chance.choice([1, 1, 2])) if above else []
        edges += (
            (each, name) for each in {*chosen, *(chance.sample(far, 1) if far and chance.random() < 0.35 else ())}
        )
    return depth, tuple(sorted(edges))


def crossings(layout: Layout) -> int:
    """How many pieces of lines cross between two layers."""
    links = {link for way in layout.ways.values() for link in pairwise(way)}
    return sum(crosses(layout, *pair) for pair in combinations(links, 2))


def crosses(layout: Layout, one: tuple[Place, Place], other: tuple[Place, Place]) -> bool:
    (a, b), (c, d) = one, other
    at = layout.middles
    return a[1] == c[1] and (at[a] - at[c]) * (at[b] - at[d]) < 0


def as_given(depth: dict[str, int], layout: Layout) -> Layout:
    """The same with the places of each layer in the order in which they came."""
    places: dict[int, list[Place]] = {}
    for place in dict.fromkeys((*depth.items(), *(each for way in layout.ways.values() for each in way))):
        places.setdefault(place[1], []).append(place)
    return Layout({place: float(at) for row in places.values() for at, place in enumerate(row)}, layout.ways, 0)


@pytest.mark.parametrize("seed", [3, 4, 5])
def test_of_forty_sections_few_lines_cross_and_none_passes_through_a_section(seed: int) -> None:
    depth, edges = forty(seed)
    layout = laid_out(depth, edges)
    assert crossings(layout) < crossings(as_given(depth, layout)) / 3
    for layer in range(len(LAYERS)):
        row = sorted((at, place) for place, at in layout.middles.items() if place[1] == layer)
        for (left, one), (right, other) in pairwise(row):
            room = sum(WIDTH if depth[place[0]] == layer else PASSING for place in (one, other)) / 2
            assert right - left >= room + GAP_X - 0.01
    assert layout.width < 11 * (WIDTH + GAP_X)


def document(*chain: tuple[str, tuple[str, ...]]) -> DocumentView:
    sections = tuple(plan(name, *upstream) for name, upstream in chain)
    requested = document_requested().model_copy(update={"sections": sections, "starts": (sections[0].section_id,)})
    return view_after(requested)


def heights(drawing: Map) -> dict[str, int]:
    return {name: node.y // STEP for name, node in drawing.nodes.items()}


def test_a_section_stands_below_all_that_it_rests_on_and_each_line_enters_it_at_a_place_of_its_own() -> None:
    drawing = drawn(document(("a", ()), ("b", ("a",)), ("c", ("a", "b")), ("d", ("a", "b", "c"))))
    assert heights(drawing) == {"a": 0, "b": 1, "c": 2, "d": 3}
    ends = [edge.path.rpartition(" ")[0].rpartition(" ")[2] for edge in drawing.edges if edge.downstream == "d"]
    assert len(set(ends)) == 3
    assert drawing.height == 3 * STEP + HEIGHT + 4
    assert all(0 <= node.x <= drawing.width - WIDTH for node in drawing.nodes.values())


def test_why_two_lines_make_a_section_stale_is_told_on_two_lines_above_it_and_these_are_drawn_last() -> None:
    reasons = tuple(StaleReason(upstream_section_id=name, accepted_version=1, current_version=2) for name in ("a", "c"))
    chain = (("a", ()), ("b", ()), ("c", ()), ("d", ("a", "b", "c")))
    known = document(*chain)
    sections = {**known.sections, "d": known.sections["d"].model_copy(update={"stale": StaleView(reasons=reasons)})}
    drawing = drawn(known.model_copy(update={"sections": sections}))
    told = [edge for edge in drawing.edges if edge.reason]
    assert drawing.edges[-2:] == tuple(told)
    assert abs(told[0].y - told[1].y) >= 12
    left, right = sorted(told, key=lambda edge: edge.x)
    assert drawing.nodes[left.upstream].x < drawing.nodes[right.upstream].x
    assert (left.is_left, right.is_left) == (False, True), "words stand where the line does not come from"
    assert all(drawing.nodes["d"].y - STEP + HEIGHT < edge.y < drawing.nodes["d"].y for edge in told)


def test_a_document_without_sections_has_an_empty_map() -> None:
    assert drawn(document(("a", ())).model_copy(update={"sections": {}})) == Map(4, 0, {}, ())


def names(count: int, prefix: str = "s") -> tuple[str, ...]:
    return tuple(f"{prefix}{number}" for number in range(count))


def long_lines(count: int) -> list[tuple[str, tuple[str, ...]]]:
    """A chain, each section of which rests also on one that rests on nothing."""
    alone, chain = names(count, "a"), names(count)
    return [*((one, ()) for one in alone), *((chain[at], (*chain[at - 1 : at], alone[at])) for at in range(count))]


def test_of_two_hundred_sections_that_rest_on_all_before_only_what_follows_from_no_other_line_is_drawn() -> None:
    each = names(200)
    drawing = drawn(document(*((name, each[:at]) for at, name in enumerate(each))))
    assert [(edge.upstream, edge.downstream) for edge in drawing.edges] == list(pairwise(each))
    assert drawing.left_out == 200 * 199 // 2 - 199


@pytest.mark.parametrize(
    "chain",
    [
        [*((name, ()) for name in names(100, "a")), *((name, names(100, "a")) for name in names(100))],
        long_lines(100),
        [(name, tuple(names(200)[at % 7 : at : 1 + at % 5])) for at, name in enumerate(names(200))],
    ],
)
def test_of_any_two_hundred_sections_no_more_is_drawn_and_looked_at_than_can_be_in_a_moment(
    chain: list[tuple[str, tuple[str, ...]]],
) -> None:
    drawing = drawn(document(*chain))
    pieces = sum(edge.path.count("C") for edge in drawing.edges)
    assert 100 < pieces <= MOST_PIECES
    assert len(drawing.edges) + drawing.left_out == sum(len(upstream) for _, upstream in chain)


def test_where_not_all_lines_are_drawn_those_are_that_make_a_section_stale() -> None:
    known = document(*long_lines(100))
    assert ("a99", "s99") not in {(edge.upstream, edge.downstream) for edge in drawn(known).edges}
    reason = StaleReason(upstream_section_id="a99", accepted_version=1, current_version=2)
    sections = {
        **known.sections,
        "s99": known.sections["s99"].model_copy(update={"stale": StaleView(reasons=(reason,))}),
    }
    assert drawn(known.model_copy(update={"sections": sections})).edges[-1].reason == reason
