"""The words of a text that carry its content, in one form for all that a word may end in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any

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


def _words(text: str, language: str) -> Iterator[str]:
    common = FUNCTION_WORDS.get(language, frozenset())
    for token in _TOKEN.findall(text):
        if token[0] >= _UNSPACED:
            yield from _pairs(token)
        elif token.isdigit():
            yield token
        elif len(token) > 1 and token not in common:
            yield _stem(token, language)


def _pairs(run: str) -> Iterator[str]:
    yield from (run[at : at + 2] for at in range(max(1, len(run) - 1)))


@cache
def _stemmer(language: str) -> Any:
    return snowballstemmer.stemmer(STEMMERS[language])


@lru_cache(maxsize=65_536)
def _stem(word: str, language: str) -> str:
    return str(_stemmer(language).stemWord(word)) if language in STEMMERS else word
