"""What a claim is about: the words around it, by which two that were exchanged can be told."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import combinations, zip_longest

from .claim import Claim
from .lexicon import months
from .name_words import CAPITALISED

Subject = frozenset[str]

_WORD = re.compile(r"[^\W\d_\u3040-\u9fff]{4,}|[\u30a0-\u30ff]{2,}|[\u3400-\u9fff]{2,}")
_ENDS = re.compile(r"[.!?;。！？](?=\s|$)|\n[ \t]*\n|\n(?=[ \t]*[-*|])|。")
_STEM = 5
_REACH = 160
_MOST = 60
_COMPARED = ("amount", "date", "quantity")


def subjects(text: str, claims: tuple[Claim, ...]) -> tuple[Subject, ...]:
    """For each claim the stems of the words between the claims before and after it, inside of its sentence."""
    spans = [(claim.start, claim.end) for claim in claims if claim.kind in _COMPARED]
    ends = {this: (before, after) for before, this, after in _neighbours(spans)}
    return tuple(
        _subject(text, claim, *ends[claim.start, claim.end]) if (claim.start, claim.end) in ends else frozenset()
        for claim in claims
    )


def _neighbours(spans: list[tuple[int, int]]) -> Iterable[tuple[int, tuple[int, int], int]]:
    before = 0
    for this, following in zip_longest(spans, spans[1:]):
        yield before, this, following[0] if following else 1 << 60
        before = this[1]


def _subject(text: str, claim: Claim, before: int, after: int) -> Subject:
    left = text[max(before, claim.start - _REACH) : claim.start]
    right = text[claim.end : min(after, claim.end + _REACH)]
    ends = list(_ENDS.finditer(left))
    left = left[ends[-1].end() :] if ends else left
    end = _ENDS.search(right)
    words = _WORD.findall(f"{left} {right[: end.start()] if end else right}")
    return frozenset(_stem(word) for word in words if word.casefold() not in CAPITALISED | months().keys())


def _stem(word: str) -> str:
    return word.casefold()[:_STEM]


def exchanged(stated: list[tuple[Claim, Subject, list[Subject]]]) -> set[int]:
    """Which claims of a draft, by their index, stand where another one belongs, and that one in their place.

    Each comes with its subject in the draft and its subjects in the sources. Two are exchanged if each shares more
    with what the sources say of the other than with what they say of itself.
    """
    found: set[int] = set()
    for one, other in combinations(range(min(len(stated), _MOST)), 2):
        if _are_exchanged(stated[one], stated[other]):
            found |= {one, other}
    return found


def _are_exchanged(one: tuple[Claim, Subject, list[Subject]], other: tuple[Claim, Subject, list[Subject]]) -> bool:
    if one[0].kind != other[0].kind or set(one[0].values) & set(other[0].values):
        return False
    crossed, back = _shared(one[1], other[2]), _shared(other[1], one[2])
    own, others_own = _shared(one[1], one[2]), _shared(other[1], other[2])
    return crossed > own and back > others_own and crossed + back >= own + others_own + 2


def _shared(subject: Subject, places: list[Subject]) -> int:
    return max((len(subject & place) for place in places), default=0)
