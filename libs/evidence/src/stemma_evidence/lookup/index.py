"""All sources of a draft, to look claims up in."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import NamedTuple

from stemma_evidence.claims.claim import Claim, measure_value
from stemma_evidence.sources.source import Place, Source, kept_with_source

_DATE = re.compile(r"([0-9]{4})-([0-9]{2})(?:-([0-9]{2}))?")
_BASES: dict[str, tuple[str, Decimal]] = {
    unit: (base, Decimal(factor))
    for base, units in {
        "second": "millisecond 0.001 second 1 minute 60 hour 3600 day 86400 week 604800",
        "month": "month 1 quarter 3 year 12 decade 120 century 1200",
        "meter": "millimeter 0.001 centimeter 0.01 meter 1 kilometer 1000",
        "square-meter": "square-centimeter 0.0001 square-meter 1 hectare 10000 square-kilometer 1000000",
        "liter": "milliliter 0.001 liter 1 cubic-meter 1000",
        "gram": "milligram 0.001 gram 1 kilogram 1000 tonne 1000000",
        "byte": "byte 1 kilobyte 1000 megabyte 1000000 gigabyte 1000000000 terabyte 1000000000000",
        "watt": "watt 1 kilowatt 1000 megawatt 1000000 gigawatt 1000000000",
        "kilowatt-hour": "kilowatt-hour 1 megawatt-hour 1000 gigawatt-hour 1000000",
        "hertz": "hertz 1 kilohertz 1000 megahertz 1000000 gigahertz 1000000000",
    }.items()
    for unit, factor in zip(units.split()[::2], units.split()[1::2], strict=True)
}


def less_exact(value: str) -> Iterator[str]:
    """A date and what is true of it when less is said: its month, quarter, half, year, or no year."""
    yield value
    match = _DATE.fullmatch(value)
    if match is None:
        if value[:4].isdigit() and value[4:5] in ("-", "/"):
            yield value[:4]
            if value[4] == "/":
                yield str(int(value[:4]) + 1)
        return
    year, month, day = match.groups()
    if day:
        yield f"{year}-{month}"
        yield f"--{month}-{day}"
    yield from (year, f"{year}-Q{(int(month) + 2) // 3}", f"{year}-H{1 if int(month) < 7 else 2}", f"--{month}")


def in_base(number: Decimal, unit: str) -> str:
    """A quantity in the base unit of its measure, as ``=1200 meter``; empty if the unit has no other."""
    if unit not in _BASES:
        return ""
    base, factor = _BASES[unit]
    return "=" + measure_value(number * factor, base)


_KEPT = 3
"""Places that are told of one value."""

_BySource = Sequence[tuple[Source, Mapping[str, Sequence[Claim]]]]


@dataclass(frozen=True, slots=True)
class Found:
    """A claim of a source, and where it stands there."""

    source: Source
    place: Place
    text: str
    claim: Claim | None = None


class _Values(NamedTuple):
    """The claims of one source by all that they may be found by, and by their numbers alone."""

    by_value: dict[str, list[Claim]]
    by_number: dict[str, list[Claim]]


@kept_with_source
def _values(source: Source) -> _Values:
    values = _Values({}, {})
    for index, claim in enumerate(source.claims):
        for key in keys(claim):
            _add(values.by_value, key, claim)
        for number in claim.numbers:
            key = format(number.normalize(), "f")
            _add(values.by_number, key, claim)
            if index in source.loose:
                _add(values.by_value, f"?{key}", claim)
    return values


def _add(index: dict[str, list[Claim]], key: str, claim: Claim) -> None:
    places = index.setdefault(key, [])
    if len(places) < _KEPT:
        places.append(claim)


class Index:
    """The claims of sources by value, in the order in which the sources were given."""

    def __init__(self, sources: Iterable[Source]) -> None:
        self.sources = tuple(sources)
        values = [(source, _values(source)) for source in self.sources]
        self._by_value = [(source, known.by_value) for source, known in values]
        self._by_number = [(source, known.by_number) for source, known in values]

    def of_value(self, claim: Claim) -> list[Found]:
        """Where a claim stands with one of its values."""
        return self._found(self._by_value, claim.values)

    def of_number(self, claim: Claim) -> list[Found]:
        """Where the numbers of a claim stand, whatever they measure there."""
        return self._found(self._by_number, (format(number.normalize(), "f") for number in claim.numbers))

    def of_cell(self, claim: Claim) -> list[Found]:
        """Where its numbers stand in a cell that names no unit."""
        return self._found(self._by_value, (f"?{number.normalize():f}" for number in claim.numbers))

    def of_other_unit(self, claim: Claim) -> list[Found]:
        """Where the same quantity stands in another unit."""
        return self._found(self._by_value, filter(None, (in_base(n, u) for n in claim.numbers for u in claim.units)))

    def _found(self, index: _BySource, wanted: Iterable[str]) -> list[Found]:
        for value in wanted:
            if places := [(source, claim) for source, known in index for claim in known.get(value, ())]:
                return [Found(source, source.place(c.line), c.text, c) for source, c in places[:_KEPT]]
        return []

    @cached_property
    def measures(self) -> dict[str, list[tuple[Decimal, Source, Claim]]]:
        """Amounts and quantities by unit, the smallest first."""
        found: dict[str, list[tuple[Decimal, Source, Claim]]] = {}
        for source in self.sources:
            for claim in source.claims:
                if claim.numbers:
                    unit = claim.units[0] if claim.units else ""
                    found.setdefault(unit, []).append((claim.numbers[0], source, claim))
        for measures in found.values():
            measures.sort(key=lambda measure: measure[0])
        return found

    @cached_property
    def days_without_year(self) -> dict[str, list[tuple[Source, Claim]]]:
        """Days and months that a source names without a year, if it names only one year: by what they are with it."""
        found: dict[str, list[tuple[Source, Claim]]] = {}
        for source in self.sources:
            dates = [claim for claim in source.claims if claim.kind == "date"]
            years = {value[:4] for claim in dates for value in claim.values[:1] if value[:4].isdigit()}
            if len(years) == 1:
                (year,) = years
                for claim in dates:
                    if claim.values[0].startswith("--"):
                        found.setdefault(f"{year}{claim.values[0][1:]}", []).append((source, claim))
        return found


def keys(claim: Claim) -> Iterator[str]:
    """Everything that a claim may be found by."""
    for value in claim.values:
        if claim.kind == "date":
            yield from less_exact(value)
        else:
            yield value
    if claim.kind == "quantity":
        yield from filter(None, (in_base(number, unit) for number in claim.numbers for unit in claim.units))
