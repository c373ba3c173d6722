"""Months, currencies and units of nine languages, from the CLDR and `vocabulary`, as dictionaries."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from babel import Locale
from babel.numbers import get_currency_name, list_currencies
from babel.units import format_unit

from . import vocabulary as words


@cache
def months() -> dict[str, int]:
    """The number of a month by its folded name or abbreviation, in every language."""
    found: dict[str, int] = {}
    for locale in _locales():
        for context in ("format", "stand-alone"):
            for width in ("wide", "abbreviated"):
                for number, name in locale.months[context][width].items():
                    if not name[0].isdigit():
                        found.setdefault(name.casefold().rstrip("."), number)
    return found | {"sept": 9, "set": 9, "mrz": 3, "maerz": 3, "jän": 1, "jänner": 1, "ene": 1, "fevrier": 2, "aout": 8}


@cache
def currencies() -> dict[str, tuple[str, ...]]:
    """ISO codes by folded name or sign; a sign of several currencies has several."""
    found: dict[str, tuple[str, ...]] = {}
    for locale in _locales():
        for code in words.NAMED_CURRENCIES:
            for count in (None, 1, 2):
                found.setdefault(get_currency_name(code, count=count, locale=locale).casefold(), (code,))
    return found | words.CURRENCY_WORDS


@cache
def currency_codes() -> frozenset[str]:
    """Every ISO 4217 code."""
    return frozenset(list_currencies())


@cache
def units() -> dict[str, str]:
    """CLDR units without their group, by name or abbreviation as written and folded."""
    found: dict[str, str] = {}
    for locale in _locales():
        for unit in words.UNITS:
            for name in set(_unit_names(unit, locale)) - words.NO_UNITS:
                found.setdefault(name, unit.partition("-")[2])
                found.setdefault(name.casefold(), unit.partition("-")[2])
    return {name: unit for name, unit in found.items() if name and name not in words.NO_UNITS} | words.UNIT_WORDS


@cache
def magnitudes(language: str) -> dict[str, int]:
    """Powers of ten by word: those of ``language`` first, then whatever other languages say."""
    merged: dict[str, int] = {}
    for other in words.LANGUAGES:
        for word, power in words.MAGNITUDES[other].items():
            if len(word) > 1 or other in ("ja", "zh"):
                merged.setdefault(word, power)
    return merged | words.MAGNITUDES.get(language, words.MAGNITUDES["en"])


@cache
def territories() -> dict[str, str]:
    """The code of a country by its folded name, in every language."""
    return {
        name.casefold(): code
        for locale in _locales()
        for code, name in locale.territories.items()
        if code.isalpha() and len(name) > 3
    }


@cache
def territory_names() -> dict[str, tuple[str, ...]]:
    """The folded names of a country in every language, by its code."""
    found: dict[str, list[str]] = {}
    for name, code in territories().items():
        found.setdefault(code, []).append(name)
    return {code: tuple(names) for code, names in found.items()}


def _locales() -> Iterator[Locale]:
    return map(Locale.parse, (*words.LANGUAGES, "en_GB"))


def _unit_names(unit: str, locale: Locale) -> Iterator[str]:
    for length in ("long", "short"):
        for count in (1, 2, 5):
            name = format_unit(count, unit, length, locale=locale)
            yield name.replace(str(count), "").strip().rstrip(".")
