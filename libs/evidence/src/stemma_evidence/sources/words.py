"""Words across inflection and case, and the language that they are of."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache, lru_cache

import snowballstemmer
from stemma_languages import claim_words

from stemma_evidence.claims.vocabulary import OPENING_WORDS

_ENDINGS = ("'s", "’s", "s", "es", "n", "en", "e", "er", "em", "ern", "i", "o", "a")
_LEAST = 3
_LOOKED_AT = 5000
_LATIN = re.compile(r"[^\W\d_]+")
_KANA = re.compile(r"[\u3040-\u30ff]")
_TELLING = 120
"""Letters of a text that tells its language."""
_FEWEST_KNOWN = 0.15
"""The share of function words below which a text is in none of the languages; those have at least 0.18."""
_BEYOND_LATIN = "\u0370"
_EASTERN = re.compile(r"[\u3005-\u9fff]")
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
    counts = dict.fromkeys((*OPENING_WORDS, default), 0)
    for word, times in Counter(_LATIN.findall(seen.casefold())).items():
        total += times
        for language in known.get(word, ()):
            counts[language] += times
    best = max(OPENING_WORDS, key=lambda language: counts[language])
    return best if counts[best] > counts[default] + total // 20 else default


def is_foreign(text: str) -> bool:
    """Whether a text is in a language whose words are not known: in another script, or with few function words."""
    seen = text[:_LOOKED_AT]
    letters = [char for char in seen if char.isalpha()]
    if len(letters) < _TELLING:
        return False
    if 2 * sum(char >= _BEYOND_LATIN and not _EASTERN.match(char) for char in letters) > len(letters):
        return True
    words = Counter(_LATIN.findall(seen.casefold()))
    known = max(sum(words[word] for word in own) for own in OPENING_WORDS.values())
    is_eastern = 5 * sum(_EASTERN.match(char) is not None for char in letters) > len(letters)
    return not is_eastern and known < _FEWEST_KNOWN * sum(words.values())


@cache
def _languages() -> dict[str, tuple[str, ...]]:
    """The languages that a function word is of."""
    every = {word for known in OPENING_WORDS.values() for word in known}
    return {word: tuple(tag for tag, known in OPENING_WORDS.items() if word in known) for word in every}


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
    return "" if len(word) == 1 or word in claim_words(language).stop else stem(word, language)


def _words(text: str, language: str) -> Iterator[str]:
    for token in _TOKEN.findall(text):
        if token[0] >= _UNSPACED:
            yield from _pairs(token)
        elif known := stemmed(token, language):
            yield known


def _pairs(run: str) -> Iterator[str]:
    yield from (run[at : at + 2] for at in range(max(1, len(run) - 1)))


@lru_cache(maxsize=65_536)
def stem(word: str, language: str) -> str:
    """The stem of a word in lower case; of an unknown language the word."""
    # A stemmer keeps the word that it is at: of one that two threads share each would get parts of the other's.
    return str(snowballstemmer.stemmer(STEMMERS[language]).stemWord(word)) if language in STEMMERS else word
