"""Words that say how a sentence holds: for how many, when, how often, and whether it is a fact, a plan or a promise."""

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from babel import Locale
from stemma_languages import ModeWords, mode_words

from .numerals import ideographic

WIDE = frozenset(("ja", "zh"))
"""Languages that put no spaces between words."""
DAYS = tuple(f"day{number}" for number in range(7))
"""The modes of the names of days, Monday first."""
_ORDINAL_DIGITS = re.compile(r"([0-9]{1,6})(?:st|nd|rd|th|ère|er|ème|de|ste|e|º|ª|°)")
_LONGEST = 3


class Word(NamedTuple):
    """A word or a phrase with what it marks: ``modes``, an ordinal number or a fraction; nothing of most words."""

    text: str
    start: int
    modes: frozenset[str]
    ordinal: int = 0
    fraction: Fraction | None = None


class _Lexicon(NamedTuple):
    data: ModeWords
    exact: dict[tuple[str, ...], frozenset[str]]
    prefixes: dict[str, list[tuple[str, frozenset[str]]]]
    ordinals: dict[str, int]
    word: re.Pattern[str]


_NONE = frozenset[str]()
_SPACED = re.compile(
    r"[0-9]+(?:st|nd|rd|th|ère|er|ème|de|ste|e|º|ª|°)(?!\w)|[^\W\d_]+(?:['’-][^\W\d_]+)*|[\ue000-\uefff]"
)
_SHARE = re.compile("([〇一二三四五六七八九十百]{1,6})分[のノ之]([〇一二三四五六七八九十百]{1,6})")
_UNSPACED = rf"[\ue000-\uefff]|{_SHARE.pattern}|PHRASES|(?:(?!PHRASES)[\u3400-\u9fff々])+|[\u30a0-\u30ff]+|[a-z0-9]+"


@cache
def _lexicon(language: str) -> _Lexicon:
    data = mode_words(language)
    exact, prefixes = dict[tuple[str, ...], frozenset[str]](), dict[str, list[tuple[str, frozenset[str]]]]()
    for modes, phrases in data.modes.items():
        for phrase in phrases:
            if phrase.endswith("*"):
                prefixes.setdefault(phrase[:3], []).append((phrase[:-1], frozenset(modes.split())))
            else:
                key = tuple(phrase.split())
                exact[key] = exact.get(key, _NONE) | frozenset(modes.split())
    for mode, names in zip(DAYS, _days(language), strict=True):
        exact |= {(name,): frozenset((mode,)) for name in names}
    ordinals = {stem + end: n for n, stem in enumerate(data.ordinals, 1) for end in data.ordinal_ends}
    return _Lexicon(
        data, exact, prefixes, ordinals, _words_of(language, [*exact, *zip(ordinals), *zip(data.denominators)])
    )


def _days(language: str) -> Iterator[tuple[str, ...]]:
    """The names of each day, Monday first, as they stand in sentences."""
    names = Locale(language).days["format"]
    for number in range(7):
        wide, short = names["wide"][number].casefold(), names["abbreviated"][number]
        if language in WIDE:
            yield (wide, wide.removesuffix("日"), short) if len(short) > 1 else (wide, wide.removesuffix("日"))
        else:
            yield (wide, f"{wide}s", *wide.split("-")[:-1])


def _words_of(language: str, phrases: list[tuple[str, ...]]) -> re.Pattern[str]:
    if language not in WIDE:
        return _SPACED
    longest_first = sorted({phrase for (phrase,) in phrases}, key=len, reverse=True)
    return re.compile(_UNSPACED.replace("PHRASES", f"(?:{'|'.join(map(re.escape, longest_first))})"))


def words(text: str, language: str) -> Iterator[Word]:
    """The words of a text in small letters, in their order, phrases as one."""
    lexicon = _lexicon(language)
    found = [(match[0].replace("’", "'"), match.start()) for match in lexicon.word.finditer(text.casefold())]
    at = 0
    while at < len(found):
        word = _fraction(found, at, lexicon.data)
        length = len(word.text.split()) if word else 1
        if word is None:
            length, modes = _longest(found, at, lexicon)
            text_of = " ".join(text for text, _ in found[at : at + length])
            word = Word(text_of, found[at][1], modes, _ordinal(found[at][0], lexicon))
        yield word
        at += length


def _longest(found: list[tuple[str, int]], at: int, lexicon: _Lexicon) -> tuple[int, frozenset[str]]:
    key = tuple(word for word, _ in found[at : at + _LONGEST])
    for length in range(len(key), 0, -1):
        if modes := lexicon.exact.get(key[:length]):
            return length, modes
    for prefix, modes in lexicon.prefixes.get(key[0][:3], ()):
        if key[0].startswith(prefix):
            return 1, modes
    return 1, _NONE


def _ordinal(word: str, lexicon: _Lexicon) -> int:
    match = _ORDINAL_DIGITS.fullmatch(word)
    return int(match[1]) if match else lexicon.ordinals.get(word, 0)


def _fraction(found: list[tuple[str, int]], at: int, data: ModeWords) -> Word | None:
    word, start = found[at]
    following = found[at + 1][0] if at + 1 < len(found) else ""
    if data.denominators.get(word) == 2 and following not in ("a", "an", "hour", "day", "year", "time"):
        return Word(word, start, _NONE, fraction=Fraction(1, 2))
    if share := _SHARE.fullmatch(word):
        below, above = map(ideographic, share.groups())
        return Word(word, start, _NONE, fraction=Fraction(above, below)) if above and below else None
    above = data.numerators.get(word)
    below = data.denominators.get(following) or data.denominators.get(following.removesuffix("s"))
    if above is None or below is None:
        return None
    around = {found[at - 1][0] if at else "", found[at + 2][0] if at + 2 < len(found) else ""}
    if above == 1 and data.of and around.isdisjoint(data.of):
        return None
    return Word(f"{word} {following}", start, _NONE, fraction=Fraction(above, below))
