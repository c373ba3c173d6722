"""Words by which two statements of one fact are found: ``data/facts/<tag>.json``."""

from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from .wordlists import read_lists


class FactWords(BaseModel):
    """A data file.

    ``generic`` words say little of what a value is about, ``prepositions`` bind what is behind them, ``rates`` stand
    between an amount and its unit of time, ``times`` say how often. ``numbered`` nouns are told apart by a number.
    ``roles`` are nouns that end or begin a role, ``plain`` words do not make it another one, ``linking`` words stand
    between it and a name, ``leading`` says what a person with a role does. ``defining`` phrases define a term,
    ``defining_quoted`` one in quotation marks. ``concepts`` are words for one matter, as for a contract or a beginning.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    generic: tuple[str, ...] = ()
    prepositions: tuple[str, ...] = ()
    rates: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    linking: tuple[str, ...] = ()
    defining: tuple[str, ...] = ()
    defining_quoted: tuple[str, ...] = ()
    plain: tuple[str, ...] = ()
    leading: tuple[str, ...] = ()
    numbered: tuple[str, ...] = ()
    times: tuple[str, ...] = ()
    concepts: dict[str, tuple[str, ...]] = {}


@lru_cache(maxsize=32)
def fact_words(tag: str) -> FactWords:
    """The words of a language; none of one without a file."""
    return read_lists(FactWords, "facts", tag)
