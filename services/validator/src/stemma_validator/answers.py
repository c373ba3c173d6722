"""Which passage of a draft answers a demand, as far as words and figures tell: a person still has to look.

A passage (a paragraph, an item or a row) answers a demand if it has enough of the words that carry it, and no figure
that falls short of one of the demand. What a clause denies or leaves open answers nothing, nor does the demand itself,
said again, whatever stands around it.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from stemma_confinement import Limits
from stemma_contracts.v1.blocks import BlockIndex
from stemma_contracts.v1.jobs import ValidateDraft
from stemma_contracts.v1.ledger import AnswersFound, LedgerRow, LedgerRows, RequirementAnswer
from stemma_evidence import content_words, language_of
from stemma_evidence.requirements import Unit, units
from stemma_languages import demands

from .confined import Check, checked
from .demanding import FEW_WORDS, Demand, DemandReader, demand_of
from .files import Files

ENOUGH = 0.6
"""The share of what a demand says, each word weighed by how rare it is, that a passage must have."""
BESIDE = 0.5
"""What a word counts that stands in the heading of a passage or above its list."""
KEPT_LEDGERS = 8
"""Whose words are counted once for all drafts; one has some 100 KB."""

_CLAUSE = re.compile(r"(?<=[.;!?])\s+|,\s+(?=(?:but|aber|sondern|mais)\b)")
_MARKS = " \"'“”„>*_-–•#|"


@dataclass(frozen=True)
class Passage:
    """A paragraph, an item or a row of a draft, from ``start`` on; ``above`` are the words over it."""

    start: int
    clauses: tuple[str, ...]
    above: frozenset[str]


class Answers:
    """A draft, to be asked what it answers; ``every`` is the ledger, by which the rarity of words is told."""

    def __init__(self, text: str, language: str, every: Sequence[LedgerRow]) -> None:
        self._language = language
        self._words = demands(language)
        self._reader = DemandReader(language)
        self._rarity = _rarity(tuple(row.quote for row in every), language)
        self._passages = [self._passage(found) for found in _paragraphs(units(text, language))]
        self._with_word: dict[str, list[int]] = defaultdict(list)
        for number, passage in enumerate(self._passages):
            for word in content_words(" ".join(passage.clauses), language):
                self._with_word[word].append(number)

    def place_of(self, row: LedgerRow) -> int | None:
        """Where the passage begins that answers a row best, None if none does."""
        demand = demand_of(row.quote, row.announced_by, self._language)
        candidates = sorted({number for word in demand.words for number in self._with_word.get(word, ())})
        scored = ((self._score(demand, self._passages[number]), -number) for number in candidates)
        score, number = max(scored, default=(0.0, 0))
        return self._passages[-number].start if score >= ENOUGH else None

    def _passage(self, found: Sequence[Unit]) -> Passage:
        clauses = (clause for unit in found for clause in _CLAUSE.split(unit.text))
        decided = (one for one in clauses if not self._words.undecided.search(self._words.folded(one)))
        above = " ".join((*found[0].path[-1:], *found[0].leads[-1:]))
        return Passage(found[0].start, tuple(decided), content_words(above, self._language))

    def _score(self, demand: Demand, passage: Passage) -> float:
        """The share of a demand that a passage speaks of, each figure as much as the rarest word; 0 if not enough."""
        said = " ".join(self._affirmed(demand, passage))
        words = content_words(said, self._language)
        every = sum(map(self._weight, demand.words)) + len(demand.figures)
        own = sum(map(self._weight, demand.words & words))
        beside = BESIDE * sum(map(self._weight, (demand.words - words) & passage.above))
        if not every or own + beside + len(demand.figures) < ENOUGH * every:
            return 0.0
        kept = self._kept(demand, said)
        share = 0.0 if kept is None else (own + beside + kept) / every
        return share if share >= ENOUGH else 0.0

    def _affirmed(self, demand: Demand, passage: Passage) -> Iterator[str]:
        for clause in passage.clauses:
            folded = self._words.folded(clause)
            denies = not demand.negates and self._words.negated.search(folded)
            if not denies and not self._is_echo(demand, folded):
                yield clause

    def _is_echo(self, demand: Demand, clause: str) -> bool:
        """Whether a clause only says the demand again; words that do not demand may be those of an answer, too."""
        found = demand.echo.search(clause)
        if found is None:
            return False
        before, rest = clause[: found.start()].rstrip(_MARKS), demand.echo.sub(" ", clause)
        own = not demand.demands and not self._reader.demands(rest) and before != "" and not before.endswith(":")
        return not own and len(content_words(rest, self._language) - demand.words) < FEW_WORDS

    def _kept(self, demand: Demand, said: str) -> int | None:
        """How many figures of a demand are met by one of the same kind; None if one is not, or has no other of it.

        A bare number is a kind as well, but what it counts may be said in other words.
        """
        found, kept = self._reader.figures(said), 0
        for asked in demand.figures:
            same = [figure for figure in found if figure.unit == asked.unit]
            if not any(map(asked.is_kept_by, same)) and (same or asked.unit):
                return None
            kept += bool(same)
        return kept

    def _weight(self, word: str) -> float:
        return self._rarity.get(word, 1.0)


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
def _rarity(quotes: tuple[str, ...], language: str) -> Mapping[str, float]:
    """How much a word tells, by how few rows of the ledger have it."""
    counts = Counter(word for quote in quotes for word in content_words(quote, language))
    return {word: math.log(1 + len(quotes) / count) / math.log(1 + len(quotes)) for word, count in counts.items()}


class AnswersCheck(Check[dict[str, int]]):
    name: ClassVar = "answers check"

    text: str
    language: str
    rows: tuple[LedgerRow, ...]
    wanted: frozenset[str]

    @property
    def characters(self) -> int:
        return len(self.text) + sum(len(row.quote) for row in self.rows)

    @property
    def unknown(self) -> int:
        """The draft and the rows that it may answer: of the others only the words are counted."""
        return len(self.text) + sum(len(row.quote) for row in self.rows if row.requirement_id in self.wanted)

    def run(self) -> dict[str, int]:
        answers = Answers(self.text, self.language, self.rows)
        places = {row.requirement_id: answers.place_of(row) for row in self.rows if row.requirement_id in self.wanted}
        return {name: place for name, place in places.items() if place is not None}


async def answers_in(
    job: ValidateDraft, text: str, blocks: BlockIndex | None, files: Files, limits: Limits
) -> AnswersFound | None:
    """The blocks that answer the rows of a job, None if nobody can tell; raises `ValidationImpossible` past limits."""
    if job.ledger is None or blocks is None or (ledger := await files.body(job.ledger, LedgerRows)) is None:
        return None
    found = dict[str, int]()
    if job.requirements:
        language = language_of(text, job.document.language or "en")
        wanted = frozenset(job.requirements)
        check = AnswersCheck(text=text, language=language, rows=ledger.rows, wanted=wanted)
        found = await checked(check, limits)
    answered = tuple(
        RequirementAnswer(requirement_id=name, block_id=_block_at(blocks, at)) for name, at in found.items()
    )
    return AnswersFound(rows_digest=job.ledger.digest, sought=job.requirements, found=answered)


def _block_at(blocks: BlockIndex, place: int) -> str:
    starts = [block.start for block in blocks.blocks]
    return blocks.blocks[max(0, bisect_right(starts, place) - 1)].block_id
