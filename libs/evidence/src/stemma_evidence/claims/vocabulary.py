"""Currencies, units, months and countries by their names in the languages that are shipped, and words of claims."""

from collections.abc import Iterator
from functools import cache

from babel import Locale
from babel.numbers import get_currency_name, list_currencies
from babel.units import format_unit
from stemma_languages import claim_words, shared_claim_words

LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pt", "ja", "zh")

DECIMAL_POINT = frozenset({"en", "ja", "zh"})
"""Languages that write a decimal point; the others write a comma."""

NAMED_CURRENCIES = (
    "EUR USD GBP CHF JPY CNY SEK NOK DKK PLN CZK HUF RON BGN TRY RUB UAH CAD AUD NZD SGD HKD INR KRW BRL MXN ARS CLP"
    " COP ZAR ILS AED SAR THB IDR MYR PHP VND TWD EGP NGN KES"
).split()
"""Currencies that are also known by their names in words."""

ONLY_WITH_CURRENCY = frozenset({"m", "b", "k", "t", "mm", "mi", "bi", "bn"})
"""Magnitudes that are units or words of their own where no currency stands by."""

PREFIXED_CURRENCIES = {"t": 3, "k": 3, "m": 6, "mio": 6, "md": 9, "mrd": 9}
"""What a magnitude is that is written with the currency as one word: ``k€``, ``M€``, ``TEUR``."""

UNITS = (
    "length-millimeter length-centimeter length-meter length-kilometer length-inch length-foot length-yard length-mile"
    " area-square-centimeter area-square-meter area-square-kilometer area-hectare area-square-foot area-acre"
    " area-square-mile volume-milliliter volume-liter volume-cubic-meter volume-gallon mass-milligram mass-gram"
    " mass-kilogram mass-tonne mass-ton mass-pound mass-ounce duration-millisecond duration-second duration-minute"
    " duration-hour duration-day duration-week duration-month duration-quarter duration-year duration-decade"
    " duration-century duration-day-person digital-bit digital-byte digital-kilobyte digital-megabyte"
    " digital-gigabyte digital-terabyte digital-petabyte digital-megabit digital-gigabit power-watt power-kilowatt"
    " power-megawatt power-gigawatt energy-kilowatt-hour energy-joule energy-kilojoule energy-kilocalorie"
    " temperature-celsius temperature-fahrenheit speed-kilometer-per-hour speed-meter-per-second speed-mile-per-hour"
    " frequency-hertz frequency-kilohertz frequency-megahertz frequency-gigahertz pressure-bar pressure-pascal"
    " pressure-hectopascal electric-volt electric-ampere graphics-pixel graphics-megapixel light-lumen light-lux"
    " concentr-percent concentr-permille"
).split()
"""CLDR units that are recognised."""

ANY = shared_claim_words()


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
        for code in NAMED_CURRENCIES:
            for count in (None, 1, 2):
                found.setdefault(get_currency_name(code, count=count, locale=locale).casefold(), (code,))
    return found | dict(ANY.currencies)


@cache
def currency_codes() -> frozenset[str]:
    """Every ISO 4217 code."""
    return frozenset(list_currencies())


@cache
def units() -> dict[str, str]:
    """CLDR units without their group, by name or abbreviation as written and folded."""
    found: dict[str, str] = {}
    for locale in _locales():
        for unit in UNITS:
            for name in set(_unit_names(unit, locale)) - ANY.no_units:
                found.setdefault(name, unit.partition("-")[2])
                found.setdefault(name.casefold(), unit.partition("-")[2])
    return {name: unit for name, unit in found.items() if name and name not in ANY.no_units} | dict(ANY.units)


@cache
def magnitudes(language: str) -> dict[str, int]:
    """Powers of ten by word: those of ``language`` first, then whatever other languages say."""
    merged: dict[str, int] = {}
    for other in LANGUAGES:
        for word, power in claim_words(other).magnitudes.items():
            if len(word) > 1 or other in ("ja", "zh"):
                merged.setdefault(word, power)
    return merged | dict(claim_words(language).magnitudes or claim_words("en").magnitudes)


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
    return map(Locale.parse, (*LANGUAGES, "en_GB"))


def _unit_names(unit: str, locale: Locale) -> Iterator[str]:
    for length in ("long", "short"):
        for count in (1, 2, 5):
            name = format_unit(count, unit, length, locale=locale)
            yield name.replace(str(count), "").strip().rstrip(".")


OPENING_WORDS = {tag: words for tag in LANGUAGES if (words := claim_words(tag).opening)}
CAPITALISED: frozenset[str] = ANY.captions.union(*OPENING_WORDS.values())
