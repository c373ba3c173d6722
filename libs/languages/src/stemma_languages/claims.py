"""Words by which amounts, units, dates and names are told: ``data/claims/<tag>.json``, of any language ``any.json``."""

from collections.abc import Mapping
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from .wordlists import read_lists


class ClaimWords(BaseModel):
    """Of a language: words after a number that multiply it, as powers of ten; words that begin sentences (function
    words, weekdays, numerals); and words without content of their own, of which published lists have several times as
    many, among them `million`, `member` and `system`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    magnitudes: Mapping[str, int] = {}
    opening: frozenset[str] = frozenset()
    stop: frozenset[str] = frozenset()


class SharedClaimWords(BaseModel):
    """Of any language, as the CLDR does not have them.

    ``currencies`` and ``hundredths`` have the ISO codes that a sign or word may mean, ``units`` the unit of the CLDR;
    ``no_units`` are abbreviations of the CLDR that are everyday words. ``month_leads`` make a month alone a date,
    ``hedges`` call a number rounded. ``captions`` stand before the title of a table or picture, ``numbered``
    (expressions, ``numbered_unspaced`` where no spaces stand) before the number of an entry, such as a finding.
    ``joining`` stand inside of names, ``titles`` before those of people, ``companies`` behind those of companies.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    currencies: dict[str, tuple[str, ...]] = {}
    hundredths: dict[str, tuple[str, ...]] = {}
    units: dict[str, str] = {}
    no_units: frozenset[str] = frozenset()
    quarters: frozenset[str] = frozenset()
    halves: frozenset[str] = frozenset()
    ordinals: dict[str, int] = {}
    month_leads: frozenset[str] = frozenset()
    hedges: frozenset[str] = frozenset()
    captions: frozenset[str] = frozenset()
    numbered: tuple[str, ...] = ()
    numbered_unspaced: tuple[str, ...] = ()
    joining: frozenset[str] = frozenset()
    titles: frozenset[str] = frozenset()
    companies: frozenset[str] = frozenset()


@lru_cache(maxsize=32)
def claim_words(tag: str) -> ClaimWords:
    """The words of a language; none of one without a file."""
    return read_lists(ClaimWords, "claims", tag)


@lru_cache(maxsize=1)
def shared_claim_words() -> SharedClaimWords:
    """The words of any language."""
    return read_lists(SharedClaimWords, "claims", "any")
