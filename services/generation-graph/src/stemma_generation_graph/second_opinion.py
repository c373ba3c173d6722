"""A second opinion on a ledger: a model is asked for demands that no row has, some passages at a time.

What it answers is worth nothing before its words were found in the source. A model that fails, or makes words up,
leaves the ledger as it is.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, islice
from typing import Literal

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from pydantic import Field
from stemma_contracts.v1.jobs import ProposeRequirements
from stemma_contracts.v1.ledger import (
    MOST_QUOTED,
    MOST_ROWS,
    LedgerRow,
    LedgerRows,
    SecondOpinion,
)
from stemma_contracts.v1.outcomes import RequirementsProposed
from stemma_contracts.v1.references import ArtifactRef, InputFile
from stemma_markdown import Document, Quotable, letters, plain
from stemma_messaging import account
from stemma_models import CallContext, ModelCaller, ModelError, call_context, echo
from stemma_models.prompting import block

from .deps import GraphDeps
from .passages import Passage
from .sources import Library, UnreadableInputs
from .writing import Filled, Prose

GRAPH, NODE = "requirements", "propose"
ASKED_CHARS = 8_000
"""Of the sources in one question: of longer ones a model skips parts."""
LONGEST_PASSAGE = 16_000
"""A longer one is a table that is a file of its own: rules read its rows."""
MOST_CALLS = 100


class ProposedDemand(Filled):
    """A demand as its source has it."""

    quote: Prose = Field(description="the sentence, item or row that demands something, exactly as it stands there")
    kind: Literal["instruction", "evaluation", "work", "form"]
    obligation: Literal["mandatory", "should", "option"]


class ProposedDemands(Filled):
    """What a model finds in some passages."""

    demands: list[ProposedDemand] = Field(default=[], max_length=100, description="none if nothing is missing")


async def on_propose_requirements(
    job: ProposeRequirements, *, deps: GraphDeps, library: Library
) -> RequirementsProposed:
    context, caller = call_context(job), deps.models.for_node(GRAPH, NODE)
    account(lambda: context.meter.total)
    opinion, rows = SecondOpinion(model=caller.settings.name), None
    if not caller.judges:
        opinion = opinion.model_copy(update={"failure": "it writes without having opinions: name a model"})
        return RequirementsProposed(**echo(job, context), opinion=opinion)
    try:
        passages = await _passages(job, library)
    except UnreadableInputs as refused:
        opinion = opinion.model_copy(update={"failure": str(refused)[:300]})
        return RequirementsProposed(**echo(job, context), opinion=opinion)
    found = ProposedRows(LedgerRows.model_validate_json(await library.text(job.document, job.rows)))
    opinion = _with_counts(opinion, found, *await _ask(caller, context, deps, passages, found))
    if found.new:
        rows = await _stored(job, library, found.rows)
    return RequirementsProposed(**echo(job, context), opinion=opinion, rows=rows)


async def _passages(job: ProposeRequirements, library: Library) -> list[Passage]:
    inputs = [InputFile(name=one.name, artifact=one.artifact, anchors=one.anchors) for one in job.sources]
    return [passage for source in await library.parse_inputs(job.document, inputs) for passage in source.passages]


async def _ask(
    caller: ModelCaller, context: CallContext, deps: GraphDeps, passages: Sequence[Passage], found: ProposedRows
) -> tuple[int, str]:
    """Ask about all passages; how many characters were not asked about, and why the model failed, if it did."""
    prompt = SystemMessage(deps.prompts.get(GRAPH, NODE).render({}))
    left, failure = sum(len(passage.text) for passage in passages), ""
    for asked in islice(_questions(passages), MOST_CALLS):
        question = await asyncio.to_thread(Question, asked)
        text = await asyncio.to_thread(_question_text, question, found)
        messages: list[BaseMessage] = [prompt, HumanMessage(text)]
        try:
            answer = await caller.structured(context, NODE, messages, ProposedDemands)
        except ModelError as error:
            failure = error.detail or "it gave no answer"
            break
        left -= sum(len(passage.text) for passage in asked)
        await asyncio.to_thread(found.take, answer.value.demands, question)
    return left, failure


def _questions(passages: Sequence[Passage]) -> Iterator[list[Passage]]:
    """Passages that are asked about together, in their order."""
    held: list[Passage] = []
    length = 0
    for passage in passages:
        if len(passage.text) > LONGEST_PASSAGE:
            continue
        if held and length + len(passage.text) > ASKED_CHARS:
            yield held
            held, length = [], 0
        held.append(passage)
        length += len(passage.text)
    if held:
        yield held


def _question_text(question: Question, found: ProposedRows) -> str:
    """Passages, and the demands in them that rules found. Rows of a model would make each question a new one."""
    known = [block("requirement", quote) for quote in found.known_by_rules(question)]
    shown = [
        block("request", passage.text, name=passage.source, heading=passage.heading) for passage in question.passages
    ]
    return "\n".join([*shown, block("requirements", known)])


def _with_counts(opinion: SecondOpinion, found: ProposedRows, unasked: int, failure: str) -> SecondOpinion:
    return opinion.model_copy(
        update={
            "mandatory": tuple(row.requirement_id for row in found.new if row.obligation == "mandatory"),
            "others": tuple(row.requirement_id for row in found.new if row.obligation != "mandatory"),
            "known": found.known,
            "unfounded": found.unfounded,
            "unasked": unasked,
            "failure": failure[:300],
        }
    )


async def _stored(job: ProposeRequirements, library: Library, rows: LedgerRows) -> ArtifactRef:
    body = rows.model_dump_json().encode()
    return await library.store(job.document, body, "application/json", "requirements.json")


FEWEST_WORDS = 3
"""Fewer words say nothing that a person could answer."""
MOST_PLACE = 300

Range = tuple[int, int]


class _Text:
    def __init__(self, text: str) -> None:
        self._quotable = Quotable(text)
        self.letters = self._quotable.letters
        self.blocks = [block for block in Document(text).blocks if block.kind != "blank"]

    def range_of(self, quote: str) -> Range | None:
        return self._quotable.find(_readable(quote))

    def block_range_of(self, quote: str) -> Range | None:
        """Where the words stand, if that is within one block."""
        place = self.range_of(quote)
        if place is None or place[1] - place[0] > MOST_QUOTED:
            return None
        return place if any(one.start <= place[0] and place[1] <= one.end for one in self.blocks) else None


def _readable(quote: str) -> str:
    """Between the cells of a row nothing is written that is read."""
    return quote.replace(" | ", " ")


class Question:
    """Passages that are asked about together, each parsed once."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self.passages = passages
        self._texts = [_Text(passage.text) for passage in passages]
        pieces = [f"{text.letters}\n" for text in self._texts]
        self._letters = "".join(pieces)
        self._starts = list(accumulate(map(len, pieces), initial=0))

    def holding(self, quote: str, source: str | None = None) -> Iterator[int]:
        """The numbers of the passages that have these words; one search through all of them."""
        wanted = letters(_readable(quote))
        at = self._letters.find(wanted) if wanted else -1
        while at >= 0:
            number = bisect_right(self._starts, at) - 1
            if source in (None, self.passages[number].source):
                yield number
            at = self._letters.find(wanted, self._starts[number + 1])

    def ranges_of(self, quote: str, source: str) -> Iterator[tuple[int, Range]]:
        """The passages of a source that have these words, and where."""
        found = ((number, self._texts[number].range_of(quote)) for number in self.holding(quote, source))
        yield from ((number, place) for number, place in found if place is not None)

    def block_ranges_of(self, quote: str) -> Iterator[tuple[int, Range]]:
        """The passages that have these words within one block, and where; none for too few words."""
        if len(quote.split()) >= FEWEST_WORDS:
            found = ((number, self._texts[number].block_range_of(quote)) for number in self.holding(quote))
            yield from ((number, place) for number, place in found if place is not None)

    def line_of(self, number: int, start: int) -> int:
        """The line in the file: blocks stand closer together in a passage than there."""
        passage, blocks = self.passages[number], self._texts[number].blocks
        block = max((n for n, one in enumerate(blocks) if one.start <= start), default=0)
        if block >= len(passage.lines):
            return passage.lines[0] if passage.lines else 1
        return passage.lines[block] + passage.text.count("\n", blocks[block].start, start)


class ProposedRows:
    """The rows of a ledger, and those that are new; proposals that came to nothing are counted."""

    def __init__(self, ledger: LedgerRows) -> None:
        self._ledger = ledger
        self._given = ledger.given
        self._by_rules = dict.fromkeys((row.source, row.quote) for row in ledger.rows if row.found_by == "rules")
        self._quotes = dict.fromkeys((row.source, row.quote) for row in ledger.rows)
        self.new: list[LedgerRow] = []
        self.known = 0
        self.unfounded = 0

    @property
    def rows(self) -> LedgerRows:
        """The ledger with the new rows."""
        return self._ledger.model_copy(update={"given": self._given, "rows": (*self._ledger.rows, *self.new)})

    def known_by_rules(self, question: Question) -> Iterator[str]:
        """The words of the rows in these passages that rules found, each once."""
        return (quote for source, quote in self._by_rules if any(True for _ in question.holding(quote, source)))

    def take(self, demands: Iterable[ProposedDemand], question: Question) -> None:
        """Make a row of each demand whose words stand in one block of a passage and in no row."""
        taken = defaultdict[int, list[Range]](list)
        for source, quote in self._quotes:
            _mark(taken, question, quote, source)
        for demand in demands:
            self._take(demand, question, taken)

    def _take(self, demand: ProposedDemand, question: Question, taken: dict[int, list[Range]]) -> None:
        found = list(question.block_ranges_of(demand.quote))
        free = next((one for one in found if not _overlaps(one[1], taken[one[0]])), None)
        if not found:
            self.unfounded += 1
        elif free is None or len(self._ledger.rows) + len(self.new) >= MOST_ROWS:
            self.known += 1
        else:
            self._given += 1
            row = _row(f"R{self._given}", question, *free, demand)
            self.new.append(row)
            self._quotes[row.source, row.quote] = None
            _mark(taken, question, row.quote, row.source)


def _mark(taken: dict[int, list[Range]], question: Question, quote: str, source: str) -> None:
    for number, place in question.ranges_of(quote, source):
        taken[number].append(place)


def _overlaps(place: Range, taken: Iterable[Range]) -> bool:
    return any(one[0] < place[1] and place[0] < one[1] for one in taken)


def _row(name: str, question: Question, number: int, place: Range, demand: ProposedDemand) -> LedgerRow:
    passage = question.passages[number]
    words = " ".join(plain(passage.text[slice(*place)]).split())
    return LedgerRow(
        requirement_id=name,
        source=passage.source,
        line=question.line_of(number, place[0]),
        place=passage.place[:MOST_PLACE],
        headings=(passage.heading,) if passage.heading else (),
        quote=words,
        kind=demand.kind,
        obligation=demand.obligation,
        found_by="model",
    )
