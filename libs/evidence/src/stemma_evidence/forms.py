"""The forms in which a claim may be found again: less exact dates, other units of the same measure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from .claim import measure_value

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
