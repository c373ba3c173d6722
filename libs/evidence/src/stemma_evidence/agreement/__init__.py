"""Where texts disagree about one fact: one thing with two dates, amounts, durations, counts, names or meanings."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, islice, permutations

from stemma_evidence.sources.contexts import comparable
from stemma_evidence.sources.source import Source, kept_with_source

from .facts import Fact, values_of
from .meanings import Unexplained, terms_of, unexplained
from .roles import have_one_role, roles_of
from .sameness import NEVER, Rarity, sameness

__all__ = ["MOST_FACTS", "Disagreement", "Fact", "Unexplained", "disagreements", "unexplained"]

MOST_FACTS = 5000
_OFTEN = 40
"""A word of more facts finds none: each fact is compared with a bounded number of others."""
_ALIKE = 0.6
"""The share of words in common from which on two explanations are one."""
_TWO = 2
_DAY = len("--06-01")
_LARGE = 20
_LEAST = -0.5
"""The logarithm of odds from which on two values are of one thing; the next of a text counts alone."""


@dataclass(frozen=True)
class Disagreement:
    """Two statements of one fact."""

    one: Fact
    other: Fact


_Near = defaultdict[str, list[tuple[float, int]]]
"""The facts that are of the same thing, by their texts, each with how sure that is."""


def disagreements(texts: Sequence[Source]) -> Iterator[Disagreement]:
    """The facts that two of the texts state differently, each pair of values once.

    A value that the other text has, too, differs from nothing there; what three texts state in three ways is a series.
    Of more facts than `MOST_FACTS` the first count.
    """
    facts = list(islice(chain.from_iterable(map(facts_of, texts)), MOST_FACTS))
    rarity = Rarity.of(facts)
    near = defaultdict[int, _Near](lambda: defaultdict(list))
    confirmed = _confirmed(facts)
    for first, second in _candidates(facts):
        one, other = facts[first], facts[second]
        if one.where == other.where or (first, other.where) in confirmed or (second, one.where) in confirmed:
            continue
        score = _nearness(one, other, rarity)
        if score > _LEAST:
            near[first][other.where].append((score, second))
            near[second][one.where].append((score, first))
    told = set[tuple[str, frozenset[str], str, frozenset[str]]]()
    for first, second in _mutual(facts, near):
        one, other = facts[first], facts[second]
        key = (one.where, _value(one), other.where, _value(other))
        if key not in told:
            told.add(key)
            yield Disagreement(one, other)


def _mutual(facts: Sequence[Fact], near: Mapping[int, _Near]) -> Iterator[tuple[int, int]]:
    """The facts of which each is the nearest to the other one in its text, and that are no part of a series."""
    for one, texts in near.items():
        others = [other for found in texts.values() if (other := _counterpart(one, found, facts)) is not None]
        if len({_value(facts[one]), *(_value(facts[other]) for other in others)}) == _TWO:
            where = facts[one].where
            yield from (
                (one, other)
                for other in others
                if one < other and _counterpart(other, near[other][where], facts) == one
            )


def _counterpart(one: int, found: Sequence[tuple[float, int]], facts: Sequence[Fact]) -> int | None:
    """The nearest fact of another text with another value; None if the text has one with the same."""
    if any(not _differ(facts[one], facts[other]) for _, other in found):
        return None
    return max(found, key=lambda pair: (pair[0], -pair[1]))[1] if found else None


def _confirmed(facts: Sequence[Fact]) -> set[tuple[int, str]]:
    """The facts whose value another text states, too, with these texts: they hardly contradict those in another way."""
    by_value = defaultdict[str, list[int]](list)
    for number, fact in enumerate(facts):
        for value in fact.values if _is_telling(fact) else ():
            by_value[value].append(number)
    return {
        (one, facts[other].where) for same in by_value.values() if len(same) <= _OFTEN for one in same for other in same
    }


def _is_telling(fact: Fact) -> bool:
    """Whether its value is hardly stated of two things by chance, as small numbers and months are."""
    if fact.claim is None:
        return False
    if fact.claim.kind == "date":
        return len(fact.claim.values[0]) >= _DAY
    return fact.claim.kind == "amount" or max(fact.numbers) >= _LARGE


@kept_with_source
def facts_of(source: Source) -> tuple[Fact, ...]:
    """What a text states in exact values, of who has which role, and of what a term means."""
    return (*values_of(source), *roles_of(source), *terms_of(source))


def _candidates(facts: Sequence[Fact]) -> Iterator[tuple[int, int]]:
    by_word = defaultdict[tuple[str, str], list[int]](list)
    for number, fact in enumerate(facts):
        for word in (*fact.about, *fact.concepts):
            by_word[fact.kind, word].append(number)
    few = (numbers for numbers in by_word.values() if len(numbers) <= _OFTEN)
    yield from sorted({pair for numbers in few for pair in combinations(numbers, 2)})


def _value(fact: Fact) -> frozenset[str]:
    return fact.values or frozenset((fact.text,))


def _differ(one: Fact, other: Fact) -> bool:
    if one.kind == "role":
        return not set(one.text.casefold().split()) & set(other.text.casefold().split())
    if one.claim and one.claim.kind == "date":  # the one may be less exact: a month and a day in it
        return not any(
            mine.startswith(theirs) or theirs.startswith(mine) for mine in one.values for theirs in other.values
        )
    if one.kind == "value":
        return one.values.isdisjoint(other.values)
    return len(one.words & other.words) < _ALIKE * min(len(one.words), len(other.words))


def _are_comparable(one: Fact, other: Fact) -> bool:
    """Whether two values could stand in each other's place."""
    if one.claim is None or other.claim is None:
        return False
    if one.claim.kind == other.claim.kind == "quantity":
        return bool(one.units & other.units)
    return comparable(one.claim, other.claim)


def _nearness(one: Fact, other: Fact, rarity: Rarity) -> float:
    """How sure it is that two facts are of one thing."""
    if one.kind != other.kind:
        return NEVER
    if one.kind == "role":
        return 0 if have_one_role(one, other) else NEVER
    if one.kind == "term":
        return 0 if one.about == other.about else NEVER
    return sameness(one, other, rarity) if _are_comparable(one, other) else NEVER
