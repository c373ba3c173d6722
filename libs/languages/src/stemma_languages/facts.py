"""Words by which two statements of one fact are found: ``data/facts/<tag>.json``."""

from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from .wordlists import read_lists


class FactWords(BaseModel):
    """A data file: words that say little of what a value is about (``generic``), prepositions that bind what is behind
    them, words between an amount and its unit of time (``rates``), nouns that end or begin a role, words between a
    role and a name (``linking``), and phrases that define a term."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    generic: tuple[str, ...] = ()
    prepositions: tuple[str, ...] = ()
    rates: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    linking: tuple[str, ...] = ()
    defining: tuple[str, ...] = ()
    defining_quoted: tuple[str, ...] = ()


@lru_cache(maxsize=32)
def fact_words(tag: str) -> FactWords:
    """The words of a language; none of one without a file."""
    return read_lists(FactWords, "facts", tag)
