"""Which part of one text is which part of another: equal ones first, then the most similar."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from .comparing import Comparisons

_WORDS = re.compile(r"[^\W_]+|[^\s]")
_MOST_USES = 30
_CANDIDATES = 6
_SHORT = 400


@dataclass
class _Side:
    """The parts of one text, what they are compared by, and which part of the other text each of them is."""

    contents: Sequence[str]
    texts: list[str] = field(init=False)
    words: list[list[str]] = field(init=False)
    partner: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.texts = ["\n".join(content.splitlines()).strip() for content in self.contents]
        self.words = [_WORDS.findall(text) for text in self.texts]

    def free(self) -> list[int]:
        """The parts without a partner."""
        return [number for number in range(len(self.contents)) if number not in self.partner]


def match_parts(old: Sequence[str], new: Sequence[str], comparisons: Comparisons | None = None) -> dict[int, int]:
    """The number of the old part that each new part is, by the number of the new one; others are new.

    No old part is two new ones. Time grows with the length of the texts, whatever they hold; ``comparisons`` are those
    of the texts that the parts are of, if there are more of them.
    """
    if not old or not new:
        return {}
    comparisons = comparisons or Comparisons(sum(map(len, old)) + sum(map(len, new)))
    before, after = _Side(old), _Side(new)
    _match_unique(before, after)
    _match_neighbours(before, after, reach=1)
    _match_neighbours(before, after, reach=len(new))
    _match_equal(before, after)
    _match_alike(before, after, comparisons)
    return dict(sorted(after.partner.items()))


def _pair(before: _Side, after: _Side, old: int, new: int) -> None:
    before.partner[old] = new
    after.partner[new] = old


def _match_unique(before: _Side, after: _Side) -> None:
    places = {text: number for number, text in enumerate(before.texts)}
    many, theirs = Counter(before.texts), Counter(after.texts)
    for new, text in enumerate(after.texts):
        if many[text] == theirs[text] == 1:
            _pair(before, after, places[text], new)


def _match_neighbours(before: _Side, after: _Side, *, reach: int) -> None:
    """Texts that stand more than once: as far from a pair in one text as in the other, at most ``reach`` parts.

    The beginnings of both texts are a pair, and so are their ends.
    """
    last_pair = (-1, -1)
    for new in range(len(after.texts)):
        last_pair = _match_beside(before, after, new, last_pair, reach)
    last_pair = (len(before.texts), len(after.texts))
    for new in reversed(range(len(after.texts))):
        last_pair = _match_beside(before, after, new, last_pair, reach)


def _match_beside(before: _Side, after: _Side, new: int, last_pair: tuple[int, int], reach: int) -> tuple[int, int]:
    """Match one part as far from the last pair in one text as in the other; the last pair from then on."""
    if new not in after.partner:
        old = last_pair[0] + new - last_pair[1]
        if abs(new - last_pair[1]) > reach or not _is_free(before, old) or before.texts[old] != after.texts[new]:
            return last_pair
        _pair(before, after, old, new)
    return after.partner[new], new


def _is_free(side: _Side, number: int) -> bool:
    return 0 <= number < len(side.texts) and number not in side.partner


def _match_equal(before: _Side, after: _Side) -> None:
    waiting: dict[str, list[int]] = defaultdict(list)
    for old in reversed(before.free()):
        waiting[before.texts[old]].append(old)
    for new in after.free():
        if waiting[after.texts[new]]:
            _pair(before, after, waiting[after.texts[new]].pop(), new)


def _match_alike(before: _Side, after: _Side, comparisons: Comparisons) -> None:
    """The most similar pair first; of equally similar ones that with the fewest parts between."""
    ranked = sorted(
        (-_similarity(before, old, after, new, comparisons), abs(old - new), new, old)
        for new, old in _candidates(before, after)
    )
    for negative, _, new, old in ranked:
        if negative and old not in before.partner and new not in after.partner:
            _pair(before, after, old, new)


def _candidates(before: _Side, after: _Side) -> Iterator[tuple[int, int]]:
    """Pairs worth comparing: parts that stand in the same place, and those with the most rare words in common."""
    free = before.free()
    if not free:
        return
    uses: dict[str, list[int]] = defaultdict(list)
    for old in free:
        for word in set(before.words[old]):
            uses[word].append(old)
    for new in after.free():
        votes: Counter[int] = Counter()
        for word in sorted(set(after.words[new])):
            if len(uses.get(word, ())) <= _MOST_USES:
                votes.update(uses.get(word, ()))
        found = {old for old, _ in votes.most_common(_CANDIDATES)} | set(_same_place(before, after, new))
        yield from ((new, old) for old in sorted(found))


def _same_place(before: _Side, after: _Side, new: int) -> Iterator[int]:
    for step in (-1, 1):
        neighbour, distance = new + step, 1
        while 0 <= neighbour < len(after.texts) and neighbour not in after.partner and distance < _CANDIDATES:
            neighbour, distance = neighbour + step, distance + 1
        edge = -1 if neighbour < 0 else len(before.texts)
        start = after.partner.get(neighbour, edge)
        for old in (start - step * distance, start - step):
            if _is_free(before, old):
                yield old


def _similarity(before: _Side, old: int, after: _Side, new: int, comparisons: Comparisons) -> float:
    if len(before.texts[old]) > _SHORT and len(after.texts[new]) > _SHORT:
        return comparisons.similarity(before.words[old], after.words[new])
    return comparisons.similarity(before.texts[old], after.texts[new])
