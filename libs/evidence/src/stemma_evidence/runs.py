"""Claims that stand one after the other, whose sum another claim may be: of a column, a block, a chapter or a text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator

from .arithmetic import LEAST_SUMMED
from .claim import Claim
from .source import Source, kept_with_source

Run = tuple[Claim, ...]


@kept_with_source
def all_runs(source: Source) -> tuple[tuple[str, Run], ...]:
    """The runs of all claims of a source."""
    return tuple(runs(source, range(len(source.claims))))


def runs(source: Source, numbers: Iterable[int]) -> Iterator[tuple[str, Run]]:
    """Runs of the claims of a source that have one of the numbers, each with the unit that is theirs."""
    found: dict[tuple[str, tuple[Hashable, ...]], list[Claim]] = defaultdict(list)
    for number in numbers:
        claim = source.claims[number]
        for unit in (claim.units or ("",)) if claim.numbers else ():
            for group in _groups(source, number):
                found[unit, group].append(claim)
    for (unit, group), run in found.items():
        if len(run) >= LEAST_SUMMED and (not group or len(run) < len(found[unit, ()])):
            yield unit, tuple(run)


def _groups(source: Source, number: int) -> Iterator[tuple[Hashable, ...]]:
    """What a claim stands in: the text, which has no name, its chapter, its block and its column."""
    place = source.place(source.claims[number].line)
    yield from ((), ("part", place.part), ("block", place.block))
    if number in source.columns:
        yield ("column", *source.columns[number])
