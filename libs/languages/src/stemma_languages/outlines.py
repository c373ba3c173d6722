"""How requests speak of the form of an answer: headings of such passages, units and limits, in every language."""

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Literal, TypeAlias

from .languages import DATA
from .wordlists import WIDE, WordList, folded

_END = re.compile(r"[\n;]|(?<!max)(?<!m\u00e1x)\.", re.IGNORECASE)
BEFORE, BEHIND = 30, 20
Gathered: TypeAlias = Literal["amounts", "dates", "people"]


class OutlineWords(WordList):
    """A data file: headings of passages that say what a document is to hold, and what limits are told with.

    ``titles`` are those of chapters that gather one thing: amounts, dates, people.
    """

    headings: tuple[str, ...]
    words: tuple[str, ...]
    pages: tuple[str, ...]
    at_most: tuple[str, ...]
    titles: Mapping[Gathered, tuple[str, ...]]


def asks_for_a_form(heading: str) -> bool:
    """Whether a heading announces what a document is to hold, in any language."""
    said = folded(" ".join(heading.split()))
    return any(words in said for one in _all() for words in one.headings)


def gathered_under(title: str) -> Gathered | None:
    """What a chapter of this title gathers, in any language; None of other titles."""
    said = folded(" ".join(title.split()))
    return next((name for one in _all() for name, titles in one.titles.items() if said in map(folded, titles)), None)


def limits_in(text: str, *, bare: bool = False) -> tuple[int | None, int | None]:
    """The most words and the most pages that a text names; with ``bare`` also where only the number stands there."""
    return _limit(text, "words", bare), _limit(text, "pages", bare)


def _limit(text: str, unit: str, bare: bool) -> int | None:
    for found in _numbers(unit).finditer(text):
        number = int(re.sub(r"\D", "", found[1]))
        if number and (bare or any(one in _around(text, *found.span()) for words in _all() for one in words.at_most)):
            return number
    return None


def _around(text: str, start: int, end: int) -> str:
    """What stands before and behind a place in the same sentence, as far as it may say that a number is a limit."""
    before = _END.split(text[max(0, start - BEFORE) : start])[-1]
    return folded(f" {before} {_END.split(text[end : end + BEHIND])[0]} ")


@lru_cache(maxsize=2)
def _numbers(unit: str) -> re.Pattern[str]:
    units = sorted({one for words in _all() for one in getattr(words, unit)}, key=len, reverse=True)
    named = "|".join(re.escape(one) + ("" if WIDE.match(one) else r"(?!\w)") for one in units)
    return re.compile(rf"(?<![\d.,])(\d[\d.,]{{0,8}})\)?[ \u00a0]?(?:{named})", re.IGNORECASE)


@lru_cache(maxsize=1)
def _all() -> tuple[OutlineWords, ...]:
    return read_outline_words(DATA / "outlines")


def read_outline_words(folder: Path) -> tuple[OutlineWords, ...]:
    """The data files of a folder, one for each language."""
    return tuple(OutlineWords.model_validate_json(file.read_text("utf-8")) for file in sorted(folder.glob("*.json")))


_WRITTEN_WITHOUT_SPACES = re.compile(
    "[\u3005-\u3007\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003fffd]"
)


def count_words(text: str) -> int:
    """The words of a plain text; each Chinese character and each Japanese kana or kanji counts as one.

    That is how word processors count: the characters of the scripts that know no spaces one by one, and what stands
    between spaces as one word if it has a letter or a digit. Punctuation counts nothing.
    """
    others, characters = _WRITTEN_WITHOUT_SPACES.subn(" ", text)
    return characters + sum(any(char.isalnum() for char in piece) for piece in others.split())
