"""Which passage of a draft answers a demand, as far as words and figures tell, and whether that is sure.

A passage (a paragraph, an item or a row) may answer a demand if it has enough of the words that carry it, and no figure
that falls short of one of the demand. What a clause denies or leaves open answers nothing, nor do words of the buyer.
It is sure if the bidder says nearly all of it in so many words, without a doubt, and says nothing else better by it.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise

from stemma_contracts.v1.ledger import LedgerRow
from stemma_languages import answer_cues, demands

from stemma_evidence.claims.claim import Claim
from stemma_evidence.claims.extraction import claims
from stemma_evidence.coverage.usage import RUN, runs_of, tokens_of
from stemma_evidence.sources.words import content_words

from .units import Unit, units

FEW_WORDS = 3
"""An item with fewer words is read with the sentence that announces it."""
AGENT = 24
"""Characters behind "by" in which a buyer stands."""
LOOKED_AT = 60
"""Characters behind a word in which that stands which it is about."""
NEAR = 40
"""Characters before a figure in which the word stands that makes it a limit."""

KEPT_DEMANDS = 1024
"""Reading one takes as long as reading a draft, and each version of a section is asked for the same."""

KEPT_FIGURES = 4096
"""Passages whose figures are read once for all demands."""

_NAME = re.compile(r"(?<!\w)[A-Z]{2,}(?!\w)")
_NOUN = re.compile(r"(?<=[^\W\d_] )[A-ZÄÖÜ]\w+")
"""Written so in German, within a sentence."""
_VERBS = {
    "de": re.compile(
        r"^(?:ab|an|auf|aus|bei|durch|ein|fest|fort|her|hin|mit|nach|vor|weg|zu|zurück)?(?:ge|zu)?(\w{3,}?)e?t?$"
    ),
    "fr": re.compile(r"^(\w{3,}?)i?on$"),
}
"""Stems of verbs without what tells their forms apart: "festgehalten" is "halten ... fest", "livrons" is "livrer"."""
_MINUTES = {
    "minute": 1, "hour": 60, "day": 1440, "working-day": 2016, "week": 10080, "month": 43800, "quarter": 131400,
    "year": 525600,
}  # fmt: skip
"""Spans of time are compared in one unit; five working days are a week."""


def telling(text: str, language: str) -> frozenset[str]:
    """The words with content, as those of a demand are compared with those of an answer."""
    words = content_words(text, language)
    found = _VERBS.get(language)
    return frozenset(found.sub(r"\1", word).replace("y", "i") for word in words) if found else words


@dataclass(frozen=True)
class _Figure:
    """A number with what it measures; of the readings of an amount the likeliest.

    A limit may be stayed below; what is ``least`` may be exceeded.
    """

    number: Decimal
    unit: str
    is_limit: bool
    is_least: bool

    def is_kept_by(self, said: _Figure) -> bool:
        return said.number <= self.number if self.is_limit else said.number >= self.number

    def is_surely_kept_by(self, said: _Figure) -> bool:
        if said.number == self.number:
            return self.is_limit or not said.is_limit
        return self.is_limit is not self.is_least and self.is_kept_by(said)


@dataclass(frozen=True)
class _Demand:
    """What of a row an answer has to speak of.

    ``names`` are words in capitals, in German nouns; ``does`` is what is done, ``lacks`` what is not there, and
    ``order`` whether something comes before or after something else. ``negates``: something is not done;
    ``by_buyer``: by the buyer; ``told``: it wants to be told something, which no promise does.
    """

    folded: str
    words: frozenset[str]
    names: frozenset[str]
    does: frozenset[str]
    lacks: frozenset[str]
    figures: tuple[_Figure, ...]
    order: frozenset[str]
    negates: bool
    by_buyer: bool
    told: bool

    @property
    def tells_enough(self) -> bool:
        return len(self.words) + len(self.figures) >= FEW_WORDS and not self.told


class _DemandReader:
    def __init__(self, language: str) -> None:
        self._language = language
        self._words = demands(language)
        self._cues = answer_cues(language)

    def read(self, quote: str, announced_by: str) -> _Demand:
        words = self._telling(quote)
        if len(words) < FEW_WORDS:
            words |= self._telling(announced_by)
        folded = self._words.folded(quote)
        name = _NOUN if self._language == "de" else _NAME
        names = " ".join(name.findall(quote)) if not quote.isupper() else ""
        return _Demand(
            folded=folded,
            words=words,
            names=telling(names, self._language) & words,
            does=self._does(folded) & words,
            lacks=self.lacks(folded),
            figures=self.figures(quote),
            order=self.order(folded),
            negates=self.negates(folded),
            by_buyer=self._is_by_buyer(folded),
            told=self._cues.told.search(folded) is not None,
        )

    def demands(self, text: str) -> bool:
        words = self._words
        return any(cue.search(text) for cue in (words.must, words.weak, words.should, words.asks))

    def negates(self, text: str) -> bool:
        """Whether a text denies something, and not only that a limit is exceeded."""
        return self._words.negated.search(self._words.at_most.sub(" ", text)) is not None

    def order(self, text: str) -> frozenset[str]:
        cues = {"earlier": self._cues.earlier, "later": self._cues.later}
        return frozenset(name for name, cue in cues.items() if cue.search(text))

    def lacks(self, text: str) -> frozenset[str]:
        """The words before which a text says that there is none."""
        return frozenset[str]().union(*(self._first(text[found.end() :]) for found in self._cues.none.finditer(text)))

    def _is_by_buyer(self, text: str) -> bool:
        by, buyers = self._words.by, self._words.buyers
        return any(buyers.search(text, found.end(), found.end() + AGENT) for found in by.finditer(text))

    def _does(self, text: str) -> frozenset[str]:
        found = self._words.must.search(text)
        return self._first(text[found.end() :]) if found else frozenset()

    def _first(self, text: str) -> frozenset[str]:
        """The first word with content."""
        told = (telling(word, self._language) for word in tokens_of(text[:LOOKED_AT]))
        return next(filter(None, told), frozenset[str]())

    def _telling(self, quote: str) -> frozenset[str]:
        """The words that say what is demanded, without those that say that it is, of whom, and how much."""
        words, text = self._words, quote
        for claim in claims(quote, self._language, of_draft=False):
            if claim.numbers:
                text = text.replace(claim.text, " ", 1)
        text = words.folded(text)
        for pattern in (words.must, words.weak, words.bidders):
            text = pattern.sub(_without_short, text)
        begun = words.begins.match(text)
        text = words.parties.sub(" ", text[begun.end() :] if begun else text, count=1)
        for pattern in (words.at_most, self._cues.at_least):
            text = pattern.sub(" ", text)
        return telling(text, self._language)

    def figures(self, text: str) -> tuple[_Figure, ...]:
        found = _numbers_of(text, self._language)
        return tuple(
            self._figure(claim.numbers[0], claim.units[0] if claim.units else "", text[: claim.start])
            for claim in found
        )

    def _figure(self, number: Decimal, unit: str, before: str) -> _Figure:
        near = self._words.folded(before[-NEAR:])
        is_limit, is_least = (cue.search(near) is not None for cue in (self._words.at_most, self._cues.at_least))
        minutes = _MINUTES.get(unit)
        return _Figure(number * (minutes or 1), "minute" if minutes else unit, is_limit, is_least)


@lru_cache(maxsize=KEPT_FIGURES)
def _numbers_of(text: str, language: str) -> tuple[Claim, ...]:
    return tuple(claim for claim in claims(text, language, of_draft=False) if claim.numbers)


def _without_short(found: re.Match[str]) -> str:
    """A cue of a demand is left out; one whose parts stand far apart has words of the demand between them."""
    return " " if found.group().count(" ") < FEW_WORDS else found.group()


@lru_cache(maxsize=KEPT_DEMANDS)
def _demand_of(quote: str, announced_by: str, language: str) -> _Demand:
    return _DemandReader(language).read(quote, announced_by)


ENOUGH = 0.6
"""The share of what a demand says, each word weighed by how rare it is, that a passage must have."""
SURE = 0.75
"""The share that a passage must have to be surely an answer, in the voice of the bidder."""
BESIDE = 0.5
"""What a word counts that stands in the heading of a passage or above its list."""
SHORT = 60
"""Characters of a sentence that may have fewer words than a run."""
OTHERWISE = 6
"""A clause is the buyer's if no more than one in so many words is another one."""
BEGINNING = 6
"""Words of a clause among which its subject is, if there is any."""
MOST_RIVALS = 20
"""Rows that share so many words with another one are looked at; of more, none is told from the others."""
WIDE_RUN = 12
"""Characters of a run where no spaces stand between words."""
KEPT_LEDGERS = 8
"""Whose words are counted once for all drafts; one has some 500 KB."""

_SENTENCE = re.compile(r"(?<=[.;:!?])\s+|(?<=[。；：！？])|\n")
_CLAUSE = re.compile(r"(?<=[.;!?])\s+|,\s+(?=(?:but|aber|sondern|mais|pero|ma|maar|mas)\b)")
_JOINED = re.compile(r",\s+(?:and|und|et|y|e|en)\s+")


@dataclass(frozen=True)
class Answer:
    """Where the passage begins that answers a demand, and whether it surely does: if not, a person has to look."""

    start: int
    sure: bool


@dataclass(frozen=True)
class _Clause:
    """A piece of a sentence. ``ours``: it speaks as the bidder; ``of_buyer``: it names the buyer.

    ``theirs``: nearly all of it are words of the buyer. ``lacks`` are words before which it says that there is none.
    ``certain``: it asks, demands and leaves open nothing; ``doubts`` are words that make it uncertain.
    """

    text: str
    words: frozenset[str]
    ours: bool
    theirs: bool
    of_buyer: bool
    denies: bool
    lacks: frozenset[str]
    order: frozenset[str]
    certain: bool
    doubts: tuple[str, ...]

    def may_answer(self, demand: _Demand) -> bool:
        return not self.theirs and (demand.negates or not self.denies)

    def is_sound(self, demand: _Demand) -> bool:
        """Whether nothing in it makes an answer to a demand uncertain that the demand does not say itself."""
        return self.certain and self.may_answer(demand) and all(word in demand.folded for word in self.doubts)


class _Runs:
    """The runs of words of some texts; a sentence of fewer words is one by itself. Takes time linear in them."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._known = set[int]()
        for text in texts:
            words = tokens_of(text)
            self._known.update(map(hash, runs_of(words, _length(words))))
            short = (tuple(tokens_of(one)) for one in _SENTENCE.split(text) if len(one) < SHORT)
            self._known.update(hash(words) for words in short if len(words) >= FEW_WORDS)

    def stands_in(self, words: Sequence[str]) -> list[bool]:
        """Of each word, whether it stands in a run that the texts have, too."""
        found = [False] * len(words)
        for length in (_length(words), *range(FEW_WORDS, RUN)):
            for at, run in enumerate(runs_of(words, length)):
                if hash(run) in self._known:
                    found[at : at + length] = [True] * length
        return found


def _length(words: Sequence[str]) -> int:
    return WIDE_RUN if words and words[0] >= "\u3040" else RUN


class _ClauseReader:
    def __init__(self, language: str, buyers: _Runs) -> None:
        self._language = language
        self._words = demands(language)
        self._cues = answer_cues(language)
        self._reader = _DemandReader(language)
        self._runs = buyers

    def is_undecided(self, text: str) -> bool:
        return self._words.undecided.search(self._words.folded(text)) is not None

    def read(self, text: str) -> _Clause:
        folded = self._words.folded(text)
        demands_something, ours = self._reader.demands(folded), self.is_ours(folded)
        return _Clause(
            text=text,
            words=telling(text, self._language),
            ours=ours,
            theirs=self._is_theirs(folded, ours=ours and not demands_something),
            of_buyer=self._words.buyers.search(folded) is not None,
            denies=self._reader.negates(folded),
            lacks=self._reader.lacks(folded),
            order=self._reader.order(folded),
            certain=not (demands_something or folded.rstrip(_MARKS).endswith(_ASKS) or self._turns(folded)),
            doubts=tuple({found.group() for found in self._cues.doubts.finditer(folded)}),
        )

    def is_ours(self, folded: str) -> bool:
        """Whether the bidder is the subject, and nobody else before it."""
        we, our = self._cues.we.search(folded), self._cues.our.search(folded)
        near = our is not None and len(tokens_of(folded[: our.start()])) < BEGINNING
        starts = [found.start() for found in (we, our if near else None) if found]
        buyer = self._words.buyers.search(folded)
        return bool(starts) and (buyer is None or buyer.start() >= min(starts))

    def _turns(self, folded: str) -> bool:
        """Whether it goes on with what somebody else does: "we plan, and another vendor builds"."""
        begun = (" ".join(part.split()[:BEGINNING]) for part in _JOINED.split(folded)[1:])
        return any(
            not self.is_ours(part) and any(cue.search(part) for cue in (self._words.parties, self._words.buyers))
            for part in begun
        )

    def _is_theirs(self, folded: str, *, ours: bool) -> bool:
        words = tokens_of(folded)
        known = self._runs.stands_in(words)
        if all(known) or ours or not any(known):
            return bool(words) and all(known)
        rest = " ".join(word for word, is_known in zip(words, known, strict=True) if not is_known)
        return len(telling(rest, self._language)) < max(FEW_WORDS, len(words) // OTHERWISE)


_MARKS = " \"'“”„»«*_)"
_ASKS = ("?", "？")


@dataclass(frozen=True)
class _Passage:
    """A paragraph, an item or a row of a draft, from ``start`` on; ``above`` are the words over it.

    ``ours``: what announces it speaks as the bidder; ``whole``: none of it was left out as undecided.
    """

    start: int
    clauses: tuple[_Clause, ...]
    above: frozenset[str]
    ours: bool
    whole: bool


class Answers:
    """A draft, to be asked what it answers; ``every`` is the ledger, which says how rare a word is.

    ``language`` is the BCP 47 tag of both; ``buyers`` are texts whose words answer nothing.
    """

    def __init__(self, text: str, language: str, every: Sequence[LedgerRow], buyers: Iterable[str] = ()) -> None:
        self._language = language
        self._clauses = _ClauseReader(language, _Runs((*(row.quote for row in every), *buyers)))
        self._reader = _DemandReader(language)
        self._rows = every
        self._rows_with = _rows_with(tuple(row.quote for row in every), language)
        said = (unit for unit in units(text, language) if unit.form != "heading")
        self._passages = [self._passage(found) for found in _paragraphs(said)]
        self._with_word: dict[str, list[int]] = defaultdict(list)
        for number, passage in enumerate(self._passages):
            for word in frozenset[str]().union(*(clause.words for clause in passage.clauses)):
                self._with_word[word].append(number)

    def answer_to(self, row: LedgerRow) -> Answer | None:
        """The passage that answers a row best, a sure one if there is any; None if none does."""
        demand = _demand_of(row.quote, row.announced_by, self._language)
        candidates = sorted({number for word in demand.words for number in self._with_word.get(word, ())})
        scored = ((self._score(demand, self._passages[number]), -number) for number in candidates)
        found = [(self._is_sure(row, demand, self._passages[-at]), score, at) for score, at in scored if score]
        if not found:
            return None
        sure, _, at = max(found)
        return Answer(self._passages[-at].start, sure)

    def _passage(self, found: Sequence[Unit]) -> _Passage:
        pieces = [piece for unit in found for piece in _CLAUSE.split(unit.text)]
        decided = tuple(self._clauses.read(one) for one in pieces if not self._clauses.is_undecided(one))
        lead = " ".join(found[0].leads[-1:])
        above = " ".join((*found[0].path[-1:], lead))
        ours = self._clauses.is_ours(lead.casefold())
        whole = len(decided) == len(pieces)
        return _Passage(found[0].start, decided, telling(above, self._language), ours, whole)

    def _score(self, demand: _Demand, passage: _Passage) -> float:
        """The share of a demand that a passage speaks of, each figure as much as the rarest word; 0 if not enough."""
        clauses = [clause for clause in passage.clauses if clause.may_answer(demand)]
        words = frozenset[str]().union(*(clause.words for clause in clauses))
        every = self._weight(demand.words) + len(demand.figures)
        own = self._weight(demand.words & words)
        beside = BESIDE * self._weight((demand.words - words) & passage.above)
        if not every or own + beside + len(demand.figures) < ENOUGH * every:
            return 0.0
        kept = self._kept(demand, " ".join(clause.text for clause in clauses))
        share = 0.0 if kept is None else (own + beside + kept) / every
        return share if share >= ENOUGH else 0.0

    def _kept(self, demand: _Demand, said: str) -> int | None:
        """How many figures of a demand are met by one of the same kind; None if one is not, or has no other of it.

        A bare number is a kind as well, but what it counts may be said in other words.
        """
        found, kept = self._reader.figures(said) if demand.figures else (), 0
        for asked in demand.figures:
            same = [figure for figure in found if figure.unit == asked.unit]
            if not any(map(asked.is_kept_by, same)) and (same or asked.unit):
                return None
            kept += bool(same)
        return kept

    def _is_sure(self, row: LedgerRow, demand: _Demand, passage: _Passage) -> bool:
        """Whether the bidder says all that a row demands, without a doubt, and nothing that another row demands."""
        touching = [clause for clause in passage.clauses if clause.words & demand.words]
        if row.kind not in _PROMISED or not demand.tells_enough or not passage.whole:
            return False
        said = [clause for clause in touching if clause.ours or passage.ours]
        words = frozenset[str]().union(*(clause.words for clause in said))
        return (
            all(clause.is_sound(demand) for clause in touching)
            and all(clause.denies == demand.negates for clause in said)
            and demand.lacks == demand.words & frozenset[str]().union(*(clause.lacks for clause in said))
            and demand.names | demand.does <= words
            and not (demand.order and frozenset[str]().union(*(clause.order for clause in said)) - demand.order)
            and (not demand.by_buyer or any(clause.of_buyer for clause in said))
            and self._weight(demand.words & words) >= SURE * self._weight(demand.words)
            and self._keeps_surely(demand, " ".join(clause.text for clause in said))
            and not self._swaps(demand, said)
            and not self._has_rival(row, demand.words & words, words)
        )

    def _swaps(self, demand: _Demand, said: Sequence[_Clause]) -> bool:
        """Whether another word stands where one of the demand did: "document deliverables" for "code deliverables"."""
        missing = demand.words.difference(*(clause.words for clause in said))
        asked = {
            (place, pair[1 - place])
            for pair in self._pairs(demand.folded)
            for place in (0, 1)
            if pair[place] in missing
        }
        return any(
            (place, pair[1 - place]) in asked and pair[place] not in demand.words
            for clause in said
            for pair in self._pairs(clause.text)
            for place in (0, 1)
        )

    def _pairs(self, text: str) -> Iterator[tuple[str, str]]:
        """Words with content that stand side by side."""
        words = [next(iter(telling(word, self._language)), "") for word in tokens_of(text)]
        return (pair for pair in pairwise(words) if all(pair))

    def _keeps_surely(self, demand: _Demand, said: str) -> bool:
        """Whether each figure of a demand is met by itself, or by as many others of its kind."""
        found, kinds = self._reader.figures(said), {one.unit for one in demand.figures}
        return not any(_is_currency(one.unit) and one.unit not in kinds for one in found) and all(
            _meets([one for one in demand.figures if one.unit == unit], [one for one in found if one.unit == unit])
            for unit in kinds
        )

    def _has_rival(self, row: LedgerRow, shared: frozenset[str], said: frozenset[str]) -> bool:
        """Whether another row has all words that a passage shares with this one, and is better answered by it."""
        numbers = [self._rows_with.get(word, frozenset()) for word in shared]
        rivals = frozenset.intersection(*numbers) if numbers else frozenset[int]()
        if len(rivals) > MOST_RIVALS:
            return True
        own = self._fit(row, said)
        return any(self._fit(self._rows[number], said) > own for number in rivals)

    def _fit(self, row: LedgerRow, said: frozenset[str]) -> float:
        words = telling(row.quote, self._language)
        return self._weight(words & said) / max(self._weight(words), 1e-9)

    def _weight(self, words: Iterable[str]) -> float:
        """How much words tell, by how few rows of the ledger have them."""
        most = 1 + len(self._rows)
        counts = (len(self._rows_with.get(word, ())) for word in words)
        return sum(math.log(1 + len(self._rows) / count) / math.log(most) if count else 1.0 for count in counts)


_PROMISED = ("work", "instruction")
"""Kinds of rows that words of a draft can keep; a paper has to be filled in, and offers are judged by others."""


def _is_currency(unit: str) -> bool:
    return len(unit) == 3 and unit.isupper()


def _meets(asked: Sequence[_Figure], said: Sequence[_Figure]) -> bool:
    if all(any(one.number == other.number and one.is_surely_kept_by(other) for other in said) for one in asked):
        return True
    in_order = (sorted(figures, key=lambda one: one.number) for figures in (asked, said))
    return len(asked) == len(said) and all(one.is_surely_kept_by(other) for one, other in zip(*in_order, strict=True))


def _paragraphs(found: Iterable[Unit]) -> Iterator[list[Unit]]:
    paragraph = list[Unit]()
    for unit in found:
        if paragraph and unit.number == 0:
            yield paragraph
            paragraph = []
        paragraph.append(unit)
    if paragraph:
        yield paragraph


@lru_cache(maxsize=KEPT_LEDGERS)
def _rows_with(quotes: tuple[str, ...], language: str) -> Mapping[str, frozenset[int]]:
    """The rows of a ledger that have a word, by their numbers."""
    found = defaultdict[str, list[int]](list)
    for number, quote in enumerate(quotes):
        for word in telling(quote, language):
            found[word].append(number)
    return {word: frozenset(numbers) for word, numbers in found.items()}
