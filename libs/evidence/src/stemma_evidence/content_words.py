"""The words of a text that carry its content, in one form for all that a word may end in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

import snowballstemmer

from .function_words import FUNCTION_WORDS

STEMMERS = {
    "en": "english", "de": "german", "fr": "french", "es": "spanish", "it": "italian", "nl": "dutch",
    "pt": "portuguese",
}  # fmt: skip
_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+|[^\W_]+(?:['’][^\W_]+)?")
_UNSPACED = "\u3040"


def content_words(text: str, language: str) -> frozenset[str]:
    """Stems of the words that have content of their own; pairs of characters where no spaces stand between words."""
    return frozenset(_words(text.casefold(), language))


def stemmed(word: str, language: str) -> str:
    """The stem of a word in lower case; empty if it has no content of its own."""
    if word.isdigit():
        return word
    return "" if len(word) == 1 or word in FUNCTION_WORDS.get(language, ()) else _stem(word, language)


def _words(text: str, language: str) -> Iterator[str]:
    for token in _TOKEN.findall(text):
        if token[0] >= _UNSPACED:
            yield from _pairs(token)
        elif stem := stemmed(token, language):
            yield stem


def _pairs(run: str) -> Iterator[str]:
    yield from (run[at : at + 2] for at in range(max(1, len(run) - 1)))


@lru_cache(maxsize=65_536)
def _stem(word: str, language: str) -> str:
    """Of a stemmer of its own: it keeps the word that it is at, and two threads would get parts of each other's."""
    return str(snowballstemmer.stemmer(STEMMERS[language]).stemWord(word)) if language in STEMMERS else word
