"""Words across inflection and case, and the language that they are of."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache, lru_cache

from .name_words import FUNCTION_WORDS

_ENDINGS = ("'s", "’s", "s", "es", "n", "en", "e", "er", "em", "ern", "i", "o", "a")
_LEAST = 3
_LOOKED_AT = 5000
_LATIN = re.compile(r"[^\W\d_]+")
_KANA = re.compile(r"[\u3040-\u30ff]")
_HAN = re.compile(r"[\u3400-\u9fff]")


@lru_cache(maxsize=50_000)
def stems(word: str) -> frozenset[str]:
    """The forms that a word may be found by: itself and without the endings that inflection adds."""
    plain = word.casefold()
    cut = {plain[: -len(end)] for end in _ENDINGS if plain.endswith(end) and len(plain) - len(end) >= _LEAST}
    return frozenset(cut | {plain})


def language_of(text: str, default: str) -> str:
    """The language that a text is in, by its script and its function words; ``default`` if that is not clear."""
    seen = text[:_LOOKED_AT]
    if not seen.isascii() and _KANA.search(seen):
        return "ja"
    if not seen.isascii() and len(_HAN.findall(seen)) > len(seen) // 10:
        return "zh"
    known, total = _languages(), 0
    counts = dict.fromkeys((*FUNCTION_WORDS, default), 0)
    for word, times in Counter(_LATIN.findall(seen.casefold())).items():
        total += times
        for language in known.get(word, ()):
            counts[language] += times
    best = max(FUNCTION_WORDS, key=lambda language: counts[language])
    return best if counts[best] > counts[default] + total // 20 else default


@cache
def _languages() -> dict[str, tuple[str, ...]]:
    """The languages that a function word is of."""
    every = {word for known in FUNCTION_WORDS.values() for word in known}
    return {word: tuple(tag for tag, known in FUNCTION_WORDS.items() if word in known) for word in every}
