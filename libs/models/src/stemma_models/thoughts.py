"""What a model thinks aloud in its answer, between tags, is no part of the answer."""

from __future__ import annotations

import re
from bisect import bisect
from typing import NamedTuple

_NAME = r"(?:\w{1,20}:)?(?:think|thinking|thoughts?|reasoning)\s{0,4}>(?!`)"
_OPENING = re.compile(rf"\s*+<{_NAME}", re.IGNORECASE)
_CLOSING = re.compile(rf"</{_NAME}", re.IGNORECASE)
_TAG = re.compile(rf"^[ \t]{{0,8}}<{_NAME}|(?<!`)</{_NAME}", re.IGNORECASE | re.MULTILINE)
_HALF_TAG = re.compile(r"<[/\w:]{0,32}\s{0,4}\Z")
_FENCE = re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE)


class Parted(NamedTuple):
    """The words of an answer without its thoughts; ``found`` if there were some, ``open`` if the last has no end."""

    words: str
    found: bool
    open: bool


def without_thoughts(text: str) -> Parted:
    """Take out what stands between tags such as ``<think>``.

    An opening tag counts at the beginning of a line. Some servers leave the first one out: then everything before the
    closing tag is a thought. Tags in code are words.
    """
    fences = [fence.start() for fence in _FENCE.finditer(text)]
    words, at, place, found = list[str](), 0, 0, False
    while tag := (_OPENING.match(text, at) if place == at else None) or _TAG.search(text, place):
        place = tag.end()
        if _is_code(fences, tag.start()):
            continue
        found = True
        if "</" in tag[0]:  # its opening tag is not there
            words, at = [], place
            continue
        words.append(text[at : tag.start()])
        closing = _CLOSING.search(text, place)
        if closing is None:
            return Parted("".join(words).lstrip(), found=True, open=True)
        at = place = closing.end()
    return Parted("".join([*words, text[at:]]).lstrip(), found, open=False)


def words_so_far(text: str, opens_with: str) -> str:
    """The words of an answer of which more is to come, as far as they are certainly no thought.

    If all answers have to open with ``opens_with``, one that does not may be a thought without its opening tag.
    """
    parted = without_thoughts(text)
    words = parted.words
    if not parted.found and not words.startswith(opens_with):
        return ""
    half = _HALF_TAG.search(words, max(0, len(words) - 64))
    return words[: half.start()] if half else words


def _is_code(fences: list[int], place: int) -> bool:
    """Whether a place is in a fence that is closed behind it."""
    before = bisect(fences, place)
    return before % 2 == 1 and before < len(fences)
