"""Words that say how a sentence holds: ``data/modes/<tag>.json``."""

from collections.abc import Mapping
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from .wordlists import read_lists


class ModeWords(BaseModel):
    """A data file: the phrases of each mode (a ``*`` at the end stands for any ending), and words of fractions,
    ordinals and clauses. The mode ``back`` marks phrases behind what they belong to."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    modes: Mapping[str, tuple[str, ...]] = {}
    numerators: Mapping[str, int] = {}
    denominators: Mapping[str, int] = {}
    of: tuple[str, ...] = ()
    ordinals: tuple[str, ...] = ()
    ordinal_ends: tuple[str, ...] = ("",)
    joining: tuple[str, ...] = ()
    pronouns: tuple[str, ...] = ()
    articles: tuple[str, ...] = ()


@lru_cache(maxsize=32)
def mode_words(tag: str) -> ModeWords:
    """The words of a language; none of one without a file."""
    return read_lists(ModeWords, "modes", tag)
