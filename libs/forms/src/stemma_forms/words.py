"""The words by which forms are read, one file of data for each language, all of them at once."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib.resources import files

_NOT_A_WORD = re.compile(r"[\W_]+")
# A German compound ends with what it is about: Bieterantwort.
_COMPOUND = 6
_LONGEST_HEADER = 120


@cache
def terms(about: str) -> tuple[str, ...]:
    """What all languages call something, in the order of the languages and of their lists."""
    return tuple(dict.fromkeys(term for language in _languages() for term in language[about]))


def normal(text: str) -> str:
    """The words of a text in lower case with one space between them."""
    return _NOT_A_WORD.sub(" ", text.casefold()).strip()


def mentions(text: str, about: str) -> bool:
    """Whether a short text, such as the header of a column, has one of the terms."""
    return rank(text, about) is not None


@lru_cache(maxsize=8192)
def rank(text: str, about: str) -> int | None:
    """The place in its language's list of the first term that a short text has; None if it has none."""
    if len(text) > _LONGEST_HEADER:
        return None
    single, several = _ranked(about)
    words = normal(text)
    held = [single[ending] for word in words.split() for ending in _endings(word) if ending in single]
    held += [place for term, place in several.items() if f" {term} " in f" {words} "]
    return min(held, default=None)


def _endings(word: str) -> Iterator[str]:
    yield word
    yield from (word[start:] for start in range(1, len(word) - _COMPOUND + 1))


@cache
def _ranked(about: str) -> tuple[dict[str, int], dict[str, int]]:
    """Terms of one word and of several, with the place that each has in its language's list."""
    found: dict[str, int] = {}
    for language in _languages():
        for place, term in enumerate(language[about]):
            found[normal(term)] = min(place, found.get(normal(term), place))
    return (
        {term: place for term, place in found.items() if " " not in term},
        {term: place for term, place in found.items() if " " in term},
    )


@cache
def _languages() -> tuple[dict[str, list[str]], ...]:
    folder = files(__package__).joinpath("data")
    names = sorted(file.name for file in folder.iterdir() if file.name.endswith(".json"))
    return tuple(json.loads(folder.joinpath(name).read_text(encoding="utf-8")) for name in names)
