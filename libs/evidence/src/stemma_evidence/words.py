"""Words across inflection and case."""

from __future__ import annotations

from functools import lru_cache

_ENDINGS = ("'s", "’s", "s", "es", "n", "en", "e", "er", "em", "ern", "i", "o", "a")
_LEAST = 3


@lru_cache(maxsize=50_000)
def stems(word: str) -> frozenset[str]:
    """The forms that a word may be found by: itself and without the endings that inflection adds."""
    plain = word.casefold()
    cut = {plain[: -len(end)] for end in _ENDINGS if plain.endswith(end) and len(plain) - len(end) >= _LEAST}
    return frozenset(cut | {plain})
