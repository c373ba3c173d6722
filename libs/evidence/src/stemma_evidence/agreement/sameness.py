"""How sure it is that two values are of one thing."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from itertools import chain
from math import inf, log, sqrt

from .facts import Fact

_SUBJECTS = frozenset(("contract", "offer", "warranty", "pay", "insure", "respond", "repair", "train", "store"))
_BOUNDS = frozenset(("begin", "end"))
_YEAR = re.compile(r"=(?:19|20)[0-9]{2}(?:/[0-9]{2})?")
_WEIGHTS = (-3.7, 2.1, 0.8, 1.2, 0.2, 2.9, 1.0)
"""Of the features, in the logarithm of odds: fitted to values that thirteen bids state twice."""
_FEW, _COUNTED = 3, 1.0
"""What is counted so seldom is probably counted once, and what that says for two counts of it."""
_SLIP = 2.5
"""What it says of two values that they have the same digits in another order."""
_OTHER_SIZES = ((1.35, 0.7), (2, -0.3), (3, -1.5), (inf, -3.0))
_OTHER_DAYS = ((45, 0.7), (100, 0.0), (inf, -1.0))
"""What it says of two values that one is at most so many times the other, or so many days after it."""
_TELLING = 3
"""Digits that are not in another order by chance."""
_SMALL = 13
"""Below it a number is a count of anything."""
_YEAR_ALONE = 4
NEVER = -99.0


@dataclass(frozen=True)
class Rarity:
    """How often words and concepts are of facts, and values of one unit stand in one text."""

    often: Mapping[str, int]
    values: Mapping[tuple[str, frozenset[str]], int]
    counted: Mapping[str, int]
    facts: int

    @classmethod
    def of(cls, facts: Iterable[Fact]) -> "Rarity":
        """The rarity among some facts."""
        every = list(facts)
        often = Counter(word for fact in every for word in (*fact.weights, *fact.concepts))
        counted = Counter(chain.from_iterable(fact.counted for fact in every))
        return cls(often, Counter((fact.where, fact.units) for fact in every), counted, len(every))

    def __call__(self, word: str) -> float:
        """1 for a word of one fact, towards 0 for one of all."""
        return log(self.facts / max(self.often.get(word, 1), 1) + 1) / log(self.facts + 1)

    def sum(self, words: Iterable[str]) -> float:
        """The rarities of some words together."""
        return sum(map(self, words))

    def alone(self, one: Fact, other: Fact) -> float:
        """1 if each of two values is the only one of its unit in its text, less with more of them."""
        return 1 / sqrt(max(self.values[one.where, one.units], 1) * max(self.values[other.where, other.units], 1))


def features(one: Fact, other: Fact, rarity: Rarity) -> tuple[float, ...]:
    """What speaks for two values being of one thing; the first is the same for all."""
    shared = one.weights.keys() & other.weights.keys()
    close = sum(rarity(word) * min(one.weights[word], other.weights[word]) for word in shared)
    exact = rarity.sum(one.about & other.about)
    mine, theirs = rarity.sum(one.about) or 1, rarity.sum(other.about) or 1
    return (
        1.0,
        min(close, 3.0),
        exact / min(mine, theirs),
        exact / max(mine, theirs),
        min(rarity.sum(one.heads & other.heads), 1.5),
        min(rarity.sum(one.concepts & other.concepts), 2.0),
        rarity.alone(one, other),
    )


def sameness(one: Fact, other: Fact, rarity: Rarity) -> float:
    """The logarithm of the odds that two comparable values are of one thing; `NEVER` if they cannot be."""
    closeness = _closeness(one, other)
    if _cannot_be_one(one, other, is_slip=closeness == _SLIP):
        return NEVER
    found = sum(weight * value for weight, value in zip(_WEIGHTS, features(one, other, rarity), strict=True))
    few = any(rarity.counted[word] <= _FEW for word in one.counted & other.counted)
    return found + closeness + few * _COUNTED - sum(_doubts(one, other, is_slip=closeness == _SLIP))


def _cannot_be_one(one: Fact, other: Fact, *, is_slip: bool) -> bool:
    """Whether they count other things, hold for other years or parts, or have other words in one place."""
    if one.counted and one.counted.isdisjoint(other.counted):
        return True
    if one.claim and one.claim.kind == "date" and len(one.claim.values[0]) == _YEAR_ALONE:
        return True
    return _hold_elsewhere(one, other) or (not is_slip and _have_rivals(one, other, ("before ", "behind ")))


def _doubts(one: Fact, other: Fact, *, is_slip: bool) -> Iterator[float]:
    """What speaks against it, each by how much."""
    if one.counted and max(*one.numbers, *other.numbers) < _SMALL:
        yield 3
    if one.is_time:
        yield 2
    if one.claim and other.claim and one.claim.kind == "quantity" and one.claim.units != other.claim.units:
        yield 1
    if one.rate != other.rate and (one.rate or other.rate) not in (other.weights if one.rate else one.weights):
        yield 3
    bounds = (one.concepts & _BOUNDS, other.concepts & _BOUNDS)
    if all(bounds) and bounds[0].isdisjoint(bounds[1]):
        yield 4
    if not is_slip and _have_rivals(one, other, ("",)):
        yield 3
    subjects = (one.concepts & _SUBJECTS, other.concepts & _SUBJECTS)
    if all(subjects) and subjects[0].isdisjoint(subjects[1]):
        yield 2


def _hold_elsewhere(one: Fact, other: Fact) -> bool:
    """Whether two facts hold for different years or parts: in 2025 and 2026, in phase 1 and phase 2."""
    mine, theirs = _scopes(one), _scopes(other)
    return any(mine[noun].isdisjoint(theirs[noun]) for noun in mine.keys() & theirs.keys())


def _scopes(fact: Fact) -> Mapping[str, set[str]]:
    found = defaultdict[str, set[str]](set)
    for word in fact.scope:
        if word[0] == "#":
            noun, _, number = word.rpartition(" ")
            found[noun].add(number)
        elif _YEAR.fullmatch(word):
            found["year"].add(word[1:5])
    return found


def _have_rivals(one: Fact, other: Fact, places: tuple[str, ...]) -> bool:
    """Whether two words have one place: ``senior`` and ``junior consultant``, ``in Graz`` and ``in Linz``."""
    mine, theirs = (frozenset(chain(fact.about, *fact.bound.values())) for fact in (one, other))
    return any(
        one.bound[head].isdisjoint(other.bound[head]) and one.bound[head] - theirs and other.bound[head] - mine
        for head in one.bound.keys() & other.bound.keys()
        if head.startswith(places)
    )


def _closeness(one: Fact, other: Fact) -> float:
    """How near two values are: a mistake changes a digit or two, other things have other sizes."""
    if one.claim is None or other.claim is None:
        return 0
    if one.claim.kind == "date":
        return _days_say(one.claim.values[0], other.claim.values[0])
    mine, theirs = (max(Decimal(value.partition(" ")[0]) for value in fact.values) for fact in (one, other))
    if len(_digits(mine)) >= _TELLING and _digits(mine) == _digits(theirs):
        return _SLIP
    ratio = float(max(mine, theirs) / min(mine, theirs)) if min(mine, theirs) > 0 else _OTHER_SIZES[-1][0]
    return next(says for most, says in _OTHER_SIZES if ratio <= most)


def _digits(number: Decimal) -> list[str]:
    return sorted(format(number.normalize(), "f").replace(".", "").strip("0"))


def _days_say(one: str, other: str) -> float:
    try:
        apart = abs((date.fromisoformat(one) - date.fromisoformat(other)).days)
    except ValueError:
        return 0
    return next(says for most, says in _OTHER_DAYS if apart <= most)
