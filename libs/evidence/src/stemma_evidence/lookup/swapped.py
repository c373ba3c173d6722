"""Values of the sources that a draft says of something else than they do."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import log
from typing import NamedTuple

from stemma_evidence.claims.claim import Claim
from stemma_evidence.sources.contexts import COMPARED, Context, comparable
from stemma_evidence.sources.source import Source

from .index import Found, keys

Stated = Sequence[tuple[Claim, Context, bool]]
"""Claims of a draft with what they are about, and whether the sources have their values only after arithmetic."""

_MOST_PLACES = 60
"""A word that stands with more claims of a kind than these tells nothing of any."""
_MOST_ALIKE = 20
"""Claims of a draft with one value that are compared with the others."""
_FAR = 0.5
"""What a word counts that is only around a claim, against one that is near it."""
_MOST_OF_FAR = 1.0
"""What all such words count together."""

# Of the clean drafts of the corpus no pair of claims comes near the first two, no claim by itself near the others.
_BOTH = 0.2
_ONE_OF_BOTH = 0.9
_AGAINST = -0.25


class _Limits(NamedTuple):
    """How much the sources may say a value of what the claim is about, and by how much more another one."""

    own: float
    margin: float


_ALONE = _Limits(own=0.5, margin=1.2)
"""More than one word alone can be worth."""
_REPEATED = _Limits(own=1.0, margin=0.3)
_VAGUE = _Limits(own=0.2, margin=0.5)


class SwappedValues:
    """What the claims of the sources are about, to compare those of a draft with."""

    def __init__(self, sources: Iterable[Source]) -> None:
        self._places: dict[str, list[tuple[Source, Claim, Context]]] = defaultdict(list)
        self._of_term: dict[tuple[str, str], list[int]] = defaultdict(list)
        self._dates: set[str] = set()
        for source in sources:
            for claim, context in zip(source.claims, source.contexts, strict=True):
                if claim.kind in COMPARED:
                    for term in context.near | context.around:
                        self._of_term[claim.kind, term].append(len(self._places[claim.kind]))
                    self._dates.update(claim.values if claim.kind == "date" else ())
                    self._places[claim.kind].append((source, claim, context))

    def found(self, stated: Stated) -> dict[int, Found]:
        """Which claims of a draft, by their index, the sources say of something else, and what they say instead."""
        bearings = [_Bearing(claim, self._scores(claim, context)) for claim, context, _ in stated]
        said = Counter(value for claim, *_ in stated for value in keys(claim))
        found: dict[int, Found] = {}
        for one, other in _pairs(bearings):
            if rivals := _swapped(bearings[one], bearings[other]):
                found[one], found[other] = rivals
        for number, bearing in enumerate(bearings):
            if (
                number not in found
                and not stated[number][2]
                and (rival := bearing.misplaced(said, literal=self._is_literal(bearing.claim)))
            ):
                found[number] = rival
        return found

    def _is_literal(self, claim: Claim) -> bool:
        """Whether the sources have the value as it is: a half year may only follow from a day."""
        return claim.kind != "date" or not self._dates.isdisjoint(claim.values)

    def _scores(self, claim: Claim, context: Context) -> Iterator[tuple[Found, float]]:
        """The places of claims that could stand for this one, with how much what they are about is the same."""
        places = self._places[claim.kind]
        close: dict[int, float] = defaultdict(float)
        far: dict[int, float] = defaultdict(float)
        for term in context.near | context.around:
            standing = self._of_term.get((claim.kind, term), ())
            if not 0 < len(standing) <= _MOST_PLACES:
                continue
            rarity = log(1 + len(places) / len(standing)) / log(1 + len(places))
            near = term in context.near
            for place in standing:
                if near and term in places[place][2].near:
                    close[place] += rarity
                else:
                    far[place] += rarity * (_FAR if near or term in places[place][2].near else _FAR**2)
        for place in close.keys() | far.keys():
            source, other, _ = places[place]
            if comparable(claim, other):
                score = close[place] + min(far[place], _MOST_OF_FAR)
                yield Found(source, source.place(other.line), other.text, other), score


class _Bearing:
    """A claim of a draft, and for each value of the sources how much the best place that has it bears on the claim."""

    def __init__(self, claim: Claim, scores: Iterable[tuple[Found, float]]) -> None:
        self.claim = claim
        self._best: dict[str, tuple[float, Found]] = {}
        own = 0.0
        for found, score in scores:
            assert found.claim is not None
            if not set(keys(found.claim)).isdisjoint(claim.values):
                own = max(own, score)
            elif score > self._best.get(found.claim.values[0], (0, None))[0]:
                self._best[found.claim.values[0]] = (score, found)
        self._own = own

    def rivals(self) -> Iterable[str]:
        """The values that the sources have in words of the claim."""
        return self._best.keys()

    def towards(self, other: Claim) -> tuple[float, Found | None]:
        """By how much more the claim's words are those of another one, and where."""
        score, found = max((self._best[v] for v in other.values if v in self._best), key=_score, default=(0.0, None))
        return score - self._own, found

    def misplaced(self, said: Mapping[str, int], *, literal: bool) -> Found | None:
        """What the sources say instead, if it is clear without a second claim.

        Less is enough if the value does not stand there as it is, but follows from a day, as its half year does; or
        if the draft, whose values ``said`` counts, says nowhere else what belongs here, but says this value twice.
        """
        score, found = max(self._best.values(), key=_score, default=(0.0, None))
        if found is None or found.claim is None:
            return None
        absent = not any(said.get(value) for value in found.claim.values)
        repeated = any(said.get(value, 0) > 1 for value in self.claim.values)
        limits = _VAGUE if not literal else _REPEATED if absent and repeated else _ALONE
        return found if self._own <= limits.own and score - self._own >= limits.margin else None


def _score(best: tuple[float, Found | None]) -> float:
    return best[0]


def _pairs(bearings: Sequence[_Bearing]) -> Iterator[tuple[int, int]]:
    """Claims of which one stands in words that the sources have for the value of the other."""
    of_value: dict[str, list[int]] = defaultdict(list)
    for number, bearing in enumerate(bearings):
        for value in bearing.claim.values:
            of_value[value].append(number)
    for one, bearing in enumerate(bearings):
        for value in bearing.rivals():
            yield from ((one, other) for other in of_value.get(value, ())[:_MOST_ALIKE] if other != one)


def _swapped(one: _Bearing, other: _Bearing) -> tuple[Found, Found] | None:
    """What the sources say in the places of two claims that stand each where the other belongs."""
    if not comparable(one.claim, other.claim) or not set(one.claim.values).isdisjoint(other.claim.values):
        return None
    (crossed, there), (back, here) = one.towards(other.claim), other.towards(one.claim)
    least = _BOTH if there and here else _ONE_OF_BOTH
    told = (there or here, here or there)
    if min(crossed, back) < _AGAINST or crossed + back < least or told[0] is None or told[1] is None:
        return None
    return told[0], told[1]
