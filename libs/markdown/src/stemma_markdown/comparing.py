"""What two rows of words, sentences or lines have in common, and which part of one text is which part of another.

All is found in time that grows with the texts: equal parts first, then the most similar.
"""

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from rapidfuzz.distance import Indel

ALIKE = 0.5
"""Rows less similar than this are different ones: the share of what is common to both of what both hold."""
FREE_PAIRS = 16_000_000
"""Pairs of items that may be compared in any two texts: 7 ms."""
PAIRS_FOR_A_CHARACTER = 500
"""Pairs that may be compared beyond that, for each character of both texts."""
MOST_CHARACTERS, MOST_LINES = 2 * 1024 * 1024, 60_000
"""Of two or more texts that are compared by their blocks; in others all counts as changed."""
MOST_PARTS = 8_000
"""Parts that may be compared in any two or three texts by what they hold: a second, however short they are."""

Range = tuple[int, int]
Run = tuple[Range, Range]


class Comparisons:
    """The comparisons of two or three texts.

    Comparing two rows in order takes as many steps as there are pairs of their items, so all comparisons together
    have a bound, and so have the parts that are compared. What would go beyond it is compared more coarsely.
    """

    def __init__(self, characters: int) -> None:
        self._pairs_left = FREE_PAIRS + PAIRS_FOR_A_CHARACTER * characters
        self._parts_left = MOST_PARTS

    def take(self, parts: int) -> bool:
        """Whether so many more parts may be compared by what they hold."""
        if parts > self._parts_left:
            return False
        self._parts_left -= parts
        return True

    def similarity(self, one: Sequence[Hashable], other: Sequence[Hashable]) -> float:
        """The share of what both have in the same order, 0 if below `ALIKE`; beyond the bound, in any order."""
        both = len(one) + len(other)
        if 2 * min(len(one), len(other)) < ALIKE * both:
            return 0.0
        if self._spend(len(one) * len(other)):
            return Indel.normalized_similarity(one, other, score_cutoff=ALIKE)
        share = 2 * (Counter(one) & Counter(other)).total() / both
        return share if share >= ALIKE else 0.0

    def runs(self, old: Sequence[Hashable], new: Sequence[Hashable]) -> Iterator[Run]:
        """The ranges that differ, as few and as short as can be: what was there, and what took its place.

        Beyond the bound, all that differs between two items that each side has once is one run.
        """
        head = _common(zip(old, new, strict=False))
        rest = min(len(old), len(new)) - head
        tail = min(rest, _common(zip(reversed(old), reversed(new), strict=False)))
        whole = (head, len(old) - tail), (head, len(new) - tail)
        if not _is_empty(whole):
            yield from self._runs(old, new, whole)

    def _runs(self, old: Sequence[Hashable], new: Sequence[Hashable], whole: Run) -> Iterator[Run]:
        before, after = old[slice(*whole[0])], new[slice(*whole[1])]
        if self._spend(len(before) * len(after)):
            yield from _shifted(_exact(before, after), whole)
            return
        anchors = [(-1, -1), *_anchors(before, after), (len(before), len(after))]
        for (a, c), (b, d) in pairwise(anchors):
            between = (whole[0][0] + a + 1, whole[0][0] + b), (whole[1][0] + c + 1, whole[1][0] + d)
            if _is_empty(between):
                continue
            if self._spend((b - a) * (d - c)):
                yield from _shifted(_exact(before[a + 1 : b], after[c + 1 : d]), between)
            else:
                yield between

    def _spend(self, pairs: int) -> bool:
        if pairs > self._pairs_left:
            return False
        self._pairs_left -= pairs
        return True


def are_comparable(texts: Collection[str]) -> bool:
    """Whether texts are short enough to be compared by their blocks."""
    lines = sum(len(text.splitlines()) for text in texts)
    return lines <= MOST_LINES and sum(map(len, texts)) <= MOST_CHARACTERS


def similarity(one: str, other: str) -> float:
    """The share of characters that both have in the same order, 0 if below `ALIKE`."""
    return Comparisons(len(one) + len(other)).similarity(one, other)


def differing(old: Sequence[Hashable], new: Sequence[Hashable]) -> Iterator[Run]:
    """The ranges in which two rows of a text differ: what was there, and what took its place."""
    return Comparisons(len(old) + len(new)).runs(old, new)


def in_order(numbers: Iterable[int]) -> set[int]:
    """As many of the numbers as stand in rising order."""
    ends: list[int] = []
    links: dict[int, int | None] = {}
    for number in numbers:
        place = bisect_right(ends, number)
        links[number] = ends[place - 1] if place else None
        ends[place : place + 1] = [number]
    result: set[int] = set()
    last = ends[-1] if ends else None
    while last is not None:
        result.add(last)
        last = links[last]
    return result


def _common(pairs: Iterable[tuple[Hashable, Hashable]]) -> int:
    count = 0
    for one, other in pairs:
        if one != other:
            break
        count += 1
    return count


def _is_empty(run: Run) -> bool:
    return all(start == end for start, end in run)


def _anchors(old: Sequence[Hashable], new: Sequence[Hashable]) -> Iterator[tuple[int, int]]:
    places = {item: place for place, item in enumerate(old)}
    many, theirs = Counter(old), Counter(new)
    pairs = {places[item]: place for place, item in enumerate(new) if many[item] == theirs[item] == 1}
    stayed = in_order(pairs)
    return ((before, after) for before, after in pairs.items() if before in stayed)


def _exact(old: Sequence[Hashable], new: Sequence[Hashable]) -> Iterator[Run]:
    gone, come = (0, 0), (0, 0)
    for code in [*Indel.opcodes(old, new), None]:
        if code is not None and code.tag != "equal":
            gone = (gone[0], code.src_end)
            come = (come[0], code.dest_end)
            continue
        if gone[0] < gone[1] or come[0] < come[1]:
            yield gone, come
        if code is not None:
            gone, come = (code.src_end,) * 2, (code.dest_end,) * 2


def _shifted(runs: Iterable[Run], to: Run) -> Iterator[Run]:
    (first, _), (second, _) = to
    return (((a + first, b + first), (c + second, d + second)) for (a, b), (c, d) in runs)


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

    No old part is two new ones. Time grows with the length of the texts, whatever they hold: of more than `MOST_PARTS`
    parts that stand in one text alone, each is another one. ``comparisons`` are those of the texts that the parts are
    of, if there are more of them.
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


def _make_pair(before: _Side, after: _Side, old: int, new: int) -> None:
    before.partner[old] = new
    after.partner[new] = old


def _match_unique(before: _Side, after: _Side) -> None:
    places = {text: number for number, text in enumerate(before.texts)}
    many, theirs = Counter(before.texts), Counter(after.texts)
    for new, text in enumerate(after.texts):
        if many[text] == theirs[text] == 1:
            _make_pair(before, after, places[text], new)


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
        _make_pair(before, after, old, new)
    return after.partner[new], new


def _is_free(side: _Side, number: int) -> bool:
    return 0 <= number < len(side.texts) and number not in side.partner


def _match_equal(before: _Side, after: _Side) -> None:
    waiting: dict[str, list[int]] = defaultdict(list)
    for old in reversed(before.free()):
        waiting[before.texts[old]].append(old)
    for new in after.free():
        if waiting[after.texts[new]]:
            _make_pair(before, after, waiting[after.texts[new]].pop(), new)


def _match_alike(before: _Side, after: _Side, comparisons: Comparisons) -> None:
    """The most similar pair first; of equally similar ones that with the fewest parts between."""
    if not before.free() or not after.free() or not comparisons.take(len(before.free()) + len(after.free())):
        return
    ranked = sorted(
        (-_similarity_of(before, old, after, new, comparisons), abs(old - new), new, old)
        for new, old in _candidates(before, after)
    )
    for negative, _, new, old in ranked:
        if negative and old not in before.partner and new not in after.partner:
            _make_pair(before, after, old, new)


def _candidates(before: _Side, after: _Side) -> Iterator[tuple[int, int]]:
    """Pairs worth comparing: parts that stand in the same place, and those with the most rare words in common."""
    uses: dict[str, list[int]] = defaultdict(list)
    for old in before.free():
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


def _similarity_of(before: _Side, old: int, after: _Side, new: int, comparisons: Comparisons) -> float:
    if len(before.texts[old]) > _SHORT and len(after.texts[new]) > _SHORT:
        return comparisons.similarity(before.words[old], after.words[new])
    return comparisons.similarity(before.texts[old], after.texts[new])
