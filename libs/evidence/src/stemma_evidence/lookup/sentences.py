"""Sentences of a draft that say otherwise than the sentence of a source that they are about.

A sentence is compared with those of the sources that have most of its words: for how many it holds, whether it is
denied, when, how often, who does it, what a figure is of, and whether it is a fact, a plan or a promise.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, permutations, takewhile
from math import log
from typing import Literal, NamedTuple

from stemma_languages import mode_words

from stemma_evidence.claims.claim import Claim
from stemma_evidence.claims.modes import DAYS
from stemma_evidence.claims.quotations import folded
from stemma_evidence.claims.vocabulary import LANGUAGES
from stemma_evidence.sources.contexts import comparable
from stemma_evidence.sources.source import Source

from .clauses import Clause, Said, sentences_of

Why = Literal[
    "quantifier", "negation", "time", "rate", "figure", "promise", "actor", "ordinal", "fraction", "permission", "words"
]
_MOST_PLACES = 60
_MOST_CANDIDATES = 4
_NEAR = 0.8
_HALF, _MOST, _SAME, _NEARLY_ALL = 0.5, 0.6, 0.65, 0.75
_EXACT, _ROUGH, _BESIDE = 0.01, 0.06, 0.2
_MARGIN = 0.1
_LEAST_WORDS, _FEW = 3, 0.3
_OF_SUBJECT = 2
_FAR = 0.5
_MOST_SHARES = 12
_MOST_DAYS = 31
_REFUSED = frozenset(("only", "notall"))
_SIDE = {"before": "early", "early": "early", "late": "late", "least": "least", "atmost": "atmost", "all": "all"}
_OPPOSITE = {"early": "late", "late": "early", "least": "atmost", "atmost": "least", "all": ""}
_RATES = frozenset(("year", "month", "week", "day", "hour"))
_NO_COUNTS = frozenset(("percent", "second", "minute", "hour", "day", "working-day", "week", "month", "year"))
_DAYS, _SPAN = frozenset(DAYS), 3
_TIMES = frozenset(("x1", "x2", "x3"))
_PLANS = frozenset(("will", "want", "must", "if"))


@dataclass(frozen=True, slots=True)
class Doubt:
    """A sentence that no source bears out, with what one says; ``soft``: it may only be worded otherwise."""

    text: str
    line: int
    why: Why
    soft: bool = False
    source: Source | None = None
    said: Said | None = None


def doubts(draft: Source, sources: Iterable[Source]) -> tuple[Doubt, ...]:
    """The sentences of a draft that say otherwise than the sources of its language, each with the first reason."""
    if draft.language not in LANGUAGES:
        return ()
    given = list(sources)
    compared = [source for source in given if source.language == draft.language]
    known = _Known(compared, are_all=bool(given) and len(compared) == len(given))
    return tuple(doubt for said in sentences_of(draft) if (doubt := known.doubt(said)))


class _Candidate(NamedTuple):
    """A sentence of a source, the clause of it that is meant, and the share of words that it has in common."""

    source: Source
    said: Said
    clause: Clause
    before: Clause
    share: float

    @property
    def is_of_the_one_before(self) -> bool:
        """Whether the sentence begins with a pronoun."""
        return self._first in mode_words(self.source.language).pronouns

    @property
    def is_of_each_one(self) -> bool:
        """Whether the sentence begins with an indefinite article, as in "A meal costs"."""
        return self._first in mode_words(self.source.language).articles

    @property
    def _first(self) -> str:
        return self.said.text.split(maxsplit=1)[0].casefold()


class _Known:
    """The sentences of sources by their words."""

    def __init__(self, sources: Iterable[Source], *, are_all: bool) -> None:
        self._are_all = are_all
        self._said = [(source, said) for source in sources for said in sentences_of(source)]
        self._of_term: dict[str, list[int]] = defaultdict(list)
        self._wordings = {folded(said.text).casefold() for _, said in self._said}
        for number, (_, said) in enumerate(self._said):
            for term in set(said.whole.terms):
                self._of_term[term].append(number)
        self._fractions = {one for _, said in self._said for one in said.whole.fractions}
        self._ordinals = {number for _, said in self._said for number, _ in said.whole.ordinals}
        self._of_value: dict[str, list[int]] = defaultdict(list)
        for number, (_, said) in enumerate(self._said):
            for value in said.whole.measures:
                self._of_value[value].append(number)

    def doubt(self, said: Said) -> Doubt | None:
        """Why a sentence of a draft is not borne out; None if nothing speaks against it."""
        if folded(said.text).casefold() in self._wordings:
            return None
        found: Doubt | None = None
        for clause in said.clauses:
            candidates = self._candidates(clause)
            for why, soft in self._reasons(clause, said, candidates):
                one = candidates[0] if candidates else None
                doubt = Doubt(said.text, said.line, why, soft, one and one.source, one and one.said)
                if not soft:
                    return doubt
                found = found or doubt
        if found is None and self._are_all and self._is_of_nothing_known(said):
            return Doubt(said.text, said.line, "words", soft=True)
        return found

    def _is_of_nothing_known(self, said: Said) -> bool:
        """Whether the sources have hardly a word of a sentence, wherever it stands."""
        own = {term for term in said.whole.terms if term[0] != "="}
        known = sum(term in self._of_term for term in own)
        return len(own) >= _LEAST_WORDS and known < _FEW * len(own)

    def _weight(self, term: str) -> float:
        places = len(self._of_term.get(term, ()))
        return log(1 + len(self._said) / places) / log(1 + len(self._said)) if places else 1.0

    def _candidates(self, clause: Clause) -> list[_Candidate]:
        """The sentences that have most of the words of a clause, the best first."""
        own = frozenset(clause.terms)
        scores: dict[int, float] = defaultdict(float)
        for term in own:
            places = self._of_term.get(term, ())
            for number in places if len(places) <= _MOST_PLACES else ():
                scores[number] += self._weight(term)
        if not scores:
            return []
        best = max(scores.values())
        near = sorted((n for n in scores if scores[n] >= _NEAR * best), key=lambda n: (-scores[n], n))
        total = sum(map(self._weight, own))
        return [one for n in near[:_MOST_CANDIDATES] for one in self._meant(n, own, scores[n] / total)]

    def _meant(self, number: int, own: frozenset[str], share: float) -> Iterator[_Candidate]:
        """A sentence with each of its clauses that has about as many of the words as the best one."""
        source, said = self._said[number]
        earlier = self._said[number - 1] if number else None
        before = earlier[1].whole if earlier and earlier[0] is source else Clause()
        subject = said.clauses[0].terms[:_OF_SUBJECT]  # Of whom the first clause speaks, the others may as well.
        common = [sum(map(self._weight, own.intersection((*subject, *clause.terms)))) for clause in said.clauses]
        for clause, score in zip(said.clauses, common, strict=True):
            if score >= _NEAR * max(common):
                yield _Candidate(source, said, clause, before, share)

    def _reasons(self, clause: Clause, said: Said, candidates: Sequence[_Candidate]) -> Iterator[tuple[Why, bool]]:
        yield from self._alone(clause, candidates)
        own = frozenset(clause.terms)
        close = [c for c in candidates if c.share >= _HALF and len(own.intersection(c.said.whole.terms)) > 1]
        if not close:
            return
        for why, rule in _RULES.items():
            results = [rule(clause, said.whole, candidate) for candidate in close]
            if all(result is not None for result in results):
                yield why, any(results) or close[0].share < _MOST
        if all(self._has_another_actor(clause, c) for c in close):
            yield "actor", False

    def _alone(self, clause: Clause, candidates: Sequence[_Candidate]) -> Iterator[tuple[Why, bool]]:
        """What a source has to say in as many words, whichever sentence it is."""
        if "guarantee" in clause.modes and not any("guarantee" in c.said.whole.modes for c in candidates):
            yield "promise", False
        is_agreed = "agreed" in clause.modes and clause.modes & {"done", "is"} and not clause.modes & (_PLANS | {"not"})
        if is_agreed and not any("agreed" in c.clause.modes for c in candidates):
            yield "promise", False
        if any(number > _MOST_DAYS and number not in self._ordinals for number, _ in clause.ordinals):
            yield "ordinal", False
        if not all(self._has_share(one, clause, candidates) for one in clause.fractions):
            yield "fraction", False
        if any(self._is_of_another(claim, clause) for claim in clause.values if claim.numbers):
            yield "figure", False

    def _has_share(self, share: Fraction, clause: Clause, candidates: Sequence[_Candidate]) -> bool:
        """Whether the sources have a fraction, what is left of it, or numbers that come to it."""
        if share in self._fractions:
            return True
        if 1 - share in self._fractions:
            own = set(clause.terms)
            return not any(1 - share in c.clause.fractions and own <= set(c.clause.terms) for c in candidates)
        if any(c.said.whole.fractions and c.share >= _HALF for c in candidates):
            return False
        reach = _ROUGH if "hedged" in clause.modes else _EXACT
        low, high = (_BESIDE if mode in clause.modes else reach for mode in ("below", "above"))
        told = chain.from_iterable(_shares(c.said.whole.values) for c in candidates)
        return any(-low <= one - float(share) <= high for one in told)

    def _is_of_another(self, claim: Claim, own: Clause) -> bool:
        """Whether a figure stands in words that the sources have for something else, and in none of its own."""
        words = frozenset(term for term in own.terms if term[0] != "=")
        is_total = "total" in own.modes and claim.kind == "amount"
        if not (words or is_total) or sum(comparable(claim, other) for other in own.values) > 1:
            return False
        here, there, is_said = 0.0, 0.0, False
        for said, clause in self._stating(claim, words):
            score = sum(map(self._weight, words.intersection(clause.terms)))
            if set(claim.values).intersection(clause.measures):
                is_said, is_total = True, is_total and "total" not in said.whole.modes
                here = max(here, score, _FAR * sum(map(self._weight, words.intersection(said.whole.terms))))
            elif any(comparable(claim, other) for other in clause.values) or (
                claim.kind == "amount" and words <= set(clause.terms)
            ):
                there = max(there, score)
        is_of_each = "each" in own.modes and claim.kind == "amount"
        if is_said and (is_total or is_of_each) and not here:
            return True
        if not claim.units and here:
            return False
        return is_said and there > here + _MARGIN and there >= 2 * here

    def _stating(self, claim: Claim, own: frozenset[str]) -> Iterator[tuple[Said, Clause]]:
        """The clauses that state a value, or in words of its clause another one."""
        numbers = set[int]()
        for places in chain(
            (self._of_value.get(value, ()) for value in claim.values), (self._of_term.get(term, ()) for term in own)
        ):
            numbers.update(places if len(places) <= _MOST_PLACES else ())
        for number in sorted(numbers):
            said = self._said[number][1]
            yield from ((said, clause) for clause in said.clauses)

    def _has_another_actor(self, clause: Clause, known: _Candidate) -> bool:
        """Whether who acts is somebody else of the sources than in the sentence that says so."""
        theirs = known.said.terms_up_to(known.clause)
        actor = list(takewhile(lambda term: term not in theirs and term in self._of_term, clause.terms))
        others = set(clause.terms[len(actor) :])
        return (
            bool(known.clause.terms)
            and any(term[0] != "=" for term in actor)
            and known.clause.terms[0] not in clause.terms
            and not (known.is_of_the_one_before and actor[0] in known.before.terms)
            and sum(term[0] != "=" for term in others) > 1
            and len(others.intersection(known.clause.terms)) >= _NEARLY_ALL * len(others)
        )


def _shares(values: Sequence[Claim]) -> Iterator[float]:
    """What shares the figures of a sentence tell: percentages, and one number of another."""
    measures = [claim for claim in values if claim.numbers and claim.numbers[0] > 0][:_MOST_SHARES]
    for claim in measures:
        if "percent" in claim.units:
            yield from (float(claim.numbers[0]) / 100, 1 - float(claim.numbers[0]) / 100)
    for one, other in permutations(measures, 2):
        if one.numbers[0] < other.numbers[0] and comparable(one, other):
            yield float(one.numbers[0] / other.numbers[0])


def _quantifier(own: Clause, whole: Clause, known: _Candidate) -> bool | None:
    """False if a sentence clearly says it of more, or of fewer; True if it may; None if not."""
    theirs = known.said.whole.modes
    if own.modes & _REFUSED:
        return None
    if "only" in theirs:
        return False if "all" in own.modes else None
    if "all" in own.modes and "notall" in known.clause.modes:
        return False
    if "all" in own.modes and not theirs & {"all", "each"}:
        return not (_counts_fewer(own, known) or theirs & {"some", "most", "notall"} or known.clause.fractions)
    if "none" in own.modes and "some" not in own.modes and theirs & {"some", "most"} and "not" not in theirs:
        return False
    if "most" in own.modes and not theirs & {"most", "all"}:
        return "some" not in theirs
    if "several" in own.modes and not theirs & {"some", "most", "all", "several"}:
        return "one" not in known.clause.modes
    return None


def _counts_fewer(own: Clause, known: _Candidate) -> bool:
    """Whether the source counts others than all of those that a sentence counts."""
    every = {term for one in own.ahead if one.mode == "all" for term in one.terms if term[0] == "="}
    theirs = known.clause
    return bool(every and (theirs.counts or theirs.measures - own.measures)) or bool(
        own.counts and theirs.counts - own.counts
    )


def _negation(own: Clause, whole: Clause, known: _Candidate) -> bool | None:
    ours, theirs = own.modes, known.clause.modes
    denied = "not" in theirs
    if (ours | whole.modes | theirs) & {"notall"} or ours & {"only"}:
        return None
    if "not" in ours and "without" in ours and theirs & _PLANS:
        return None
    if "without" in (ours | whole.modes if denied else theirs):
        return None
    if denied == ("not" in ours) or denied == ("not" in whole.modes):
        return None
    if "only" in theirs:
        return not set(own.terms) <= set(known.said.whole.terms)
    return known.share < _SAME or bool(own.counts - known.clause.counts)


def _time(own: Clause, whole: Clause, known: _Candidate) -> bool | None:
    if (days := own.modes & _DAYS) and (theirs := known.said.whole.modes & _DAYS) and not days <= _spanned(theirs):
        return False
    for one in own.ahead:
        sides = {_SIDE[other.mode] for other in known.said.whole.ahead if one.terms & other.terms}
        if _SIDE[one.mode] not in sides and _OPPOSITE[_SIDE[one.mode]] in sides:
            return False
    return None


def _spanned(days: frozenset[str]) -> frozenset[str]:
    """Some days of the week; two of them may be the first and the last."""
    first, last = (sorted(map(DAYS.index, days)) * 2)[:2] if len(days) < _SPAN else (0, -1)
    return days | frozenset(DAYS[first : last + 1])


def _permission(own: Clause, whole: Clause, known: _Candidate) -> bool | None:
    """A duty that a source leaves open, or a right where it has a duty."""
    ours, theirs = (modes & {"may", "must"} for modes in (own.modes, known.clause.modes))
    if "not" in own.modes | known.clause.modes or len(ours) != 1 or len(theirs) != 1:
        return None
    return None if ours == theirs else False


def _rate(own: Clause, whole: Clause, known: _Candidate) -> bool | None:
    theirs = known.clause.modes
    ours, rates = own.modes & _RATES, theirs & _RATES
    if ours and rates:
        return False if not ours & rates else _times(own, known)
    shares_a_value = bool(own.measures & known.said.whole.measures)
    if ours and not known.said.whole.modes & _RATES:
        return not shares_a_value
    is_once = "one-off" in own.modes or ("x1" in own.modes and not ours and bool(own.measures))
    if is_once and rates:
        return False
    is_of_each = rates or theirs & {"each", "all"} or known.is_of_each_one
    if "each" in own.modes and not is_of_each and _counts(own) & known.said.whole.measures:
        return False
    if shares_a_value and "total" in own.modes and "total" not in theirs:
        is_said_of_it = {term for term in own.terms if term[0] != "="} & set(known.said.whole.terms)
        return False if "each" in theirs or not is_said_of_it else None
    return None


def _counts(own: Clause) -> frozenset[str]:
    """What it counts and what it costs; no shares and no spans of time."""
    return frozenset(value for value in own.measures if value.rpartition(" ")[2] not in _NO_COUNTS)


def _times(own: Clause, known: _Candidate) -> bool | None:
    ours, theirs = own.modes & _TIMES, known.clause.modes & _TIMES
    return False if ours and theirs and ours != theirs else None


def _promise(own: Clause, whole: Clause, known: _Candidate) -> bool | None:
    """A fact that is a plan, or on a condition, where the source says so."""
    theirs = known.clause.modes | (known.said.whole.modes & {"if"})
    if (own.modes | whole.modes) & (_PLANS | {"not"}) or not theirs & _PLANS:
        return None
    return not ("done" in own.modes or "if" in theirs)


def _ordinal(own: Clause, whole: Clause, known: _Candidate) -> bool | None:
    ours, theirs = {n for n, _ in own.ordinals}, {n for n, _ in known.said.whole.ordinals}
    return False if ours and theirs and not ours & theirs else None


_RULES: dict[Why, Callable[[Clause, Clause, _Candidate], bool | None]] = {
    "quantifier": _quantifier,
    "negation": _negation,
    "time": _time,
    "rate": _rate,
    "promise": _promise,
    "permission": _permission,
    "ordinal": _ordinal,
}
"""None: nothing differs; False: it does; True: perhaps only the words do."""
