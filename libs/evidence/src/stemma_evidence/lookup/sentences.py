"""Sentences of a draft that say otherwise than the sentence of a source that they are about.

A sentence is compared with those of the sources that have most of its words: for how many it holds, whether it is
denied, when, how often, who does it, what a figure is of, and whether it is a fact, a plan or a promise.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, pairwise, permutations, takewhile
from math import log
from typing import Literal, NamedTuple

from stemma_evidence.claims.claim import Claim
from stemma_evidence.claims.modes import LANGUAGES, Word, words
from stemma_evidence.claims.numerals import is_number
from stemma_evidence.claims.quotations import folded
from stemma_evidence.claims.vocabulary import HEDGES, TITLES
from stemma_evidence.sources.contexts import COMPARED, comparable, plain
from stemma_evidence.sources.source import Source, kept_with_source
from stemma_evidence.sources.words import stemmed

Why = Literal["quantifier", "negation", "time", "rate", "figure", "promise", "actor", "ordinal", "fraction"]


def _ends(digits: int) -> re.Pattern[str]:
    """Where a sentence, a block, an item or a cell ends; after fewer ``digits`` a point may be of an ordinal."""
    after = rf"(?:(?<=[^\W\d_]{{2}})|(?<=[0-9]{{{digits}}})|(?<=[%)”\"»€]))"
    mark = r"[.!?…]+[ \u00a0]?[\"”»)]{0,2}\s+(?=[^\Wa-zà-öø-ÿ_]|[„“«\"($€£¥])"
    block = r"\n[ >]{0,12}\n|\n(?=[ >]{0,12}(?:[-*+#|]|[0-9]{1,3}[.)])[ ])|\|"
    return re.compile(f"{after}{mark}|{block}")


_END, _END_GERMAN = _ends(1), _ends(3)
_CLAUSE = re.compile(
    r"[;:]|,(?=\s)|(?<!\w)(?:and|but|while|whereas|und|aber|während|sondern|et|mais|tandis|y|pero|mientras|e|ma|mentre)"
    r"(?!\w)"
)
_HEADING = re.compile(r"[ >]{0,12}#{1,6}[ ]")
_MOST_PLACES = 60
_MOST_CANDIDATES = 4
_NEAR = 0.8
_SHORTEST, _LONGEST = 8, 2000
_HALF, _MOST, _SAME, _NEARLY_ALL = 0.5, 0.6, 0.65, 0.75
_EXACT, _ROUGH = 0.01, 0.06
_MARGIN = 0.1
_OF_SUBJECT = 2
_FAR = 0.5
_MOST_SHARES = 12
_MOST_DAYS = 31
_REACH = 3
_MOST_VALUES = 1000
_FIRST_VALUE = 0xE000
_ENDING = 9
_PIECE = re.compile(r"[^\W_]+")
_TITLES = frozenset(title.casefold() for title in TITLES)
_DIGIT = re.compile(r"[0-9]")
_REFUSED = frozenset(("only", "notall"))
_WITH_CONTENT = frozenset(("guarantee", "agreed", "want", "not"))
_LEADING = frozenset(("before", "early", "late", "least", "atmost", "all"))
_OF_VALUES = frozenset(("by", "from", "dal"))
"""Words that say when only before a date or a time."""
_SIDE = {"before": "early", "early": "early", "late": "late", "least": "least", "atmost": "atmost", "all": "all"}
_OPPOSITE = {"early": "late", "late": "early", "least": "atmost", "atmost": "least", "all": ""}
_RATES = frozenset(("year", "month", "week", "day", "hour"))
_NO_COUNTS = frozenset(("percent", "second", "minute", "hour", "day", "working-day", "week", "month", "year"))
_TIMES = frozenset(("x1", "x2", "x3"))
_OBJECT_BEGINS = frozenset("the a an our its his her their this these".split())
"""After ``approved`` they tell that somebody did it: in English it looks like a participle."""
_PRONOUNS = frozenset(
    "it they he she this these its their sie es er diese dieser dieses davon elle il elles ils ce cette".split()
)
_ARTICLES = frozenset("a an one ein eine un une una uno".split())
_PLANS = frozenset(("will", "want", "must", "if"))


class Ahead(NamedTuple):
    """A word that says when or how much, with the words and values right behind it."""

    mode: str
    terms: frozenset[str]


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence: the words with content in their order, and what marks how it holds."""

    terms: tuple[str, ...] = ()
    modes: frozenset[str] = frozenset()
    ahead: tuple[Ahead, ...] = ()
    ordinals: tuple[tuple[int, str], ...] = ()
    fractions: tuple[Fraction, ...] = ()
    values: tuple[Claim, ...] = ()
    counts: frozenset[str] = frozenset()

    @property
    def measures(self) -> frozenset[str]:
        """The amounts and quantities of it."""
        return frozenset(value for claim in self.values if claim.numbers for value in claim.values)


@dataclass(frozen=True, slots=True)
class Said:
    """One sentence of a text at ``text[start:end]``, whole and in its clauses."""

    text: str
    start: int
    end: int
    line: int
    whole: Clause
    clauses: tuple[Clause, ...]

    def terms_up_to(self, clause: Clause) -> frozenset[str]:
        """The words of a clause and of those before it, which may say of whom it is."""
        parts = self.clauses[: self.clauses.index(clause) + 1]
        return frozenset(chain.from_iterable(part.terms for part in parts))


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
    known = _Known([source for source in sources if source.language == draft.language])
    return tuple(doubt for said in sentences_of(draft) if (doubt := known.doubt(said)))


@kept_with_source
def sentences_of(source: Source) -> tuple[Said, ...]:
    """The sentences of a text in one of the languages whose words are known; headings and tables have none."""
    if source.language not in LANGUAGES:
        return ()
    return tuple(_sentences(source))


def _sentences(source: Source) -> Iterator[Said]:
    text, claims = source.shown, [claim for claim in source.claims if claim.kind in COMPARED]
    starts = [claim.start for claim in claims]
    lines = [match.start() for match in re.finditer("\n", text)]
    for start, end in _ranges(text, source.language):
        if end - start < _SHORTEST:
            continue
        own = claims[bisect_left(starts, start) : bisect_left(starts, end)]
        whole = _clause(text, start, end, own, source.language)
        if not whole.terms and not whole.modes:
            continue
        cuts = [start, *(match.end() for match in _CLAUSE.finditer(text, start, end)), end]
        clauses = [
            _clause(text, one, other, [c for c in own if one <= c.start < other], source.language)
            for one, other in pairwise(cuts)
        ]
        yield Said(text[start:end], start, end, bisect_left(lines, start) + 1, whole, tuple(_joined(clauses)))


def _ranges(text: str, language: str) -> Iterator[tuple[int, int]]:
    position = 0
    for cut in chain(
        (match.span() for match in (_END_GERMAN if language == "de" else _END).finditer(text)), [(len(text), len(text))]
    ):
        start, end = position, cut[1]
        position = cut[1]
        start += len(text[start:end]) - len(text[start:end].lstrip())
        end = start + len(text[start:end].rstrip("\n |"))
        if not _HEADING.match(text, start, end):
            yield from ((at, min(end, at + _LONGEST)) for at in range(start, end, _LONGEST))


def _joined(clauses: Iterable[Clause]) -> Iterator[Clause]:
    """Clauses with at least two words of content; those with fewer belong to the one before."""
    kept: Clause | None = None
    for clause in clauses:
        if kept is not None and (len(clause.terms) < 2 or len(kept.terms) < 2):
            kept = _both(kept, clause)
        else:
            if kept is not None:
                yield kept
            kept = clause
    if kept is not None:
        yield kept


def _both(one: Clause, other: Clause) -> Clause:
    return Clause(
        one.terms + other.terms,
        one.modes | other.modes,
        one.ahead + other.ahead,
        one.ordinals + other.ordinals,
        one.fractions + other.fractions,
        one.values + other.values,
        one.counts | other.counts,
    )


def _clause(text: str, start: int, end: int, claims: Sequence[Claim], language: str) -> Clause:
    written = [claim for claim in claims if claim.end <= end and _DIGIT.search(claim.text)]
    found = list(words(_with_values(text[start:end], start, written), language))
    content = [_content(word, written, language) for word in found]
    modes = frozenset(
        mode for at, word in enumerate(found) for mode in word.modes if not _is_a_year(found, at, written)
    )
    if any(word.text in HEDGES for word in found):
        modes |= {"hedged"}
    ahead = tuple(_ahead(found, content))
    if any("agreed" in one.modes and other.text in _OBJECT_BEGINS for one, other in pairwise(found)):
        modes |= {"done"}
    if {"not", "exceed"} <= modes:
        modes = modes - {"not"} | {"atmost"}
    if "not" in modes and any(one.mode == "before" for one in ahead):
        ahead = tuple(one._replace(mode="late") if one.mode == "before" else one for one in ahead)
        modes -= {"not"}
    return Clause(
        tuple(chain.from_iterable(content)),
        modes,
        ahead,
        tuple((word.ordinal, _behind(content, at)) for at, word in enumerate(found) if word.ordinal),
        tuple(word.fraction for word in found if word.fraction),
        tuple(written),
        frozenset(word.text for word in found if is_number(word.text, language)),
    )


def _with_values(part: str, start: int, claims: Sequence[Claim]) -> str:
    """A part of a text in which a mark stands in place of each claim."""
    pieces, position = list[str](), 0
    for number, claim in enumerate(claims[:_MOST_VALUES]):
        at, end = claim.start - start, claim.end - start
        if at >= position:
            pieces += [part[position:at], chr(_FIRST_VALUE + number), " " * (end - at - 1)]
            position = end
    return "".join([*pieces, part[position:]])


def _content(word: Word, claims: Sequence[Claim], language: str) -> tuple[str, ...]:
    if word.text[0] >= chr(_FIRST_VALUE) and len(word.text) == 1:
        return ("=" + claims[ord(word.text) - _FIRST_VALUE].values[0],)
    if word.ordinal or word.fraction or not word.modes <= _WITH_CONTENT:
        return ()
    stems = (stemmed(piece, language) for piece in _PIECE.findall(word.text) if piece not in _TITLES)
    return tuple(plain(stem)[:_ENDING] for stem in stems if stem)


def _is_a_year(found: Sequence[Word], at: int, claims: Sequence[Claim]) -> bool:
    """Whether a word for a rate names a year that follows, as in ``im Jahr 2027``."""
    following = found[at + 1].text if "year" in found[at].modes and at + 1 < len(found) else ""
    return following[:1] >= chr(_FIRST_VALUE) and claims[ord(following) - _FIRST_VALUE].kind == "date"


def _ahead(found: Sequence[Word], content: Sequence[tuple[str, ...]]) -> Iterator[Ahead]:
    for at, word in enumerate(found):
        for mode in sorted(word.modes & _LEADING):
            led = _led(found, content, at, 1 if mode == "all" else _REACH)
            if word.text not in _OF_VALUES or any(term[0] == "=" for term in led):
                yield Ahead(mode, led)


def _led(found: Sequence[Word], content: Sequence[tuple[str, ...]], at: int, reach: int) -> frozenset[str]:
    """The value that follows a word, or else the words up to the next one that leads others."""
    led = list[str]()
    for number in range(at + 1, min(len(found), at + 1 + reach)):
        if found[number].modes & _LEADING:
            break
        led += content[number]
        if any(term[0] == "=" for term in led):
            break
    return frozenset(led)


def _behind(content: Sequence[tuple[str, ...]], at: int) -> str:
    return next((one for these in content[at + 1 : at + 4] for one in these), "")


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
        return self._first in _PRONOUNS

    @property
    def is_of_each_one(self) -> bool:
        """Whether the sentence begins with an indefinite article, as in "A meal costs"."""
        return self._first in _ARTICLES

    @property
    def _first(self) -> str:
        return self.said.text.split(maxsplit=1)[0].casefold()


class _Known:
    """The sentences of sources by their words."""

    def __init__(self, sources: Iterable[Source]) -> None:
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
        return found

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
        if share in self._fractions or 1 - share in self._fractions:
            return True
        if any(c.said.whole.fractions and c.share >= _HALF for c in candidates):
            return False
        reach = _ROUGH if "hedged" in clause.modes else _EXACT
        return any(abs(float(share) - one) <= reach for c in candidates for one in _shares(c.said.whole.values))

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
        if is_said and is_total and not here:
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
    if own.modes & _REFUSED or theirs & {"only"}:
        return None
    if "all" in own.modes and not theirs & {"all", "each"}:
        counted = any(one.mode == "all" and any(term[0] == "=" for term in one.terms) for one in own.ahead)
        counted = counted or bool(own.counts and known.clause.counts - own.counts)
        return not (counted or theirs & {"some", "most", "notall"} or known.clause.fractions)
    if "none" in own.modes and "some" not in own.modes and theirs & {"some", "most"} and "not" not in theirs:
        return False
    if "most" in own.modes and not theirs & {"most", "all"}:
        return "some" not in theirs
    if "several" in own.modes and not theirs & {"some", "most", "all", "several"}:
        return "one" not in known.clause.modes
    return None


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
    for one in own.ahead:
        sides = {_SIDE[other.mode] for other in known.said.whole.ahead if one.terms & other.terms}
        if _SIDE[one.mode] not in sides and _OPPOSITE[_SIDE[one.mode]] in sides:
            return False
    return None


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
    "ordinal": _ordinal,
}
"""None: nothing differs; False: it does; True: perhaps only the words do."""
