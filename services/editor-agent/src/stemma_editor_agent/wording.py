"""Words of texts for comparison: which can be recognised across inflection, and what a change does to them."""

from __future__ import annotations

import re
from collections import Counter

from stemma_languages import negates

from .reporting import Change

_WORD = re.compile(r"\w+")
_WITHOUT_SPACES = re.compile("[\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")
_SMALL = 4
_STEM = 5
_INFLECTED = 3


def folded(text: str) -> str:
    """The words of a text without case and marks, one space apart."""
    return " ".join(_words(text))


def recognised(text: str) -> set[str]:
    """The beginnings of long words, and each two characters that follow each other where words have no spaces."""
    small = text.casefold()
    pairs = {run[at : at + 2] for run in _WITHOUT_SPACES.findall(small) for at in range(max(1, len(run) - 1))}
    words = _WORD.findall(_WITHOUT_SPACES.sub(" ", small))
    return pairs | {word[:_STEM] for word in words if len(word) >= _SMALL}


def has_half_of(wanted: set[str], text: str) -> bool:
    """Whether half of what is recognised of some words stands in a text."""
    known, small = recognised(text), text.casefold()
    found = [piece for piece in wanted if piece in known or (_WITHOUT_SPACES.match(piece) and piece in small)]
    return 2 * len(found) >= len(wanted)


def only_numbers(change: Change) -> bool:
    """Whether a change is that of figures, such as a sum that follows from a replaced amount."""
    without = [re.sub(r"[\d.,\s]+", "", text) for text in (change.old, change.new)]
    return change.how == "changed" and without[0] == without[1]


def keeps_what_stood(change: Change) -> bool:
    """Whether a sentence that changed still says what it said: its numbers, and most of its words."""
    before = recognised(change.old)
    lost = before - recognised(change.new)
    return _numbers(change.old) <= _numbers(change.new) and 3 * len(lost) <= len(before)


def replaces_only(change: Change, old: str, new: str, language: str) -> bool:
    """Whether a change puts words in the place of others; articles and endings around them may follow."""
    was, became = (" ".join(text.casefold().split()) for text in (change.old, change.new))
    if was.replace(old.casefold(), new.casefold()) == became:
        return True
    if _WITHOUT_SPACES.search(was) or (negates(was, language) != negates(became, language)):
        return False
    before, after = Counter(_words(was)), Counter(_words(became))
    gone, come = before - after - Counter(_words(old)), after - before - Counter(_words(new))
    follows = _numbers(old) or _numbers(new)
    small = was.count(old.casefold())
    return all(_is_around(one, come, small, follows) for one in gone) and all(
        _is_around(one, gone, small, follows) for one in come
    )


def _is_around(word: str, others: Counter[str], small: int, numbers_follow: set[str]) -> bool:
    """Whether a word only follows from a replacement: an article, an ending, a sum."""
    if any(char.isdigit() for char in word):
        return bool(numbers_follow)
    if any(word[:_INFLECTED] == other[:_INFLECTED] for other in others):
        return True
    return len(word) <= _SMALL and len(others) <= 2 * small


def _numbers(text: str) -> set[str]:
    return set(re.findall(r"\d+", text))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())
