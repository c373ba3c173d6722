"""Which words a language has, as far as its dictionary knows; Chinese and Japanese have none."""

from functools import lru_cache
from threading import Lock
from typing import Any

DICTIONARIES = frozenset({"de", "en", "es", "fr", "it", "nl", "pt"})
_LOADING = Lock()


def is_word(word: str, language: str) -> bool:
    """Whether a word in small letters is one of a language, by its BCP 47 tag; without a dictionary, none is."""
    tag = language.partition("-")[0]
    if tag not in DICTIONARIES:
        return False
    with _LOADING:
        return word in _dictionary(tag)


@lru_cache(maxsize=2)
def _dictionary(tag: str) -> Any:
    """A second and 40 to 100 MB; most processes never ask."""
    from spellchecker import SpellChecker

    return SpellChecker(language=tag)
